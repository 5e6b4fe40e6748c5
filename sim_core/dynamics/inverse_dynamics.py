"""Inverse dynamics: the forces behind a motion.

Angular momentum and energy of a whole motion.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from ..base.conventions import FloatArray
from ..world.world import World
from .kinematics import Kinematics


def inverse_dynamics(
    kinematics: Kinematics, qpos: FloatArray, qvel: FloatArray, qacc: FloatArray
) -> FloatArray:
    """Generalised force (nv) that makes the motion without any contact: M qacc + bias."""
    model, data = kinematics.world.model, kinematics.data
    kinematics.set(qpos, qvel)
    data.qacc[:] = qacc
    force = np.zeros(model.nv)
    mujoco.mj_rne(model, data, 1, force)
    return force + model.dof_armature * qacc


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
