"""Balance by a centroidal LQR and footsteps: the policy that runs during the simulation."""

from __future__ import annotations

import mujoco
import numpy as np

from ...base.conventions import BoolArray, FloatArray
from ...base.intervals import smooth_step, smooth_step_rate, true_intervals
from ...dynamics.kinematics import cross_matrix
from ...simulation.protocol import State
from ...world.ground import Ground, ObjectState
from ..handing_over import HandingOver
from ..tracking.plan import TrackingPlan
from ..tracking.policy import BalanceTargets
from ..tracking.prediction import Prediction
from .capture_region import DEFAULT_TRIGGER, CaptureRegion, StepTrigger
from .centroidal_lqr import COM, FEET, FORCE, MOMENTUM, PRESSURE, STATES, TURN, VELOCITY, YAW, CentroidalGains
from .footholds import Footholds
from .heel_lowering import HeelLowering
from .inserted_steps import InsertedSteps
from .step_timing import LATE_DESCENT, StepTiming

LARGEST_PULL = 0.1
"""Largest error of the path that is fed back [m]: pulled back from further away, the body would become faster
than pressure under the feet can brake before the next step."""
SETTLED_SHARE = 0.85
"""Share of the swing after which the foot is over its new foothold."""
LEAST_POINTS = 4
"""Points on the ground from which on two feet hold a body until it is at rest."""
INSERTED_WEIGHT = 5.0
"""Factor of the weight of an inserted step: the posture, which is that of the plan, opposes it."""

URGENT_FROM, URGENT_AT = 0.08, 0.16
"""Errors of the capture point from which on, and at which wholly, balance goes before posture [m]..."""
URGENT_WEIGHT = 6.0
"""...by this factor of the weight of the centre of mass, where no planned step is near: hips and arms give
way to what feet alone cannot hold."""


class FootstepBalance:
    """Balances by ground forces, by the footholds of planned steps, and by inserted steps.

    shift (2, 2): horizontal displacement of the feet from the plan [m]; level (2): vertical [m]
    foothold (2, 2): displacement that swinging feet will have when they land [m]
    velocity (2, 3): of the displacement of swinging feet [m/s]; without it their damping would delay them by
    some 0.08 s, more than half of a boxer's step
    """

    def __init__(
        self,
        plan: TrackingPlan,
        gains: CentroidalGains,
        mass: float,
        ground: Ground,
        trigger: StepTrigger = DEFAULT_TRIGGER,
        heel_lowering: HeelLowering | None = None,
    ) -> None:
        """Start as planned; heel_lowering: None where soles keep to the plan."""
        self.plan, self.gains, self.mass, self.heel_lowering = plan, gains, mass, heel_lowering
        self.shift: FloatArray = np.zeros((2, 2))
        self.lifted_from: FloatArray = np.zeros((2, 2))
        self.velocity: FloatArray = np.zeros((2, 3))
        self.foothold: FloatArray = np.full((2, 2), np.nan)
        self.level, self.level_from = np.zeros(2), np.zeros(2)
        self.footholds = Footholds(plan, ground)
        self.inserted = InsertedSteps(plan, CaptureRegion(plan, gains.centre), self.footholds, trigger)
        self.timing = StepTiming(plan, gains)
        self.blend, self.blend_rate = _swing_blends(plan)

    def continue_from(self, earlier: FootstepBalance, change: HandingOver) -> None:
        """Take over what another policy has done to its feet, which are where they are in both plans."""
        gap = change.points(earlier.plan.foot[change.earlier]) - self.plan.foot[change.later]
        self.shift = change.flat(earlier.shift) + gap[:, :2]
        self.foothold = change.flat(earlier.foothold) + gap[:, :2]
        self.lifted_from = self._lifted_from(max(change.later - 1, 0))
        self.level, self.level_from = earlier.level.copy(), earlier.level_from.copy()
        self.velocity = change.vectors(earlier.velocity)
        self.footholds.displacement = earlier.footholds.displacement.copy()
        self.inserted.continue_from(earlier.inserted, change, gap)
        self.timing.continue_from(earlier.timing, change.moved * self.plan.reference.dt)
        if self.heel_lowering is not None and earlier.heel_lowering is not None:
            self.heel_lowering.lowered = earlier.heel_lowering.lowered.copy()

    def _lifted_from(self, sample: int) -> FloatArray:
        """Return from where (2, 2) swings must have been lifted to be where they are [m].

        A plan that begins within a swing knows a shorter one, and would move the foot back else.
        """
        blend = self.blend[sample][:, None]
        lifted = (self.shift - blend * self.foothold) / np.maximum(1.0 - blend, 1.0 - SETTLED_SHARE)
        known = np.isfinite(lifted) & (blend < SETTLED_SHARE)
        return np.where(known, lifted, self.shift)

    def touches(self, sample: int) -> BoolArray:
        """Return which of the plan's points should touch (K), with inserted steps and lowered heels."""
        touches = self.inserted.touches(sample)
        return touches if self.heel_lowering is None else self.heel_lowering.touches(sample, touches)

    def targets(self, sample: int, state: State, prediction: Prediction) -> BalanceTargets:
        """Return the accelerations by LQR feedback, and where the feet should be."""
        self.timing.observe(sample, state.time, self.touches(sample), prediction)
        self._update_feet(sample, prediction, state.objects)
        error = self._error(sample, state, prediction)
        beyond = _beyond_pull(error[COM][:2])
        near = _displaced(error, -beyond)
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
        if self.timing.late is not None:
            shift[self.timing.late, 2] -= LATE_DESCENT * self.timing.waited_s
        rate = self._rate(sample, prediction, near, beyond)
        drift = state.qpos[:3] - self.plan.reference.qpos[sample, :3]
        return BalanceTargets(
            com_acceleration=self.plan.com_acceleration[sample] + inputs[FORCE] / self.mass,
            momentum_rate=self.plan.momentum_rate[sample] + moment,
            foot_shift=shift,
            foot_shift_velocity=velocity,
            joint_offset=self._joint_offset(sample, prediction, drift),
            com=self._urgency(sample, prediction),
            swing=INSERTED_WEIGHT if self.inserted.swinging else self.timing.swing,
            rate=rate,
            late=self.timing.late,
        )

    def _rate(self, sample: int, prediction: Prediction, error: FloatArray, beyond: FloatArray) -> float:
        """Return the rate of the plan's clock; an inserted step has its own time."""
        if self.inserted.foot is not None:
            return 1.0
        rate = self.timing.rate(sample, error, beyond, self.shift)
        both = self.plan.schedule.stands[sample].all() and len(prediction.points) >= LEAST_POINTS
        held = bool(both) and self.inserted.holdable(sample, prediction)
        return min(rate, self.timing.settling_rate(sample, error, self.shift, held))

    def _urgency(self, sample: int, prediction: Prediction) -> float:
        """Return the factor of the weight of the centre of mass: over 1 for a body that is pushed over."""
        if not self.inserted.no_step_ahead[sample]:
            return 1.0
        off = float(np.linalg.norm(self.inserted.capture_error(sample, prediction, self.shift)))
        share = min(max((off - URGENT_FROM) / (URGENT_AT - URGENT_FROM), 0.0), 1.0)
        return 1.0 + (URGENT_WEIGHT - 1.0) * share

    def _joint_offset(self, sample: int, prediction: Prediction, drift: FloatArray) -> FloatArray | float:
        leg = self.inserted.joint_offset(sample, prediction, drift)
        return leg if self.heel_lowering is None else leg + self.heel_lowering.joint_offset(sample)

    def _update_feet(self, sample: int, prediction: Prediction, objects: ObjectState) -> None:
        """Read the displacements of standing feet, from which their next swings start."""
        self.inserted.update(sample, prediction, self.shift, objects)
        stands = self.plan.schedule.stands[sample].copy()
        if self.timing.late is not None:
            stands[self.timing.late] = False
        if self.heel_lowering is not None:
            off = self.inserted.capture_error(sample, prediction, self.shift) if stands.any() else np.zeros(2)
            self.heel_lowering.update(sample, off)
        if self.inserted.foot is not None:
            stands[self.inserted.foot] = False
            self.shift[self.inserted.foot] = self.inserted.shift[:2]
            self.lifted_from[self.inserted.foot] = self.inserted.shift[:2]
        actual = prediction.foot - self.plan.foot[sample]
        self.shift[stands] = self.lifted_from[stands] = actual[stands, :2]
        self.velocity[stands], self.foothold[stands] = 0.0, np.nan
        self.footholds.displacement[stands] = 0.0
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
        """Displace swinging feet towards their footholds.

        error (16): against the plan displaced by `beyond` (2) [m], the part of the error that is not fed back
        """
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
            wanted = self.footholds.on_even_ground(sample, foot, wanted, objects)
            level = self.footholds.rise(sample, foot, wanted, objects)
            self.foothold[foot] = wanted
            away = np.append(wanted - self.lifted_from[foot], level - self.level_from[foot])
            self.velocity[foot] = self.blend_rate[sample, foot] * away
            self.shift[foot] = (1.0 - blend) * self.lifted_from[foot] + blend * wanted
            self.level[foot] = (1.0 - blend) * self.level_from[foot] + blend * level


def _beyond_pull(off_path: FloatArray) -> FloatArray:
    """Return the part of an error of the path (2) beyond the largest that is fed back [m]."""
    distance = float(np.linalg.norm(off_path))
    return off_path * max(1.0 - LARGEST_PULL / distance, 0.0) if distance > 0.0 else off_path


def _displaced(error: FloatArray, offset: FloatArray) -> FloatArray:
    """Return the error (16) after the body and its feet are displaced horizontally (2) [m]."""
    result = error.copy()
    for part in (COM, *FEET):
        result[part][:2] += offset
    return result


def _swing_blends(plan: TrackingPlan) -> tuple[FloatArray, FloatArray]:
    """Return how far each swing has changed to its new foothold (T, 2), and the rate of it [1/s].

    Both are not a number while the foot stands.
    """
    stands, dt = plan.schedule.stands, plan.reference.dt
    share, pace = np.full(stands.shape, np.nan), np.full(stands.shape, np.nan)
    for foot in (0, 1):
        for start, end in true_intervals(~stands[:, foot]):
            samples = SETTLED_SHARE * (end - start)
            share[start:end, foot] = np.minimum((np.arange(end - start) + 0.5) / samples, 1.0)
            pace[start:end, foot] = 1.0 / (samples * dt)
    return smooth_step(share), smooth_step_rate(share) * pace
