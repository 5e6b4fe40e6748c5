"""Steps that the plan does not have: taken when the body would fall before the next planned one.

The capture point is where a body that moves as an inverted pendulum must step to come to rest. While it
lies above the touching points, pressure can hold the body. Once it has left them, against the plan and
with no planned step near, the foot that it is moving away from goes there and stands.

Before a planned step a step must come in time: when the capture point is further off than pressure and that
step can bring back. The foot that will stand goes, if it can land before the other one is lifted; else the
planned step itself is taken early.

A foot that a step has left far from its place beside the other one is lifted sooner than planned, where
the plan's own swing is too short for the way: a boxer's takes 0.1 s.
"""

from __future__ import annotations

import numpy as np

from ...base.conventions import GRAVITY, BoolArray, FloatArray, IntArray
from ...base.intervals import smooth_step, true_intervals
from ...world.ground import NO_OBJECTS, ObjectState
from ..tracking.plan import TrackingPlan
from ..tracking.prediction import Prediction
from .capture_region import DEFAULT_TRIGGER, CaptureRegion, StepTrigger
from .footholds import Footholds

SWING_S = 0.35
"""How long an inserted step takes [s]."""
AHEAD_S = 0.6
"""A planned step that is further ahead than this is not waited for [s]."""
LANDED_S = 0.05
"""A foot must have landed this long before the plan lifts the other one [s]."""
REST_S = 0.15
"""Least time between two inserted steps [s]."""
EDGE = 0.02
"""Standard deviation of points on a line, across it [m]."""
CLEARANCE = 0.1
"""How high the foot is lifted [m]; a leg that starts stretched gets half of it, and one that goes home."""
SETTLED = 0.75
"""Share of the swing after which the foot is over its new place."""
STRETCHED = 0.1
"""A leg that reaches less than this along a direction for a radian is stretched [m]."""
FAR, PACE = 0.1, 1.0
"""A foot has far to go when it stands further than this from its place beside the other one [m]; it is lifted
sooner where the planned swing would have to be faster than this [m/s]."""
HOLDS = 0.2
"""The other foot can hold the body until then if that will be no further off the plan over it [m]."""
TOUCHING = 0.01
"""A foot this near to the ground at the end of its swing stands [m]..."""
LAST = 0.85
"""...the end being what comes after this share of it."""
LATE_DESCENT = 0.5
"""How fast a foot that is late goes on down until it meets the ground [m/s]."""


class InsertedSteps:
    """At most one foot at a time is off the plan.

    foot: which, or None; shift (3) [m], velocity (3) [m/s]: where it should be and how fast, against the plan
    landed: it stands, although the plan may have it in the air
    lasts: samples from lifting to landing; home: it goes back to where the plan has it beside the body
    moved (2): feet that such a step has put elsewhere, until the plan lifts them
    """

    def __init__(
        self,
        plan: TrackingPlan,
        region: CaptureRegion,
        footholds: Footholds | None = None,
        trigger: StepTrigger = DEFAULT_TRIGGER,
    ) -> None:
        """footholds: None for a flat floor"""
        self.plan, self.region, self.footholds, self.trigger = plan, region, footholds, trigger
        self.foot: int | None = None
        self.landed = False
        self.moved: BoolArray = np.zeros(2, dtype=bool)
        self.shift: FloatArray = np.zeros(3)
        self.velocity: FloatArray = np.zeros(3)
        self.lifted_from: FloatArray = np.zeros(3)
        self.started = -len(plan)
        self.swing = self.lasts = round(SWING_S / plan.reference.dt)
        self.home = False
        self.ahead = round(AHEAD_S / plan.reference.dt)
        self.quiet = _quiet(plan, self.ahead)
        self.lifting = _lifting(plan, self.ahead)

    @property
    def swinging(self) -> bool:
        return self.foot is not None and not self.landed

    def touches(self, sample: int) -> BoolArray:
        """What should rest on the ground (K)."""
        planned = np.asarray(self.plan.schedule.touches[sample])
        if self.foot is None:
            return planned
        mine = self.plan.schedule.foot == self.foot
        if not self.landed:
            return planned & ~mine
        return planned if planned[mine].any() else planned | mine

    def follow(
        self, sample: int, prediction: Prediction, shift: FloatArray, objects: ObjectState = NO_OBJECTS
    ) -> None:
        """Begins, goes on with or ends a step; shift (2, 2): of both feet against the plan."""
        if self.foot is None:
            self.foot = self._begin(sample, prediction, shift)
        elif self._over(self.foot, sample):
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
        """Angles (nv) by which legs reach where feet are, against the plan; drift (3): of the pelvis [m].

        Also after the step: a posture that insists on the planned stride tears standing feet off the ground.
        """
        if not self.moved.any():
            return 0.0
        offset = np.zeros(prediction.foot_jacobian.shape[-1])
        for foot in np.flatnonzero(self.moved | self.plan.schedule.stands[sample]).tolist():
            there = prediction.foot[foot] - self.plan.foot[sample, foot]
            way = (self.shift if foot == self.foot else there) - drift
            leg = prediction.foot_jacobian[foot, :, 6:]
            # A stretched leg cannot reach along itself; damping keeps its angles small.
            normal = leg @ leg.T + STRETCHED**2 * np.eye(3)
            offset[6:] += leg.T @ np.linalg.solve(normal, way)
        return offset

    def capture_error(self, sample: int, prediction: Prediction, shift: FloatArray) -> FloatArray:
        """How far the capture point is from its plan (2), beside what standing feet are off by [m]."""
        moved = shift[self.plan.schedule.stands[sample]].mean(axis=0)
        return np.asarray(self._capture(sample, prediction) - self._planned_capture(sample) - moved)

    def _begin(self, sample: int, prediction: Prediction, shift: FloatArray) -> int | None:
        """The foot that has to go now, if one has to."""
        rested = sample - self.started > self.swing + round(REST_S / self.plan.reference.dt)
        if not rested or len(prediction.points) == 0:
            return None
        foot = self._late_foot(sample, prediction, shift) if self.quiet[sample] else None
        home = None
        if self.lifting[sample].any():
            foot = self._early_foot(sample, prediction, shift)
            home = self._far_foot(sample, prediction, shift) if foot is None else None
        foot = home if foot is None else foot
        if foot is not None:
            self.home = home is not None
            self.lasts = int(self.region.touchdown[sample]) - sample if self.home else self.swing
            self.lifted_from = prediction.foot[foot] - self.plan.foot[sample, foot]
            self.shift, self.landed, self.started = self.lifted_from, False, sample
        return foot

    def _late_foot(self, sample: int, prediction: Prediction, shift: FloatArray) -> int | None:
        """Where no step is near: once the capture point is out of reach of pressure, off the plan."""
        points = prediction.points[:, :2]
        capture = self._capture(sample, prediction)
        away = capture - points.mean(axis=0)
        spread = np.cov(points.T, bias=True) + EDGE**2 * np.eye(2)
        outside = away @ np.linalg.solve(spread, away) > self.trigger.deviations**2
        if (
            not outside
            or np.linalg.norm(self.capture_error(sample, prediction, shift)) <= self.trigger.capture_error
        ):
            return None
        free = np.flatnonzero(~self.plan.schedule.stands[sample])
        far = np.linalg.norm(prediction.foot[:, :2] - capture, axis=1)
        return int(free[0] if len(free) else np.argmax(far))

    def _early_foot(self, sample: int, prediction: Prediction, shift: FloatArray) -> int | None:
        """On two feet, before the plan lifts one: once the capture point is further off than can be held."""
        lift = int(self.lifting[sample].max())
        stepping = int(np.argmax(self.lifting[sample]))
        in_time = lift > self.swing + round(LANDED_S / self.plan.reference.dt)
        if not in_time and self.region.touchdown[sample] - sample <= self.ahead:
            return None
        moved = shift.mean(axis=0)
        off = self.capture_error(sample, prediction, shift)
        size = float(np.linalg.norm(off))
        if size <= self.trigger.capture_error:
            return None
        held = self.region.extent(sample, off / size, shift - moved, self._rate(sample))
        if size <= self.trigger.margin * held:
            return None
        return 1 - stepping if in_time else stepping

    def _far_foot(self, sample: int, prediction: Prediction, shift: FloatArray) -> int | None:
        """On two feet, before the plan lifts one: that one, once its way takes longer than is left for it."""
        foot, landing = int(np.argmax(self.lifting[sample])), int(self.region.touchdown[sample])
        left_s = (landing - sample) * self.plan.reference.dt
        way = float(np.linalg.norm(shift[foot] - shift[1 - foot]))
        if landing == len(self.plan) or way < max(FAR, PACE * left_s):
            return None
        off = self._beside_body(sample, prediction, foot, left_s) - shift[1 - foot]
        return foot if float(np.linalg.norm(off)) <= HOLDS else None

    def _swing(self, foot: int, sample: int, prediction: Prediction, objects: ObjectState) -> None:
        """The way of the foot: up, over and down; it ends when the foot is on the ground."""
        plan, before = self.plan, self.shift
        phase = (sample - self.started + 1) / self.lasts
        mine = plan.schedule.foot == foot
        above = plan.support_points[sample, mine, 2].min() - self._ground(sample)
        blend = smooth_step(phase / SETTLED)
        left_s = max(1.0 - phase, 0.0) * self.lasts * plan.reference.dt
        place = self._home_place if self.home else self._place
        target = place(sample, prediction, foot, left_s)
        if self.footholds is not None:
            below = plan.foot[sample, foot] + [*target, 0.0]
            above -= self.footholds.above(below, self._ground(sample), objects)
        lift = (0.5 if self.home else 1.0) * CLEARANCE * np.sin(np.pi * min(phase, 1.0))
        self.shift = (1.0 - blend) * self.lifted_from + blend * np.array([*target, -above]) + [0.0, 0.0, lift]
        if phase > 1.0:
            # It is late: the ground may be lower, or the body higher, than was thought.
            late_s = (phase - 1.0) * self.lasts * plan.reference.dt
            self.shift = np.array([*before[:2], -above - LATE_DESCENT * late_s])
        self.velocity = (self.shift - before) / plan.reference.dt
        low = (prediction.foot[foot] - plan.foot[sample, foot])[2] + above < TOUCHING
        self.landed = bool(phase >= LAST and low)

    def _place(self, sample: int, prediction: Prediction, foot: int, left_s: float) -> FloatArray:
        """Against the plan (2): the sole's middle where the capture point will be at touchdown."""
        plan, stance = self.plan, prediction.foot[1 - foot, :2]
        capture = self._capture(sample, prediction)
        moved = stance - plan.foot[sample, 1 - foot, :2]
        sole = plan.support_points[sample, plan.schedule.foot == 1 - foot, :2] + moved
        # Pressure goes to the edge of the sole that stands, and the capture point runs away from it.
        direction = (capture - sole.mean(axis=0)) / np.linalg.norm(capture - sole.mean(axis=0))
        edge = sole.mean(axis=0) + direction * ((sole - sole.mean(axis=0)) @ direction).max()
        capture = edge + (capture - edge) * np.exp(self._rate(sample) * left_s)
        middle = plan.support_points[sample, plan.schedule.foot == foot, :2].mean(axis=0)
        planned = plan.foot[sample, foot, :2]
        away = planned + capture - middle - stance
        return np.asarray(
            stance + away * min(1.0, self.trigger.reach / float(np.linalg.norm(away))) - planned
        )

    def _home_place(self, sample: int, prediction: Prediction, foot: int, left_s: float) -> FloatArray:
        """Against the plan (2): beside the body, no further off than the other foot could have held it."""
        moved = prediction.foot[1 - foot, :2] - self.plan.foot[sample, 1 - foot, :2]
        off = self._beside_body(sample, prediction, foot, left_s) - moved
        return np.asarray(moved + off * min(1.0, HOLDS / max(float(np.linalg.norm(off)), HOLDS)))

    def _beside_body(self, sample: int, prediction: Prediction, foot: int, left_s: float) -> FloatArray:
        """Against the plan (2): what the capture point will be off by when the foot lands.

        Pressure is then where under the other foot it brings the body nearest to its place over that one.
        """
        plan, stance = self.plan, prediction.foot[1 - foot, :2]
        landing = min(sample + round(left_s / plan.reference.dt), len(plan) - 1)
        moved = stance - plan.foot[sample, 1 - foot, :2]
        sole = plan.support_points[sample, plan.schedule.foot == 1 - foot, :2] + moved
        pressure = np.vstack([sole, sole.mean(axis=0)])
        growth = np.exp(self._rate(sample) * left_s)
        capture = pressure + growth * (self._capture(sample, prediction) - pressure)
        off = capture - self._planned_capture(landing)
        return np.asarray(off[np.argmin(np.linalg.norm(off - moved, axis=1))])

    def _over(self, foot: int, sample: int) -> bool:
        """The plan itself has the foot stand where it landed, or lifts the other one."""
        stands = self.plan.schedule.stands[sample]
        return bool((self.landed and stands[foot]) or not stands[1 - foot])

    def _ground(self, sample: int) -> float:
        return float(self.plan.support_points[sample, self.plan.schedule.touches[sample], 2].min())

    def _rate(self, sample: int) -> float:
        """Of a pendulum as high as the planned body [1/s]."""
        return float(np.sqrt(GRAVITY / (self.plan.com[sample, 2] - self._ground(sample))))

    def _capture(self, sample: int, prediction: Prediction) -> FloatArray:
        return (prediction.com + prediction.com_velocity / self._rate(sample))[:2]

    def _planned_capture(self, sample: int) -> FloatArray:
        return np.asarray(self.plan.com[sample] + self.plan.com_velocity[sample] / self._rate(sample))[:2]


def _quiet(plan: TrackingPlan, ahead: int) -> BoolArray:
    """(T): the feet alone carry the body, and none steps or lifts within the next samples."""
    stands = plan.schedule.stands
    changes = np.zeros(len(plan), dtype=bool)
    changes[1:] = (stands[1:] != stands[:-1]).any(axis=1)
    until = np.cumsum(np.concatenate([[0], changes]))
    end = np.minimum(np.arange(len(plan)) + ahead, len(plan) - 1)
    return np.asarray(_on_feet(plan) & (until[end + 1] == until[np.arange(len(plan)) + 1]))


def _on_feet(plan: TrackingPlan) -> BoolArray:
    """(T): the feet alone carry the body."""
    resting = plan.schedule.touches[:, plan.schedule.foot < 0].any(axis=1)
    return np.asarray(plan.schedule.stands.any(axis=1) & ~resting)


def _lifting(plan: TrackingPlan, ahead: int) -> IntArray:
    """(T, 2): in how many samples the plan lifts the foot, while both carry the body; 0 if it does not soon.

    Only steps count: the other foot carries the body until this one is down again.
    """
    stands, on_feet = plan.schedule.stands, _on_feet(plan)
    lifting = np.zeros((len(plan), 2), dtype=int)
    for foot in (0, 1):
        held = on_feet & stands[:, 1 - foot]
        for lift, landing in true_intervals(~stands[:, foot]):
            both = held[:lift] & stands[:lift, foot]
            first = max(lift - ahead, lift - int(np.argmin(np.append(both[::-1], False))))
            if held[lift:landing].all():
                lifting[first:lift, foot] = lift - np.arange(first, lift)
    return lifting
