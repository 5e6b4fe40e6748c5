"""Balance by centroidal LQR and footsteps, while the simulation runs."""

from __future__ import annotations

import mujoco
import numpy as np

from ...base.conventions import BoolArray, FloatArray
from ...base.intervals import smooth_step, smooth_step_rate, true_intervals
from ...dynamics.kinematics import cross_matrix
from ...simulation.protocol import State
from ...world.ground import Ground, ObjectState
from ..tracking.plan import TrackingPlan
from ..tracking.policy import BalanceTargets
from ..tracking.prediction import Prediction
from .capture_region import DEFAULT_TRIGGER, CaptureRegion, StepTrigger
from .centroidal_lqr import COM, FEET, FORCE, MOMENTUM, PRESSURE, STATES, TURN, VELOCITY, YAW, Gains
from .footholds import Footholds
from .heels import Heels
from .inserted_steps import InsertedSteps

LEASH = 0.1
"""The path pulls a body back as if it were no further off: on the way back from further away it would become
faster than pressure under the feet can brake before the next step [m]."""
SETTLED = 0.85
"""Share of the swing after which the foot is over its new place."""
URGENT = 5.0
"""An inserted step counts this many times more than a planned one: the posture does not know of it."""


class FootstepBalance:
    """shift (2, 2): of the feet against the plan, horizontally; level (2): how much higher they are there.

    velocity (2, 3): at which swinging feet go over to their new places [m/s]. Where it is not told, damping
    holds them back by some 0.08 s, more than half of a boxer's step.
    """

    def __init__(
        self,
        plan: TrackingPlan,
        gains: Gains,
        mass: float,
        ground: Ground,
        trigger: StepTrigger = DEFAULT_TRIGGER,
        heels: Heels | None = None,
    ) -> None:
        """heels: None where soles keep to the plan"""
        self.plan, self.gains, self.mass, self.heels = plan, gains, mass, heels
        self.shift, self.level = np.zeros((2, 2)), np.zeros(2)
        self.lifted_from, self.level_from = np.zeros((2, 2)), np.zeros(2)
        self.velocity = np.zeros((2, 3))
        self.footholds = Footholds(plan, ground)
        self.inserted = InsertedSteps(plan, CaptureRegion(plan, gains.centre), self.footholds, trigger)
        self.blend, self.blend_rate = _blends(plan)

    def touches(self, sample: int) -> BoolArray:
        touches = self.inserted.touches(sample)
        return touches if self.heels is None else self.heels.touches(sample, touches)

    def targets(self, sample: int, state: State, prediction: Prediction) -> BalanceTargets:
        self._follow_feet(sample, prediction, state.objects)
        error = self._error(sample, state, prediction)
        beyond = _beyond_leash(error[COM][:2])
        near = _moved(error, -beyond)
        self._plan_steps(sample, near, beyond, state.objects)
        inputs = -self.gains.feedback[sample] @ near
        force = self.gains.force[sample]
        arm = -error[COM]
        arm[:2] += inputs[PRESSURE] + self.gains.share[sample] @ self.shift
        moment = cross_matrix(arm) @ force
        moment += cross_matrix(self.gains.centre[sample] - self.plan.com[sample]) @ inputs[FORCE]
        moment[2] += inputs[YAW][0]
        shift, velocity = np.empty((2, 3)), self.velocity.copy()
        shift[:, :2], shift[:, 2] = self.shift, self.level
        if self.inserted.foot is not None:
            shift[self.inserted.foot] = self.inserted.shift
            velocity[self.inserted.foot] = self.inserted.velocity
        drift = state.qpos[:3] - self.plan.reference.qpos[sample, :3]
        return BalanceTargets(
            com_acceleration=self.plan.com_acceleration[sample] + inputs[FORCE] / self.mass,
            momentum_rate=self.plan.momentum_rate[sample] + moment,
            foot_shift=shift,
            foot_shift_velocity=velocity,
            joint_offset=self._joint_offset(sample, prediction, drift),
            swing=URGENT if self.inserted.swinging else 1.0,
        )

    def _joint_offset(self, sample: int, prediction: Prediction, drift: FloatArray) -> FloatArray | float:
        leg = self.inserted.joint_offset(sample, prediction, drift)
        return leg if self.heels is None else leg + self.heels.joint_offset(sample)

    def _follow_feet(self, sample: int, prediction: Prediction, objects: ObjectState) -> None:
        """A standing foot is shifted by what it is; that is also where its next swing starts from."""
        self.inserted.follow(sample, prediction, self.shift, objects)
        stands = self.plan.schedule.stands[sample].copy()
        if self.heels is not None:
            off = self.inserted.capture_error(sample, prediction, self.shift) if stands.any() else np.zeros(2)
            self.heels.follow(sample, off)
        if self.inserted.foot is not None:
            stands[self.inserted.foot] = False
            self.shift[self.inserted.foot] = self.inserted.shift[:2]
            self.lifted_from[self.inserted.foot] = self.inserted.shift[:2]
        actual = prediction.foot - self.plan.foot[sample]
        self.shift[stands] = self.lifted_from[stands] = actual[stands, :2]
        self.velocity[stands] = 0.0
        self.footholds.nudge[stands] = 0.0
        if not self.footholds.flat:
            self.level[stands] = self.level_from[stands] = actual[stands, 2]

    def _error(self, sample: int, state: State, prediction: Prediction) -> FloatArray:
        plan, error = self.plan, np.zeros(STATES)
        turn, back = np.zeros(4), np.zeros(4)
        mujoco.mju_negQuat(back, plan.reference.qpos[sample, 3:7])
        mujoco.mju_mulQuat(turn, state.qpos[3:7], back)
        error[COM] = prediction.com - plan.com[sample]
        error[COM][2] -= self.gains.share[sample] @ self.level  # the body's height is over its feet
        error[VELOCITY] = prediction.com_velocity - plan.com_velocity[sample]
        mujoco.mju_quat2Vel(error[TURN], turn, 1.0)
        error[MOMENTUM] = prediction.momentum - plan.momentum[sample]
        for foot in (0, 1):
            error[FEET[foot]] = self.shift[foot]
        return error

    def _plan_steps(self, sample: int, error: FloatArray, beyond: FloatArray, objects: ObjectState) -> None:
        """error: against a plan that has moved by the way beyond the leash (2)."""
        for foot in (0, 1):
            blend = self.blend[sample, foot]
            if np.isnan(blend) or foot == self.inserted.foot:
                continue
            standing = self.plan.schedule.stands[sample, 1 - foot]
            anchor = self.shift[1 - foot] if standing else error[COM][:2] + beyond
            wanted = self.gains.foothold[sample, foot] @ error + beyond
            # As seen from the standing foot or, in flight, from the body.
            furthest = self.inserted.trigger.reach
            wanted = anchor + np.minimum(np.maximum(wanted - anchor, -furthest), furthest)
            wanted = self.footholds.evened(sample, foot, wanted, objects)
            level = self.footholds.rise(sample, foot, wanted, objects)
            away = np.append(wanted - self.lifted_from[foot], level - self.level_from[foot])
            self.velocity[foot] = self.blend_rate[sample, foot] * away
            self.shift[foot] = (1.0 - blend) * self.lifted_from[foot] + blend * wanted
            self.level[foot] = (1.0 - blend) * self.level_from[foot] + blend * level


def _beyond_leash(off_path: FloatArray) -> FloatArray:
    """What of the way off the path (2) is too far [m]."""
    distance = float(np.linalg.norm(off_path))
    return off_path * max(1.0 - LEASH / distance, 0.0) if distance > 0.0 else off_path


def _moved(error: FloatArray, way: FloatArray) -> FloatArray:
    """The error of a body that stands elsewhere, by a way on the ground (2): feet and all."""
    result = error.copy()
    for part in (COM, *FEET):
        result[part][:2] += way
    return result


def _blends(plan: TrackingPlan) -> tuple[FloatArray, FloatArray]:
    """How far each swing has gone over to its new place (T, 2), and how fast it does [1/s].

    Not a number while the foot stands.
    """
    stands, dt = plan.schedule.stands, plan.reference.dt
    share, pace = np.full(stands.shape, np.nan), np.full(stands.shape, np.nan)
    for foot in (0, 1):
        for start, end in true_intervals(~stands[:, foot]):
            samples = SETTLED * (end - start)
            share[start:end, foot] = np.minimum((np.arange(end - start) + 0.5) / samples, 1.0)
            pace[start:end, foot] = 1.0 / (samples * dt)
    return smooth_step(share), smooth_step_rate(share) * pace
