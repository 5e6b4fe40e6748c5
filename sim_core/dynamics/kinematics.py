"""Positions and Jacobians of a character's points, from the engine."""

from __future__ import annotations

import mujoco
import numpy as np

from ..conventions import FloatArray
from ..simulation.world import World


class Kinematics:
    """The engine's view of one state after another; no contacts, no actuators."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.data = mujoco.MjData(world.model)

    def set(self, qpos: FloatArray, qvel: FloatArray) -> None:
        """Everything that depends on position and velocity, for this state."""
        model, data = self.world.model, self.data
        data.qpos[:], data.qvel[:] = qpos, qvel
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_makeM(model, data)
        mujoco.mj_comVel(model, data)

    def sole_points(self) -> FloatArray:
        """Sole points in the world (K, 3) [m]."""
        index, data = self.world.index, self.data
        rotation = data.xmat[index.sole_body].reshape(-1, 3, 3)
        return np.asarray(data.xpos[index.sole_body] + np.einsum("kij,kj->ki", rotation, index.sole_point))

    def sole_jacobians(self) -> FloatArray:
        """Velocity Jacobians of the sole points (K, 3, nv)."""
        model, index = self.world.model, self.world.index
        points = self.sole_points()
        jacobians = np.zeros((len(points), 3, model.nv))
        for k, point in enumerate(points):
            mujoco.mj_jac(model, self.data, jacobians[k], None, point, int(index.sole_body[k]))
        return jacobians
