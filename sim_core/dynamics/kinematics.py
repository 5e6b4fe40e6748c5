"""Positions and Jacobians of a character's points, from the engine."""

from __future__ import annotations

import mujoco
import numpy as np

from ..base.conventions import BoolArray, FloatArray, IntArray
from ..world.world import World


class Kinematics:
    """The engine's view of one state after another; no contacts, no actuators."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.data = mujoco.MjData(world.model)

    def set_position(self, qpos: FloatArray) -> None:
        """Places, and what Jacobians need."""
        model, data = self.world.model, self.data
        data.qpos[:] = qpos
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)

    def set(self, qpos: FloatArray, qvel: FloatArray) -> None:
        """Everything that depends on position and velocity, the mass matrix too."""
        self.set_position(qpos)
        mujoco.mj_crb(self.world.model, self.data)
        self.data.qvel[:] = qvel
        mujoco.mj_comVel(self.world.model, self.data)

    def support_arms(self, supports: IntArray) -> FloatArray:
        """From a body's origin to the lowest point of each of its supports (N, 3) [m]."""
        index = self.world.index
        rotation = self.data.xmat[index.support_body[supports]].reshape(-1, 3, 3)
        arms = (rotation @ index.support_point[supports, :, None])[..., 0]
        arms[:, 2] -= index.support_radius[supports]
        return arms

    def support_points(self, supports: IntArray) -> FloatArray:
        """Lowest points of supports in the world (N, 3) [m]."""
        return np.asarray(
            self.data.xpos[self.world.index.support_body[supports]] + self.support_arms(supports)
        )

    def support_jacobians(self, supports: IntArray) -> FloatArray:
        """Velocity Jacobians of the bodies' matter at the support points (N, 3, nv).

        A body's points share its Jacobian: v_point = v_body + w_body x arm.
        """
        model, data = self.world.model, self.data
        jacobians = np.zeros((len(supports), 3, model.nv))
        linear, angular = np.zeros((3, model.nv)), np.zeros((3, model.nv))
        bodies, arms = self.world.index.support_body[supports], self.support_arms(supports)
        for body in np.unique(bodies):
            mujoco.mj_jacBody(model, data, linear, angular, int(body))
            mine = bodies == body
            jacobians[mine] = linear - cross_matrix(arms[mine]) @ angular
        return jacobians


def moving_dofs(model: mujoco.MjModel, body: int) -> BoolArray:
    """Which degrees of freedom move a body (nv): its own, and those of the bodies that carry it."""
    moved = np.zeros(model.nv, dtype=bool)
    while body > 0:
        start = model.body_dofadr[body]
        moved[start : start + model.body_dofnum[body]] = True
        body = model.body_parentid[body]
    return moved


_CROSS = np.zeros((3, 9))
_CROSS[[0, 0, 1, 1, 2, 2], [5, 7, 2, 6, 1, 3]] = [-1.0, 1.0, 1.0, -1.0, -1.0, 1.0]


def cross_matrix(vectors: FloatArray) -> FloatArray:
    """Matrices (..., 3, 3) with matrix @ x = vector x x."""
    return (vectors @ _CROSS).reshape(*vectors.shape[:-1], 3, 3)
