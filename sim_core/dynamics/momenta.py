"""Angular momentum and energy of a whole motion."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from ..conventions import FloatArray
from ..simulation.world import World
from .kinematics import Kinematics


@dataclass(frozen=True, eq=False)
class Momenta:
    """angular (T, 3): momentum about the com [kg m^2/s]; energy (T): kinetic and potential [J]"""

    angular: FloatArray
    energy: FloatArray


def measure_momenta(world: World, qpos: FloatArray, qvel: FloatArray) -> Momenta:
    """Of states (T, nq), (T, nv); the energy holds that of the joints' rotors, too."""
    kinematics, model, root = Kinematics(world), world.model, int(world.index.body[0])
    data = kinematics.data
    angular, energy = np.zeros((len(qpos), 3)), np.zeros(len(qpos))
    for t in range(len(qpos)):
        kinematics.set(qpos[t], qvel[t])
        mujoco.mj_subtreeVel(model, data)
        mujoco.mj_energyPos(model, data)
        mujoco.mj_energyVel(model, data)
        angular[t], energy[t] = data.subtree_angmom[root], data.energy.sum()
    return Momenta(angular, energy)
