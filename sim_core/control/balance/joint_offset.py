"""Balance by offsets of hips and ankles (Zordan, Hodgins 2002, section 6, after Wooten, Hodgins 2000):

    lambda = k (x_d - x) - b v                                                                 (eq. 5)

is added to the angles that hips and ankles of the standing legs are asked for. The body leans about its
ankles, and the trunk about the hips, to where the centre of mass should be.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...base.conventions import Z_UP, BoolArray, FloatArray
from ...dynamics.kinematics import Kinematics
from ...reference.contacts import REFERENCE_LEG_LENGTH
from ...simulation.protocol import State
from ...world.world import World
from ..tracking.plan import TrackingPlan
from ..tracking.prediction import Prediction
from .policy import BalanceTargets
from .support_error import posture_only, support_error

LARGEST_ANGLE = 0.4
"""Hips and ankles are not turned further from the reference [rad]."""


@dataclass(frozen=True)
class JointOffsetGains:
    """For a leg of 0.86 m: hip, ankle [rad/m] and hip_damping, ankle_damping [rad s/m]."""

    hip: float = 0.5
    hip_damping: float = 0.1
    ankle: float = 1.0
    ankle_damping: float = 0.3


class JointOffsetBalance:
    """Turns what the tracking aims at, which has no wish for the centre of mass."""

    def __init__(self, world: World, plan: TrackingPlan, leg_length: float, gains: JointOffsetGains) -> None:
        self.plan, self.gains, self.size = plan, gains, leg_length / REFERENCE_LEG_LENGTH
        self.kinematics, self.nv = Kinematics(world), world.model.nv
        legs = [world.leg_segments(foot) for foot in (0, 1)]
        self.hips = [world.index.dofs_of(thigh) for thigh, _, _ in legs]
        self.ankles = [world.index.dofs_of(foot) for _, _, foot in legs]

    def touches(self, sample: int) -> BoolArray:
        return np.asarray(self.plan.schedule.touches[sample])

    def targets(self, sample: int, state: State, prediction: Prediction) -> BalanceTargets:
        wanted = posture_only(self.plan, sample, state)
        return replace(wanted, joint_offset=self._offset(sample, state, prediction))

    def _offset(self, sample: int, state: State, prediction: Prediction) -> FloatArray:
        """Of all coordinates (nv) [rad]."""
        error, gains, offset = support_error(self.plan, sample, prediction), self.gains, np.zeros(self.nv)
        away, speed = error.offset / self.size, error.velocity / np.sqrt(self.size)
        self.kinematics.set_position(state.qpos)
        axes = self.kinematics.data.cdof[:, :3]
        for joints, stiffness, damping in (
            (self.hips, gains.hip, gains.hip_damping),
            (self.ankles, gains.ankle, gains.ankle_damping),
        ):
            lean = np.clip(-stiffness * away - damping * speed, -LARGEST_ANGLE, LARGEST_ANGLE)
            # About this axis what is above the joint turns towards `lean`; what is below turns back.
            turn = -np.cross(Z_UP, [lean[0], lean[1], 0.0])
            for dofs, share in zip(joints, error.share, strict=True):
                offset[dofs] = (share > 0.0) * (axes[dofs] @ turn)
        return offset
