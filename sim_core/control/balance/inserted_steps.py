"""Inserts steps that the plan does not have, where the body would fall before the next planned one.

The capture point is where a body that moves as an inverted pendulum must step to come to rest. While it lies
above the touching points, pressure can hold the body. Three kinds of steps are inserted:

- A reactive step: the capture point has left the touching points, against the plan, and no planned step is
  near. The foot that it moves away from goes there and stands. Points that the plan puts down sooner than a
  step would land count as touching.
- A preemptive step: a planned step is near, but the error of the capture point is larger than pressure and
  that step can bring back. The foot that will stand goes, if it can land before the other one is lifted; else
  the planned step itself is taken early.
- A returning step: an earlier step has left a foot far from its planned position relative to the other one,
  and the plan's own swing is too short for the distance (a boxer's takes 0.1 s). The foot is lifted sooner.
"""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ...base.conventions import GRAVITY, BoolArray, FloatArray, IntArray
from ...base.intervals import smooth_step, true_intervals
from ...world.ground import NO_OBJECTS, ObjectState
from ..handing_over import HandingOver
from ..tracking.plan import TrackingPlan
from ..tracking.prediction import Prediction
from .capture_region import DEFAULT_TRIGGER, CaptureRegion, StepTrigger
from .footholds import Footholds

SWING_S = 0.35
"""Duration of an inserted step [s]."""
AHEAD_S = 0.6
"""A planned step is near if it starts within this time [s]."""
LANDED_S = 0.05
"""Least time between the landing of an inserted step and the lift of the other foot [s]."""
REST_S = 0.15
"""Least time between two inserted steps [s]."""
LEAST_DEVIATION = 0.02
"""Standard deviation that is assumed across a line of touching points [m]."""
SOON_S = 0.1
"""Points of a standing foot that the plan puts down within this time count as touching [s]."""
CLEARANCE = 0.1
"""Height of a swing [m]; a returning step has half of it."""
SETTLED_SHARE = 0.75
"""Share of the swing after which the foot is over its new foothold."""
LOWEST_M = 0.1
"""Lowest pendulum that a body is taken for; one that lies may sink below its contacts [m]."""
LEAST_LEVER = 0.1
"""A leg whose foot moves less than this along a direction for a radian cannot reach along it [m]."""
RETURN_DISTANCE, SWING_SPEED = 0.1, 2.0
"""A step returns a foot that is further than this from its planned position relative to the other one [m],
where the planned swing would have to be faster than this [m/s]."""
HOLDABLE = 0.2
"""Largest error of the capture point at landing, over the other foot, that this foot can hold [m]."""
LANDING_HEIGHT = 0.01
"""A foot lands when it is nearer than this to the ground [m]..."""
LANDING_PHASE = 0.85
"""...after this share of its swing."""
LATE_DESCENT = 0.5
"""Velocity at which a foot that has not landed in time goes on down [m/s]."""


class InsertedSteps:
    """The inserted step of at most one foot at a time.

    foot: its index, or None; landed: it stands, although it may be in the air in the plan
    shift (3) [m], velocity (3) [m/s]: displacement of the foot from the plan, and its rate
    duration: samples from lift to landing; returning: whether the step is a returning one
    moved (2): feet that an inserted step has displaced, until the plan lifts them
    ground (T): planned height of the lowest touching point [m], infinite where nothing touches
    rate (T): of an inverted pendulum as high as the planned body, sqrt(g / height) [1/s]
    planned_capture (T, 2): capture point of the plan [m]
    lands_soon (T, K): points of standing feet that do not touch yet, but soon
    """

    def __init__(
        self,
        plan: TrackingPlan,
        region: CaptureRegion,
        footholds: Footholds | None = None,
        trigger: StepTrigger = DEFAULT_TRIGGER,
    ) -> None:
        """Start without a step; footholds: None for a flat floor."""
        self.plan, self.region, self.footholds, self.trigger = plan, region, footholds, trigger
        self.foot: int | None = None
        self.landed = False
        self.moved: BoolArray = np.zeros(2, dtype=bool)
        self.shift: FloatArray = np.zeros(3)
        self.velocity: FloatArray = np.zeros(3)
        self.lifted_from: FloatArray = np.zeros(3)
        self.started = -len(plan)
        self.swing = self.duration = round(SWING_S / plan.reference.dt)
        self.returning = False
        self.ahead = round(AHEAD_S / plan.reference.dt)
        self.no_step_ahead = _no_step_ahead(plan, self.ahead)
        self.lift_in = _samples_to_lift(plan, self.ahead)
        self.lands_soon = _lands_soon(plan, round(SOON_S / plan.reference.dt))
        touching = np.where(plan.schedule.touches, plan.support_points[..., 2], np.inf)
        self.ground = touching.min(axis=1, initial=np.inf)
        self.rate = np.sqrt(GRAVITY / np.maximum(plan.com[:, 2] - self.ground, LOWEST_M))
        self.planned_capture = (plan.com + plan.com_velocity / self.rate[:, None])[:, :2]

    def continue_from(self, earlier: InsertedSteps, change: HandingOver, gap: FloatArray) -> None:
        """Go on with an earlier plan's step; gap (2, 3): from this plan's feet to those of that one [m]."""
        self.foot, self.landed, self.moved = earlier.foot, earlier.landed, earlier.moved.copy()
        away = np.zeros(3) if self.foot is None else gap[self.foot]
        self.shift = change.vectors(earlier.shift) + away
        self.lifted_from = change.vectors(earlier.lifted_from) + away
        self.velocity = change.vectors(earlier.velocity)
        self.duration, self.returning = earlier.duration, earlier.returning
        self.started = earlier.started - change.moved

    @property
    def swinging(self) -> bool:
        """Whether an inserted step is in the air."""
        return self.foot is not None and not self.landed

    def touches(self, sample: int) -> BoolArray:
        """Return which points (K) should touch."""
        planned = np.asarray(self.plan.schedule.touches[sample])
        if self.foot is None:
            return planned
        mine = self.plan.schedule.foot == self.foot
        if not self.landed:
            return planned & ~mine
        return planned if planned[mine].any() else planned | mine

    def update(
        self, sample: int, prediction: Prediction, shift: FloatArray, objects: ObjectState = NO_OBJECTS
    ) -> None:
        """Begin, continue or end a step; shift (2, 2): displacement of both feet from the plan [m]."""
        if self.foot is None:
            self.foot = self._choose_foot(sample, prediction, shift)
        elif self._is_finished(self.foot, sample):
            self.foot = None
        self.moved = self.plan.schedule.stands[sample] & self.moved
        if self.foot is not None:
            self.moved[self.foot] = True
        if self.foot is not None and not self.landed:
            self._swing(self.foot, sample, prediction, objects)
        elif self.foot is not None:
            self.shift = prediction.foot[self.foot] - self.plan.foot[sample, self.foot]
            self.velocity = np.zeros(3)

    def joint_offset(self, sample: int, prediction: Prediction, drift: FloatArray) -> FloatArray | float:
        """Return joint angles (nv) by which legs reach their displaced feet; drift (3): of the pelvis [m].

        They are needed after the step, too: the planned stride would pull standing feet off the ground.
        """
        if not self.moved.any():
            return 0.0
        offset = np.zeros(prediction.foot_jacobian.shape[-1])
        for foot in np.flatnonzero(self.moved | self.plan.schedule.stands[sample]).tolist():
            there = prediction.foot[foot] - self.plan.foot[sample, foot]
            reach = (self.shift if foot == self.foot else there) - drift
            leg = prediction.foot_jacobian[foot, :, 6:]
            # A straight leg cannot reach along itself; damped least squares keep its angles small.
            normal = leg @ leg.T + LEAST_LEVER**2 * np.eye(3)
            offset[6:] += leg.T @ np.linalg.solve(normal, reach)
        return offset

    def capture_error(self, sample: int, prediction: Prediction, shift: FloatArray) -> FloatArray:
        """Return the error of the capture point (2), relative to the displaced standing feet [m]."""
        stands = self.plan.schedule.stands[sample]
        moved = shift[stands].sum(axis=0) / np.count_nonzero(stands)
        return np.asarray(self._capture(sample, prediction) - self.planned_capture[sample] - moved)

    def holdable(self, sample: int, prediction: Prediction) -> bool:
        """Return whether the capture point lies above the touching points, so that pressure can hold it."""
        points = np.concatenate([prediction.points[:, :2], self._landing_points(sample, prediction)])
        away = self._capture(sample, prediction) - points.mean(axis=0)
        spread = np.cov(points.T, bias=True) + LEAST_DEVIATION**2 * np.eye(2)
        return bool(away @ np.linalg.solve(spread, away) <= self.trigger.deviations**2)

    def _landing_points(self, sample: int, prediction: Prediction) -> FloatArray:
        """Return points (P, 2) that land soon, of feet that are as low as planned [m]."""
        moved, foot = prediction.foot - self.plan.foot[sample], self.plan.schedule.foot
        lands = self.lands_soon[sample] & (moved[foot, 2] < LANDING_HEIGHT)
        return np.asarray(self.plan.support_points[sample, lands, :2] + moved[foot[lands], :2])

    def _choose_foot(self, sample: int, prediction: Prediction, shift: FloatArray) -> int | None:
        """Return the foot that has to step now, or None, and begin its step."""
        rested = sample - self.started > self.swing + round(REST_S / self.plan.reference.dt)
        if not rested or len(prediction.points) == 0:
            return None
        foot = self._reactive_foot(sample, prediction, shift) if self.no_step_ahead[sample] else None
        returning = None
        if self.lift_in[sample].any():
            foot = self._preemptive_foot(sample, prediction, shift)
            returning = self._returning_foot(sample, prediction, shift) if foot is None else None
        foot = returning if foot is None else foot
        if foot is not None:
            self.returning = returning is not None
            self.duration = int(self.region.touchdown[sample]) - sample if self.returning else self.swing
            self.lifted_from = prediction.foot[foot] - self.plan.foot[sample, foot]
            self.shift, self.landed, self.started = self.lifted_from, False, sample
        return foot

    def _reactive_foot(self, sample: int, prediction: Prediction, shift: FloatArray) -> int | None:
        """Return the foot of a reactive step, or None."""
        if self.holdable(sample, prediction) or (
            np.linalg.norm(self.capture_error(sample, prediction, shift)) <= self.trigger.capture_error
        ):
            return None
        capture = self._capture(sample, prediction)
        free = np.flatnonzero(~self.plan.schedule.stands[sample])
        far = np.linalg.norm(prediction.foot[:, :2] - capture, axis=1)
        return int(free[0] if len(free) else np.argmax(far))

    def _preemptive_foot(self, sample: int, prediction: Prediction, shift: FloatArray) -> int | None:
        """Return the foot of a preemptive step, or None; both feet stand, and the plan lifts one soon."""
        lift = int(self.lift_in[sample].max())
        stepping = int(np.argmax(self.lift_in[sample]))
        in_time = lift > self.swing + round(LANDED_S / self.plan.reference.dt)
        if not in_time and self.region.touchdown[sample] - sample <= self.ahead:
            return None
        moved = shift.mean(axis=0)
        off = self.capture_error(sample, prediction, shift)
        size = float(np.linalg.norm(off))
        if size <= self.trigger.capture_error:
            return None
        held = self.region.extent(sample, off / size, shift - moved, float(self.rate[sample]))
        if size <= self.trigger.margin * held:
            return None
        return 1 - stepping if in_time else stepping

    def _returning_foot(self, sample: int, prediction: Prediction, shift: FloatArray) -> int | None:
        """Return the foot of a returning step, or None; both feet stand, and the plan lifts one soon."""
        foot, landing = int(np.argmax(self.lift_in[sample])), int(self.region.touchdown[sample])
        left_s = (landing - sample) * self.plan.reference.dt
        distance = float(np.linalg.norm(shift[foot] - shift[1 - foot]))
        if landing == len(self.plan) or distance < max(RETURN_DISTANCE, SWING_SPEED * left_s):
            return None
        off = self._capture_error_at_landing(sample, prediction, foot, left_s) - shift[1 - foot]
        return foot if float(np.linalg.norm(off)) <= HOLDABLE else None

    def _swing(self, foot: int, sample: int, prediction: Prediction, objects: ObjectState) -> None:
        """Move the foot along its swing, up, over and down, until it is on the ground."""
        plan, before = self.plan, self.shift
        phase = (sample - self.started + 1) / self.duration
        mine = plan.schedule.foot == foot
        above = plan.support_points[sample, mine, 2].min() - self.ground[sample]
        blend = smooth_step(phase / SETTLED_SHARE)
        left_s = max(1.0 - phase, 0.0) * self.duration * plan.reference.dt
        foothold = self._return_target if self.returning else self._capture_target
        target = foothold(sample, prediction, foot, left_s)
        if self.footholds is not None:
            below = plan.foot[sample, foot] + [*target, 0.0]
            above -= self.footholds.above(below, float(self.ground[sample]), objects)
        lift = (0.5 if self.returning else 1.0) * CLEARANCE * np.sin(np.pi * min(phase, 1.0))
        self.shift = (1.0 - blend) * self.lifted_from + blend * np.array([*target, -above]) + [0.0, 0.0, lift]
        if phase > 1.0:
            # It is late: the ground is lower, or the body higher, than expected.
            late_s = (phase - 1.0) * self.duration * plan.reference.dt
            self.shift = np.array([*before[:2], -above - LATE_DESCENT * late_s])
        self.velocity = (self.shift - before) / plan.reference.dt
        low = (prediction.foot[foot] - plan.foot[sample, foot])[2] + above < LANDING_HEIGHT
        self.landed = bool(phase >= LANDING_PHASE and low)

    def _capture_target(self, sample: int, prediction: Prediction, foot: int, left_s: float) -> FloatArray:
        """Return the displacement (2) that puts the sole's middle on the capture point at touchdown [m]."""
        plan, stance = self.plan, prediction.foot[1 - foot, :2]
        capture = self._capture(sample, prediction)
        moved = stance - plan.foot[sample, 1 - foot, :2]
        sole = plan.support_points[sample, plan.schedule.foot == 1 - foot, :2] + moved
        # Pressure goes to the edge of the sole that stands, and the capture point diverges from it.
        direction = (capture - sole.mean(axis=0)) / np.linalg.norm(capture - sole.mean(axis=0))
        edge = sole.mean(axis=0) + direction * ((sole - sole.mean(axis=0)) @ direction).max()
        capture = edge + (capture - edge) * np.exp(self.rate[sample] * left_s)
        middle = plan.support_points[sample, plan.schedule.foot == foot, :2].mean(axis=0)
        planned = plan.foot[sample, foot, :2]
        away = planned + capture - middle - stance
        return np.asarray(
            stance + away * min(1.0, self.trigger.reach / float(np.linalg.norm(away))) - planned
        )

    def _return_target(self, sample: int, prediction: Prediction, foot: int, left_s: float) -> FloatArray:
        """Return the displacement (2) of a returning foot: that of the body, within limits [m]."""
        moved = prediction.foot[1 - foot, :2] - self.plan.foot[sample, 1 - foot, :2]
        off = self._capture_error_at_landing(sample, prediction, foot, left_s) - moved
        return np.asarray(moved + off * min(1.0, HOLDABLE / max(float(np.linalg.norm(off)), HOLDABLE)))

    def _capture_error_at_landing(
        self, sample: int, prediction: Prediction, foot: int, left_s: float
    ) -> FloatArray:
        """Return the error of the capture point (2) when the foot lands [m].

        The pressure until then is where, under the other foot, it makes the error over that foot smallest.
        """
        plan, stance = self.plan, prediction.foot[1 - foot, :2]
        landing = min(sample + round(left_s / plan.reference.dt), len(plan) - 1)
        moved = stance - plan.foot[sample, 1 - foot, :2]
        sole = plan.support_points[sample, plan.schedule.foot == 1 - foot, :2] + moved
        pressure = np.vstack([sole, sole.mean(axis=0)])
        growth = np.exp(self.rate[sample] * left_s)
        capture = pressure + growth * (self._capture(sample, prediction) - pressure)
        off = capture - self.planned_capture[landing]
        return np.asarray(off[np.argmin(np.linalg.norm(off - moved, axis=1))])

    def _is_finished(self, foot: int, sample: int) -> bool:
        """Return whether the plan has taken over: its foot stands, too, or it lifts the other one."""
        stands = self.plan.schedule.stands[sample]
        return bool((self.landed and stands[foot]) or not stands[1 - foot])

    def _capture(self, sample: int, prediction: Prediction) -> FloatArray:
        """Return the capture point (2) [m]."""
        return np.asarray((prediction.com + prediction.com_velocity / self.rate[sample])[:2])


def _lands_soon(plan: TrackingPlan, soon: int) -> BoolArray:
    """Return which points (T, K) of feet that stand do not touch yet, but do within some samples."""
    touches, foot = plan.schedule.touches, plan.schedule.foot
    later = np.concatenate([touches, np.repeat(touches[-1:], soon, axis=0)])
    within = sliding_window_view(later, soon + 1, axis=0).any(axis=-1)
    return np.asarray(within & ~touches & (foot >= 0) & plan.schedule.stands[:, foot])


def _no_step_ahead(plan: TrackingPlan, ahead: int) -> BoolArray:
    """Return when (T) only the feet carry the body, and neither is lifted nor lands within some samples."""
    stands = plan.schedule.stands
    changes = np.zeros(len(plan), dtype=bool)
    changes[1:] = (stands[1:] != stands[:-1]).any(axis=1)
    until = np.cumsum(np.concatenate([[0], changes]))
    end = np.minimum(np.arange(len(plan)) + ahead, len(plan) - 1)
    return np.asarray(_on_feet(plan) & (until[end + 1] == until[np.arange(len(plan)) + 1]))


def _on_feet(plan: TrackingPlan) -> BoolArray:
    """Return when (T) only the feet carry the body."""
    resting = plan.schedule.touches[:, plan.schedule.foot < 0].any(axis=1)
    return np.asarray(plan.schedule.stands.any(axis=1) & ~resting)


def _samples_to_lift(plan: TrackingPlan, ahead: int) -> IntArray:
    """Return in how many samples the plan lifts each foot (T, 2); 0 where it does not lift it soon.

    Both feet carry the body until then, and the other one carries it until this one has landed.
    """
    stands, on_feet = plan.schedule.stands, _on_feet(plan)
    lift_in = np.zeros((len(plan), 2), dtype=int)
    for foot in (0, 1):
        held = on_feet & stands[:, 1 - foot]
        for lift, landing in true_intervals(~stands[:, foot]):
            both = held[:lift] & stands[:lift, foot]
            first = max(lift - ahead, lift - int(np.argmin(np.append(both[::-1], False))))
            if held[lift:landing].all():
                lift_in[first:lift, foot] = lift - np.arange(first, lift)
    return lift_in
