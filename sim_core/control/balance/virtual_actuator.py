"""Balance by a virtual actuator (Zordan, Hodgins 2002, section 6):

    F = k (x_d - x) - b v                                                                      (eq. 3)
    tau = J_T (F x r)                                                                          (eq. 4)

A horizontal force that would push the centre of mass over the feet is never applied; the joints of the
standing legs turn as if it were. r leads from the centre of mass to the joint.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...base.conventions import GRAVITY, BoolArray, FloatArray
from ...dynamics.kinematics import Kinematics
from ...simulation.protocol import State
from ...world.world import World
from ..tracking.plan import TrackingPlan
from ..tracking.prediction import Prediction
from .policy import BalanceTargets
from .support_error import posture_only, support_error


@dataclass(frozen=True)
class VirtualActuatorGains:
    """stiffness k [1/s^2], damping b [1/s]: per kilogram of the body; largest force: share of its weight."""

    stiffness: float = 8.0
    damping: float = 2.0
    largest: float = 0.1


class VirtualActuatorBalance:
    """Adds torques to those of the tracking, which has no wish for the centre of mass."""

    def __init__(self, world: World, plan: TrackingPlan, gains: VirtualActuatorGains) -> None:
        self.plan, self.gains, self.mass = plan, gains, world.spec.mass
        self.kinematics, self.model = Kinematics(world), world.model
        self.dofs = [
            np.concatenate([world.index.dofs_of(segment) for segment in world.leg_segments(foot)])
            for foot in (0, 1)
        ]
        self.actuated = world.index.actuated_dof

    def touches(self, sample: int) -> BoolArray:
        return np.asarray(self.plan.schedule.touches[sample])

    def targets(self, sample: int, state: State, prediction: Prediction) -> BalanceTargets:
        wanted = posture_only(self.plan, sample, state)
        return replace(wanted, torque=self._torque(sample, state, prediction))

    def _torque(self, sample: int, state: State, prediction: Prediction) -> FloatArray:
        """Of all joints (nu) [Nm]."""
        error, gains, torque = (
            support_error(self.plan, sample, prediction),
            self.gains,
            np.zeros(self.model.nv),
        )
        force = np.zeros(3)
        force[:2] = -self.mass * (gains.stiffness * error.offset + gains.damping * error.velocity)
        most = gains.largest * self.mass * GRAVITY
        force *= min(1.0, most / max(float(np.linalg.norm(force)), 1e-9))
        self.kinematics.set_position(state.qpos)
        data = self.kinematics.data
        for dofs, share in zip(self.dofs, error.share, strict=True):
            arm = data.xanchor[self.model.dof_jntid[dofs]] - prediction.com
            # The foot stands, so a leg's joint turns what is above it: the engine's torques act below.
            torque[dofs] = -share * np.sum(data.cdof[dofs, :3] * np.cross(force, arm), axis=1)
        return torque[self.actuated]
