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
        self.feet = np.unique(world.index.sole_body)

    def set_position(self, qpos: FloatArray) -> None:
        """Everything that depends on position."""
        model, data = self.world.model, self.data
        data.qpos[:] = qpos
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_crb(model, data)

    def set(self, qpos: FloatArray, qvel: FloatArray) -> None:
        """Everything that depends on position and velocity."""
        self.set_position(qpos)
        self.data.qvel[:] = qvel
        mujoco.mj_comVel(self.world.model, self.data)

    def sole_points(self) -> FloatArray:
        """Sole points in the world (K, 3) [m]."""
        index, data = self.world.index, self.data
        rotation = data.xmat[index.sole_body].reshape(-1, 3, 3)
        return np.asarray(data.xpos[index.sole_body] + (rotation @ index.sole_point[..., None])[..., 0])

    def sole_jacobians(self, out: FloatArray | None = None) -> FloatArray:
        """Velocity Jacobians of the sole points (K, 3, nv).

        A foot's points share its body Jacobian: v_point = v_foot + w_foot x arm.
        """
        model, data, index = self.world.model, self.data, self.world.index
        jacobians = np.zeros((len(index.sole_body), 3, model.nv)) if out is None else out
        linear, angular = np.zeros((3, model.nv)), np.zeros((3, model.nv))
        for foot in self.feet:
            mujoco.mj_jacBody(model, data, linear, angular, int(foot))
            mine = index.sole_body == foot
            arms = index.sole_point[mine] @ data.xmat[foot].reshape(3, 3).T
            jacobians[mine] = linear - cross_matrix(arms) @ angular
        return jacobians


_CROSS = np.zeros((3, 9))
_CROSS[[0, 0, 1, 1, 2, 2], [5, 7, 2, 6, 1, 3]] = [-1.0, 1.0, 1.0, -1.0, -1.0, 1.0]


def cross_matrix(vectors: FloatArray) -> FloatArray:
    """Matrices (..., 3, 3) with matrix @ x = vector x x."""
    return (vectors @ _CROSS).reshape(*vectors.shape[:-1], 3, 3)
