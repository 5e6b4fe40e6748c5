"""The tasks of the tracker at one control interval, with their targets and weights."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import mujoco
import numpy as np

from ...base.conventions import BoolArray, FloatArray, IntArray
from ...simulation.protocol import State
from ...world.world import World
from .plan import TrackingPlan
from .policy import BalanceTargets
from .prediction import Prediction
from .tasks import ROOT, Task, angular_momentum, centre_of_mass, no_slip, posture, root_rotation, swing_feet
from .tracker_settings import TrackerSettings


@dataclass(frozen=True, eq=False)
class Instant:
    """What the tracker knows and wants at one control interval.

    sample: of the plan; touches (K): points of the plan that should touch the ground
    contacts (P): those of them that are close enough to the ground to carry load
    gain_scale (nu): factors of the joints' stiffness after a hit; None while all are 1
    rate: of the plan's clock
    """

    sample: int
    state: State
    touches: BoolArray
    contacts: IntArray
    prediction: Prediction
    targets: BalanceTargets
    gain_scale: FloatArray | None = None
    rate: float = 1.0


class TaskSet:
    """Makes the tasks of a character that follows a plan."""

    def __init__(self, world: World, plan: TrackingPlan, settings: TrackerSettings) -> None:
        self.world, self.plan, self.settings = world, plan, settings
        self._posture_root_weight = {
            stands: np.sqrt(self._posture_weight(stands)) for stands in product((False, True), repeat=2)
        }

    def at(self, instant: Instant) -> tuple[Task, ...]:
        """Return all tasks of an instant, those of the balance policy last."""
        settings, targets, prediction = self.settings, instant.targets, instant.prediction
        flying = not instant.touches.any()
        left, right = self._standing(instant)
        swing = settings.flight_swing if flying else targets.swing * settings.swing
        turn = settings.flight_root_turn if flying else settings.root_turn
        joints = self._posture_root_weight[left, right]
        if instant.gain_scale is not None:
            joints = joints * np.sqrt(instant.gain_scale)
        wanted, feet = self.coordinate_acceleration(instant), self.foot_acceleration(instant)
        return (
            root_rotation(wanted, turn),
            posture(wanted, joints),
            centre_of_mass(prediction, targets.com_acceleration, targets.com * settings.com),
            angular_momentum(prediction, targets.momentum_rate, settings.momentum),
            swing_feet(prediction, feet, [0.0 if stands else swing for stands in (left, right)]),
            no_slip(prediction, self.point_acceleration(instant), settings.no_slip),
            *targets.extra,
        )

    def _standing(self, instant: Instant) -> tuple[bool, bool]:
        """Return which feet stand; one that is late still swings."""
        left, right = self.plan.schedule.standing(instant.touches).tolist()
        return left and instant.targets.late != 0, right and instant.targets.late != 1

    def coordinate_acceleration(self, instant: Instant) -> FloatArray:
        """Return q''_d (nv): the reference's acceleration with feedback (da Silva et al. 2008, eq. 4)."""
        reference, sample, targets = self.plan.reference, instant.sample, instant.targets
        stiffness: FloatArray | float = self.settings.stiffness
        damping: FloatArray | float = self.settings.damping
        scale: FloatArray | float = 1.0
        if instant.gain_scale is not None:
            scale = np.concatenate([np.ones(ROOT), instant.gain_scale])
            stiffness, damping = stiffness * scale, damping * np.sqrt(scale)
        if targets.acceleration is not None:
            return scale * targets.acceleration + (1.0 - scale) * reference.qacc[sample]
        model, state = self.world.model, instant.state
        error = np.zeros(model.nv)
        mujoco.mj_differentiatePos(model, error, 1.0, state.qpos, reference.qpos[sample])
        error += targets.joint_offset
        rate = instant.rate
        velocity_error = rate * reference.qvel[sample] - state.qvel
        feedback = rate * rate * reference.qacc[sample] + stiffness * error + damping * velocity_error
        return feedback + targets.joint_acceleration

    def foot_acceleration(self, instant: Instant) -> FloatArray:
        """Return the wanted accelerations of the feet (F, 3): the plan's, shifted, with feedback [m/s^2]."""
        sample, targets, prediction = instant.sample, instant.targets, instant.prediction
        if targets.acceleration is not None:
            return prediction.foot_jacobian @ targets.acceleration + prediction.foot_drift
        plan, settings = self.plan, self.settings
        error = plan.foot[sample] + targets.foot_shift - prediction.foot
        velocity = instant.rate * plan.foot_velocity[sample] + targets.foot_shift_velocity
        feedback = settings.stiffness * error + settings.damping * (velocity - prediction.foot_velocity)
        return np.asarray(instant.rate**2 * plan.foot_acceleration[sample] + feedback)

    def point_acceleration(self, instant: Instant) -> FloatArray:
        """Return the wanted accelerations of the points in contact (P, 3): the ground's, with damped slip."""
        slip = instant.prediction.point_velocity - instant.prediction.ground_velocity
        ground = self.plan.contact_ground.acceleration[instant.sample, instant.contacts]
        return np.asarray(ground - self.settings.damping * slip)

    def _posture_weight(self, stands: tuple[bool, ...]) -> FloatArray:
        """Return the weights of the joints (nv - 6) while some of the two feet stand."""
        weight = np.full(self.world.model.nv - ROOT, self.settings.joint)
        for foot in np.flatnonzero(stands).tolist():
            knee = self.world.leg_segments(foot)[1]
            weight[self.world.index.dofs_of(knee) - ROOT] *= self.settings.stance_knee
        return weight
