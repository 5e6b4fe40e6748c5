"""The linear dynamics at one instant: accelerations as a function of forces.

qdd = M^-1 (forces - bias), with the engine's own mass matrix and bias (da Silva et al. 2008, eq. 6).
The root's rows of M and bias are the body's momentum balance, so the acceleration of the centre of
mass and the rate of angular momentum need no Jacobians of their own.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from ...base.conventions import BoolArray, FloatArray, IntArray
from ...dynamics.kinematics import Kinematics, cross_matrix
from ...simulation.protocol import State
from ...world.world import World


@dataclass(frozen=True, eq=False)
class Prediction:
    """One state's dynamics.

    mass_matrix (nv, nv), bias (nv)
    com, com_velocity (3); momentum (3)
    rows (2 + F + P, 3, nv), drift (2 + F + P, 3): accelerations = rows qdd + drift, of the com, of angular
    momentum (its rate), of the feet, of the points that push
    near (N): which of the supports asked for are low enough to push
    points, point_velocity (P, 3): of those
    normal, ground_velocity (P, 3), grip (P): of the ground under them
    foot, foot_velocity (F, 3)
    """

    mass_matrix: FloatArray
    bias: FloatArray
    com: FloatArray
    com_velocity: FloatArray
    momentum: FloatArray
    rows: FloatArray
    drift: FloatArray
    near: BoolArray
    normal: FloatArray
    friction_scale: FloatArray
    ground_velocity: FloatArray
    points: FloatArray
    point_velocity: FloatArray
    foot: FloatArray
    foot_velocity: FloatArray

    @property
    def foot_jacobian(self) -> FloatArray:
        """(F, 3, nv)"""
        return self.rows[2 : 2 + len(self.foot)]

    @property
    def point_jacobian(self) -> FloatArray:
        """(P, 3, nv)"""
        return self.rows[2 + len(self.foot) :]


class Predictor:
    """Makes predictions for a world's character."""

    def __init__(self, world: World) -> None:
        self.world, self.gravity, self.feet = world, world.gravity, world.index.feet
        self.kinematics = Kinematics(world)
        self.mass = world.spec.mass

    def predict(self, state: State, supports: IntArray, reach: float = np.inf) -> Prediction:
        """supports (N): those that may push, if no further than `reach` above the ground there [m]."""
        model, data = self.world.model, self.kinematics.data
        self.kinematics.set(state.qpos, state.qvel)
        mass_matrix, bias = np.empty((model.nv, model.nv)), np.empty(model.nv)
        mujoco.mj_fullM(model, data, mass_matrix)
        mujoco.mj_rne(model, data, 0, bias)
        root = int(self.world.index.body[0])
        rotation, com = data.xmat[root].reshape(3, 3), data.subtree_com[root].copy()
        arm = cross_matrix(com - data.xpos[root])

        lowest = self.kinematics.support_points(supports)
        ground = self.world.ground.below(lowest, state.objects)
        near = lowest[:, 2] - ground.height < reach
        index, feet, pushing = self.world.index, len(self.feet), supports[near]
        body = np.concatenate([self.feet, index.support_body[pushing]])
        place = np.concatenate([data.xpos[self.feet], lowest[near]])
        radius = np.concatenate([np.zeros(feet), index.support_radius[pushing]])

        rows, drift = np.empty((2 + len(body), 3, model.nv)), np.empty((2 + len(body), 3))
        rows[0], drift[0] = mass_matrix[:3] / self.mass, bias[:3] / self.mass + self.gravity
        rows[1] = rotation @ mass_matrix[3:6] - arm @ mass_matrix[:3]
        drift[1] = rotation @ bias[3:6] - arm @ bias[:3]
        for row, at, of in zip(rows[2:], place, body.tolist(), strict=True):
            mujoco.mj_jac(model, data, row, None, at, of)
        velocity, drift[2:] = self._motion(com, body, place, radius)
        com_velocity, momentum = rows[:2] @ state.qvel
        return Prediction(
            mass_matrix=mass_matrix,
            bias=bias,
            com=com,
            com_velocity=com_velocity,
            momentum=momentum,
            rows=rows,
            drift=drift,
            near=near,
            normal=ground.normal[near],
            friction_scale=ground.friction_scale[near],
            ground_velocity=ground.velocity[near],
            points=place[feet:],
            point_velocity=velocity[feet:],
            foot=place[:feet],
            foot_velocity=velocity[:feet],
        )

    def _motion(
        self, com: FloatArray, body: IntArray, place: FloatArray, radius: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Velocities (N, 3) of bodies' matter at places, and accelerations (N, 3) while no joint accelerates.

        The way down from a rounded part's centre keeps its direction while the part turns, so only the
        centre is drawn towards the axis it turns about: no-slip holds for rolling parts as for standing ones.
        """
        data = self.kinematics.data
        mujoco.mj_rnePostConstraint(self.world.model, data)  # with data.qacc, which is zero
        moving, drifting = data.cvel[body], data.cacc[body]  # turning, then shifting at the com
        away = place - com
        centre = away.copy()
        centre[:, 2] += radius
        spin, whirl = cross_matrix(moving[:, :3]), cross_matrix(drifting[:, :3])
        centre_velocity = moving[:, 3:] + (spin @ centre[..., None])[..., 0]
        velocity = centre_velocity - radius[:, None] * spin[:, :, 2]
        turning = (whirl @ away[..., None] + spin @ centre_velocity[..., None])[..., 0]
        # The engine lets the ground rise instead of the body fall.
        return velocity, drifting[:, 3:] + self.gravity + turning
