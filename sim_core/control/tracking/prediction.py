"""The linear dynamics of a character at one state: accelerations as functions of forces.

M qdd + bias = forces, with the engine's own mass matrix and bias (da Silva et al. 2008, eq. 6). The root's
rows of M and bias are the momentum balance of the whole body, so the acceleration of the centre of mass and
the rate of angular momentum need no Jacobians of their own.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from ...base.conventions import BoolArray, FloatArray, IntArray
from ...dynamics.kinematics import Kinematics, cross_matrix
from ...simulation.protocol import State
from ...world.world import World

COM, MOMENTUM, FEET = 0, 1, 2
"""First indices of the blocks of Prediction.rows and Prediction.drift."""
HOLD_REACH = 0.08
"""Distance of a palm from where it should hold on up to which a grip counts [m]."""


@dataclass(frozen=True, eq=False)
class Prediction:
    """The dynamics at one state; F feet, P points in contact.

    mass_matrix (nv, nv), bias (nv)
    com (3) [m], com_velocity (3) [m/s]; momentum (3): angular, about the com [kg m^2/s]
    rows (2 + F + P, 3, nv), drift (2 + F + P, 3): rows qdd + drift is the acceleration of the com, the rate
    of the angular momentum, and the accelerations of the feet and of the points in contact
    near (N): which of the N supports asked for are close enough to the ground to be in contact
    held (P): which of these are grips
    points (P, 3) [m], point_velocity (P, 3) [m/s]: those supports
    normal (P, 3), ground_velocity (P, 3) [m/s], friction_scale (P): the ground under them
    foot (F, 3) [m], foot_velocity (F, 3) [m/s]: origins of the feet
    """

    mass_matrix: FloatArray
    bias: FloatArray
    com: FloatArray
    com_velocity: FloatArray
    momentum: FloatArray
    rows: FloatArray
    drift: FloatArray
    near: BoolArray
    held: BoolArray
    normal: FloatArray
    friction_scale: FloatArray
    ground_velocity: FloatArray
    points: FloatArray
    point_velocity: FloatArray
    foot: FloatArray
    foot_velocity: FloatArray

    @property
    def com_jacobian(self) -> FloatArray:
        """Velocity of the centre of mass by qvel (3, nv)."""
        return self.rows[COM]

    @property
    def com_drift(self) -> FloatArray:
        """Acceleration of the centre of mass at qdd = 0 (3) [m/s^2]."""
        return self.drift[COM]

    @property
    def momentum_matrix(self) -> FloatArray:
        """Angular momentum about the centre of mass by qvel (3, nv)."""
        return self.rows[MOMENTUM]

    @property
    def momentum_drift(self) -> FloatArray:
        """Rate of the angular momentum at qdd = 0 (3) [Nm]."""
        return self.drift[MOMENTUM]

    @property
    def foot_jacobian(self) -> FloatArray:
        """Velocities of the feet by qvel (F, 3, nv)."""
        return self.rows[FEET : FEET + len(self.foot)]

    @property
    def foot_drift(self) -> FloatArray:
        """Accelerations of the feet at qdd = 0 (F, 3) [m/s^2]."""
        return self.drift[FEET : FEET + len(self.foot)]

    @property
    def point_jacobian(self) -> FloatArray:
        """Velocities of the points in contact by qvel, J_i (P, 3, nv)."""
        return self.rows[FEET + len(self.foot) :]

    @property
    def point_drift(self) -> FloatArray:
        """Accelerations of the points in contact at qdd = 0, J'_i qvel (P, 3) [m/s^2]."""
        return self.drift[FEET + len(self.foot) :]


class Predictor:
    """Computes predictions for the character of a world."""

    def __init__(self, world: World) -> None:
        self.world, self.gravity, self.feet = world, world.gravity, world.index.feet
        self.kinematics = Kinematics(world)
        self.mass = world.spec.mass

    def predict(
        self,
        state: State,
        supports: IntArray,
        reach: float = np.inf,
        anchor: FloatArray | None = None,
        load: FloatArray | None = None,
    ) -> Prediction:
        """Return the dynamics at a state.

        supports (N): candidates for contact; reach: largest height above the ground at which one counts [m]
        anchor (N, 3): where those that are grips should hold [m]
        load (H, 3): what the palms carry [N]
        """
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
        near, held = lowest[:, 2] - ground.height < reach, self.world.index.holds(supports)
        if anchor is not None and held.any():
            near = np.where(held, np.linalg.norm(lowest - anchor, axis=1) < HOLD_REACH, near)
        chosen = slice(None) if near.all() else near  # a slice is faster
        index, feet, pushing = self.world.index, len(self.feet), supports[chosen]
        body = np.concatenate([self.feet, index.support_body[pushing]])
        position = np.concatenate([data.xpos[self.feet], lowest[chosen]])
        radius = np.concatenate([np.zeros(feet), index.support_radius[pushing]])

        rows, drift = np.empty((FEET + len(body), 3, model.nv)), np.empty((FEET + len(body), 3))
        rows[COM], drift[COM] = mass_matrix[:3] / self.mass, bias[:3] / self.mass + self.gravity
        rows[MOMENTUM] = rotation @ mass_matrix[3:6] - arm @ mass_matrix[:3]
        drift[MOMENTUM] = rotation @ bias[3:6] - arm @ bias[:3]
        for row, at, of in zip(rows[FEET:], position, body.tolist(), strict=True):
            mujoco.mj_jac(model, data, row, None, at, of)
        velocity, drift[FEET:] = self._point_motion(com, body, position, radius)
        com_velocity, momentum = rows[:FEET] @ state.qvel
        if load is not None:
            bias -= self.kinematics.palm_load(load)
        return Prediction(
            mass_matrix=mass_matrix,
            bias=bias,
            com=com,
            com_velocity=com_velocity,
            momentum=momentum,
            rows=rows,
            drift=drift,
            near=near,
            held=held[chosen],
            normal=ground.normal[chosen],
            friction_scale=ground.friction_scale[chosen],
            ground_velocity=ground.velocity[chosen],
            points=position[feet:],
            point_velocity=velocity[feet:],
            foot=position[:feet],
            foot_velocity=velocity[:feet],
        )

    def pelvis_jacobian(self) -> FloatArray:
        """Return the Jacobian (6, nv) of the pelvis's centre of mass and rotation at the last state."""
        jacobian = np.zeros((6, self.world.model.nv))
        root = int(self.world.index.body[0])
        mujoco.mj_jacBodyCom(self.world.model, self.kinematics.data, jacobian[:3], jacobian[3:], root)
        return jacobian

    def _point_motion(
        self, com: FloatArray, body: IntArray, position: FloatArray, radius: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return velocities (N, 3) of points fixed in bodies, and accelerations (N, 3) at qdd = 0.

        The lowest point of a rounded part stays below the part's centre while the part turns, so only the
        centre has a centripetal acceleration: no-slip holds for rolling parts as for standing ones.
        """
        data = self.kinematics.data
        mujoco.mj_rnePostConstraint(self.world.model, data)  # with data.qacc, which is zero
        # Angular, then linear at the com of the whole body.
        velocity_com, acceleration_com = data.cvel[body], data.cacc[body]
        arm = position - com
        centre = arm.copy()
        centre[:, 2] += radius
        spin, spin_rate = cross_matrix(velocity_com[:, :3]), cross_matrix(acceleration_com[:, :3])
        centre_velocity = velocity_com[:, 3:] + (spin @ centre[..., None])[..., 0]
        velocity = centre_velocity - radius[:, None] * spin[:, :, 2]
        turning = (spin_rate @ arm[..., None] + spin @ centre_velocity[..., None])[..., 0]
        # The engine's accelerations contain the reaction to gravity.
        return velocity, acceleration_com[:, 3:] + self.gravity + turning
