"""Balance by the swing hip (da Silva et al. 2008, section 6).

    theta_d = theta_d0 + c_d d + c_v v                                                        (eq. 11)

theta is the world angle of the swing leg, d the horizontal distance from the support foot to the root and v
the root's horizontal velocity. The paper's theta_d0 is the reference's angle; d and v are taken here as
differences from the reference, so that a body that follows it exactly is left alone. The formula holds for
the sagittal and the lateral angle alike, with the same gains at all times.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...base import rotations
from ...base.conventions import BoolArray, FloatArray
from ...character.posing import segment_poses
from ...character.spec import JointKind
from ...reference.contacts import REFERENCE_LEG_LENGTH
from ...simulation.protocol import State
from ...world.world import World
from ..tracking.plan import TrackingPlan
from ..tracking.policy import BalanceTargets
from ..tracking.prediction import Prediction

LARGEST_ANGLE = 0.6
"""Largest rotation of the swing leg from the reference [rad]."""


@dataclass(frozen=True)
class SwingHipGains:
    """For a leg of 0.86 m: distance c_d [rad/m], velocity c_v [rad s/m]; damping of the body [1/s]."""

    distance: float = 0.5
    velocity: float = 0.3
    damping: float = 10.0


class SwingHipBalance:
    """Turns the swing leg, and damps the whole body; nothing pulls it back to its path (eq. 4)."""

    def __init__(self, world: World, plan: TrackingPlan, leg_length: float, gains: SwingHipGains) -> None:
        self.plan, self.gains, self.leg_length = plan, gains, leg_length
        self.size = leg_length / REFERENCE_LEG_LENGTH
        self.nv = world.model.nv
        self.hips = tuple(_Hip(world, plan, foot) for foot in (0, 1))
        self.support = 0

    def touches(self, sample: int) -> BoolArray:
        """Return which of the plan's points should touch (K): those that are planned."""
        return np.asarray(self.plan.schedule.touches[sample])

    def targets(self, sample: int, state: State, prediction: Prediction) -> BalanceTargets:
        """Return damping of the whole body, and the rotation and shift of the swing leg."""
        plan = self.plan
        swing = self._swing_foot(sample)
        joint_offset, foot_shift = np.zeros(self.nv), np.zeros((2, 3))
        drift = state.qpos[:2] - plan.reference.qpos[sample, :2]
        foot_shift[:, :2] = drift
        if swing is not None:
            lean = self._lean(sample, state, prediction, drift)
            self.hips[swing].turn(sample, lean, joint_offset)
            foot_shift[swing, :2] += self.leg_length * lean
        slip = plan.com_velocity[sample] - prediction.com_velocity
        spin = plan.momentum[sample] - prediction.momentum
        return BalanceTargets(
            com_acceleration=plan.com_acceleration[sample] + self.gains.damping * slip,
            momentum_rate=plan.momentum_rate[sample] + self.gains.damping * spin,
            foot_shift=foot_shift,
            joint_offset=joint_offset,
        )

    def _swing_foot(self, sample: int) -> int | None:
        """Return the foot that steps next; in flight the support is the foot that stood last."""
        stands = self.plan.schedule.stands[sample]
        if stands.any() and not stands.all():
            self.support = int(np.argmax(stands))
        return None if stands[1 - self.support] else 1 - self.support

    def _lean(self, sample: int, state: State, prediction: Prediction, drift: FloatArray) -> FloatArray:
        """Return the rotation of the swing leg along world X and Y, c_d d + c_v v (2) [rad]."""
        plan, gains = self.plan, self.gains
        foot = (prediction.foot - plan.foot[sample])[self.support, :2]
        velocity = state.qvel[:2] - plan.reference.qvel[sample, :2]
        lean = gains.distance * (drift - foot) / self.size + gains.velocity * velocity / np.sqrt(self.size)
        return np.clip(lean, -LARGEST_ANGLE, LARGEST_ANGLE)


class _Hip:
    """The hip joint above one of the two feet."""

    def __init__(self, world: World, plan: TrackingPlan, foot: int) -> None:
        self.segment = world.leg_segments(foot)[0]
        self.joint = world.spec.segments[self.segment].joint
        self.dof = int(world.index.dofs_of(self.segment)[0])
        self.thigh_world = segment_poses(world.spec, plan.reference.qpos)[1][:, self.segment]

    def turn(self, sample: int, lean: FloatArray, joint_offset: FloatArray) -> None:
        """Add the joint angles that swing the leg along world X and Y by `lean` (2) [rad]."""
        # About this axis a leg that points down turns towards `lean`.
        world = np.array([lean[1], -lean[0], 0.0])
        local = rotations.rotate(rotations.conjugate(self.thigh_world[sample]), world)
        if self.joint.kind is JointKind.HINGE:
            joint_offset[self.dof] += self.joint.axis @ local
        else:
            joint_offset[self.dof : self.dof + 3] += local
