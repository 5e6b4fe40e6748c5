"""Decides when an error of balance calls for a step that is not planned.

A body that moves as an inverted pendulum diverges from its centre of pressure. Let e be the error of its
capture point against the plan and d the displacement of the centre of pressure from its plan. Then
e' = rate (e - d). The displacement d is limited by the edges of the standing soles, and only the next
touchdown can put a sole elsewhere. So an error can be brought back while

    e(0) < integral of rate d_max(t) exp(-rate t) dt + exp(-rate T) (sole + step),

where T is the time of that touchdown (the one-step capture region of Koolen et al. 2012, along a plan).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...base.conventions import FloatArray
from ..tracking.plan import TrackingPlan


@dataclass(frozen=True)
class StepTrigger:
    """Thresholds beyond which a step is taken that is not planned.

    capture_error: distance of the capture point from its plan [m]
    deviations: distance of the capture point from the mean of the touching points, in standard deviations
    of those points; both thresholds must be exceeded where no planned step is near
    margin: before a planned step, the share of the capture region that is relied on
    reach: limit of the distance between a stepping and a standing foot, and of a planned step's shift [m]
    """

    capture_error: float = 0.06
    deviations: float = 1.5
    margin: float = 0.9
    reach: float = 0.6

    def scaled(self, factor: float) -> StepTrigger:
        """Return thresholds times a factor; steps come later when it is above 1."""
        return StepTrigger(
            self.capture_error * factor, self.deviations * factor, self.margin * factor, self.reach
        )


DEFAULT_TRIGGER = StepTrigger()
STEP = 0.3
"""A planned step can be shifted this far, relative to the foot that stands at that time [m]."""
NO_SUPPORT = -1.0
"""Pressure range of a foot in the air [m]: less than that of any foot that stands."""


class CaptureRegion:
    """Errors of the capture point that pressure and the next planned step can bring back.

    centre (T, 2): planned centre of pressure [m]
    touchdown (T): sample of the next touchdown, T if there is none
    """

    def __init__(self, plan: TrackingPlan, centre: FloatArray) -> None:
        self.plan, self.centre = plan, centre[:, :2]
        stands = plan.schedule.stands
        lands = np.zeros(len(plan), dtype=bool)
        lands[1:] = (stands[1:] & ~stands[:-1]).any(axis=1)
        coming = np.where(lands, np.arange(len(plan)), len(plan))
        self.touchdown = np.append(np.minimum.accumulate(coming[::-1])[::-1][1:], len(plan))

    def extent(self, sample: int, direction: FloatArray, shift: FloatArray, rate: float) -> float:
        """Return the largest error of the capture point along a direction (2) that can be brought back [m].

        shift (2, 2): displacement of the feet from the plan [m]; rate: of the pendulum [1/s]
        """
        end = int(self.touchdown[sample])
        left = np.exp(-rate * self.plan.reference.dt * np.arange(end - sample + 1))
        room = self._pressure_range(slice(sample, end), direction, shift)
        held = float((left[:-1] - left[1:]) @ room)
        return held + float(left[-1]) * (
            room[-1] if end == len(self.plan) else self._range_after_step(end, direction, shift)
        )

    def _pressure_range(self, span: slice, direction: FloatArray, shift: FloatArray) -> FloatArray:
        """Return how far the centre of pressure can move from its plan at each sample of a span (n) [m]."""
        plan, feet = self.plan, self.plan.schedule.foot >= 0
        foot = plan.schedule.foot[feet]
        points = plan.support_points[span][:, feet, :2] + shift[foot]
        along = (points - self.centre[span, None]) @ direction
        return np.asarray(np.where(plan.schedule.stands[span][:, foot], along, NO_SUPPORT).max(axis=1))

    def _range_after_step(self, landing: int, direction: FloatArray, shift: FloatArray) -> float:
        """Return how far it can move once the foot that lands is placed as far as it may be [m]."""
        plan, stands = self.plan, self.plan.schedule.stands
        foot = int(np.argmax(stands[landing] & ~stands[landing - 1]))
        sole = plan.support_points[landing, plan.schedule.foot == foot, :2] - self.centre[landing]
        return float((sole @ direction).max() + STEP + shift[1 - foot] @ direction)
