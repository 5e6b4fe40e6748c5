"""Kinematics and inverse dynamics of a character, computed by the engine."""

from __future__ import annotations

import mujoco
import numpy as np

from ..base.conventions import BoolArray, FloatArray, IntArray
from ..world.world import World


class Kinematics:
    """Positions and Jacobians of a character in one state after another, without contacts and actuators."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.data = mujoco.MjData(world.model)

    def set_position(self, qpos: FloatArray) -> None:
        """Set the pose (nq), and compute positions and what Jacobians need."""
        model, data = self.world.model, self.data
        data.qpos[:] = qpos
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)

    def set(self, qpos: FloatArray, qvel: FloatArray) -> None:
        """Set the state, and compute all that depends on position and velocity, including the mass matrix."""
        self.set_position(qpos)
        mujoco.mj_crb(self.world.model, self.data)
        self.data.qvel[:] = qvel
        mujoco.mj_comVel(self.world.model, self.data)

    def support_arms(self, supports: IntArray) -> FloatArray:
        """Return the vectors from the bodies' origins to the lowest points of supports (N, 3) [m]."""
        index = self.world.index
        rotation = self.data.xmat[index.support_body[supports]].reshape(-1, 3, 3)
        arms = (rotation @ index.support_point[supports, :, None])[..., 0]
        arms[:, 2] -= index.support_radius[supports]
        return arms

    def support_points(self, supports: IntArray) -> FloatArray:
        """Return the lowest points of supports in the world (N, 3) [m]."""
        return np.asarray(
            self.data.xpos[self.world.index.support_body[supports]] + self.support_arms(supports)
        )

    def support_jacobians(self, supports: IntArray) -> FloatArray:
        """Return the Jacobians of the bodies' points at the supports (N, 3, nv).

        They follow from the Jacobian of the body: v_point = v_body + w_body x arm.
        """
        model, data = self.world.model, self.data
        jacobians = np.zeros((len(supports), 3, model.nv))
        linear, angular = np.zeros((3, model.nv)), np.zeros((3, model.nv))
        bodies, arms = self.world.index.support_body[supports], self.support_arms(supports)
        for body in np.unique(bodies):
            mujoco.mj_jacBody(model, data, linear, angular, int(body))
            own = bodies == body
            jacobians[own] = linear - cross_matrix(arms[own]) @ angular
        return jacobians

    def palm_load(self, force: FloatArray) -> FloatArray:
        """Return the generalised force (nv) of forces on the palms (H, 3) [N]."""
        return np.einsum("kiv,ki->v", self.support_jacobians(self.world.index.palms), force)


def moving_dofs(model: mujoco.MjModel, body: int) -> BoolArray:
    """Return which degrees of freedom move a body (nv): those of its joint and of all joints above it."""
    moved = np.zeros(model.nv, dtype=bool)
    while body > 0:
        start = model.body_dofadr[body]
        moved[start : start + model.body_dofnum[body]] = True
        body = model.body_parentid[body]
    return moved


def inverse_dynamics(
    kinematics: Kinematics, qpos: FloatArray, qvel: FloatArray, qacc: FloatArray
) -> FloatArray:
    """Return the generalised force (nv) that makes the motion without any contact: M qacc + bias."""
    model, data = kinematics.world.model, kinematics.data
    kinematics.set(qpos, qvel)
    data.qacc[:] = qacc
    force = np.zeros(model.nv)
    mujoco.mj_rne(model, data, 1, force)
    return force + model.dof_armature * qacc


_CROSS = np.zeros((3, 9))
_CROSS[[0, 0, 1, 1, 2, 2], [5, 7, 2, 6, 1, 3]] = [-1.0, 1.0, 1.0, -1.0, -1.0, 1.0]


def cross_matrix(vectors: FloatArray) -> FloatArray:
    """Return matrices (..., 3, 3) such that matrix @ x is the cross product of vector and x."""
    return (vectors @ _CROSS).reshape(*vectors.shape[:-1], 3, 3)
