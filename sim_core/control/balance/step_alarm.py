"""When a body that is off its plan takes a step.

How far off the plan the body may be and still come back, by pressure and by the plan's next step.

A body that moves as an inverted pendulum runs away from its centre of pressure. What its capture point is
off by grows as e' = rate (e - d), d being what the centre of pressure is off by. d ends at the edge of the
soles that stand, and only the next touchdown can put a sole elsewhere. So an error can be held while

    e(0) < integral of rate d_max(t) exp(-rate t) dt + exp(-rate T) (sole + step),

T being the time of that touchdown (the one-step capture region of Koolen et al. 2012, along a plan).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...base.conventions import FloatArray
from ..tracking.plan import TrackingPlan


@dataclass(frozen=True)
class Alarm:
    """What calls for a step that was not planned.

    off_plan [m]: the capture point is further than this from where it should be, and
    outside: further from the middle of the touching points, in standard deviations of those
    sure: before a planned step, share of what can be held at best that is counted on
    reach [m]: a foot is not put further from the one that stands, nor a planned step further off its place
    """

    off_plan: float = 0.06
    outside: float = 1.5
    sure: float = 0.9
    reach: float = 0.6

    def after(self, patience: float) -> Alarm:
        """Steps come later with more patience; 1 changes nothing."""
        return Alarm(self.off_plan * patience, self.outside * patience, self.sure * patience, self.reach)


STEP = 0.3
"""A planned step can be put this far from its place, as seen from the foot that stands then [m]."""
NOWHERE = -1.0
"""Room of a foot that is in the air [m]: less than any that stands has."""


class Reserve:
    """centre (T, 2): planned centre of pressure; touchdown (T): sample of the next one, T if none is left."""

    def __init__(self, plan: TrackingPlan, centre: FloatArray) -> None:
        self.plan, self.centre = plan, centre[:, :2]
        stands = plan.schedule.stands
        lands = np.zeros(len(plan), dtype=bool)
        lands[1:] = (stands[1:] & ~stands[:-1]).any(axis=1)
        coming = np.where(lands, np.arange(len(plan)), len(plan))
        self.touchdown = np.append(np.minimum.accumulate(coming[::-1])[::-1][1:], len(plan))

    def along(self, sample: int, direction: FloatArray, shift: FloatArray, rate: float) -> float:
        """The largest error of the capture point along a direction (2) that can be held [m].

        shift (2, 2): of the feet against the plan; rate: of the pendulum [1/s]
        """
        end = int(self.touchdown[sample])
        left = np.exp(-rate * self.plan.reference.dt * np.arange(end - sample + 1))
        room = self._room(slice(sample, end), direction, shift)
        held = float((left[:-1] - left[1:]) @ room)
        return held + float(left[-1]) * (
            room[-1] if end == len(self.plan) else self._step(end, direction, shift)
        )

    def _room(self, span: slice, direction: FloatArray, shift: FloatArray) -> FloatArray:
        """How far pressure can go from its plan (n) [m]."""
        plan, feet = self.plan, self.plan.schedule.foot >= 0
        foot = plan.schedule.foot[feet]
        points = plan.support_points[span][:, feet, :2] + shift[foot]
        way = (points - self.centre[span, None]) @ direction
        return np.asarray(np.where(plan.schedule.stands[span][:, foot], way, NOWHERE).max(axis=1))

    def _step(self, landing: int, direction: FloatArray, shift: FloatArray) -> float:
        """How far it can go when the foot that lands has been put as far as it may [m]."""
        plan, stands = self.plan, self.plan.schedule.stands
        foot = int(np.argmax(stands[landing] & ~stands[landing - 1]))
        sole = plan.support_points[landing, plan.schedule.foot == foot, :2] - self.centre[landing]
        return float((sole @ direction).max() + STEP + shift[1 - foot] @ direction)
