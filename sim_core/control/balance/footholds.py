"""Ground for feet that come down elsewhere than planned: how high it is, and where it is even."""

from __future__ import annotations

import numpy as np

from ...base.conventions import FloatArray, IntArray
from ...world.ground import FlatGround, Ground, ObjectState
from ..tracking.plan import TrackingPlan

ALONG = np.linspace(-0.6, 0.6, 7)
"""Where the ground under a sole is looked at, in parts of its length from the middle: past heel and toes."""
FROM_LINE = np.eye(len(ALONG)) - 1.0 / len(ALONG) - np.outer(ALONG, ALONG) / (ALONG @ ALONG)
"""Takes heights there to what they depart from a straight line by."""
EVEN = 0.012
"""Ground that departs less is good to stand on [m]."""
NUDGES, STICK = np.linspace(-0.18, 0.18, 13).round(3).tolist(), 0.03
"""Ways along the foot that are tried for better ground; one that is new must be this much shorter [m]."""


class Footholds:
    """nudge (2): the way along each foot that was chosen last [m]."""

    def __init__(self, plan: TrackingPlan, ground: Ground) -> None:
        self.plan, self.ground = plan, ground
        self.flat = isinstance(ground, FlatGround)
        self.landing = _landings(plan)
        self.nudge = np.zeros(2)

    def evened(self, sample: int, foot: int, shift: FloatArray, objects: ObjectState) -> FloatArray:
        """The shift (2) of the coming step, moved along the foot where it would end on an edge."""
        if self.flat:
            return shift
        sole = self._sole(sample, foot)
        half = len(sole) // 2
        heel, toes = sole[:half].mean(axis=0), sole[half:].mean(axis=0)
        ahead = (toes - heel)[:2] / max(float(np.linalg.norm((toes - heel)[:2])), 1e-6)
        line = 0.5 * (heel + toes) + np.outer(ALONG, toes - heel)
        line[:, :2] += shift
        last = self.nudge[foot]
        for nudge in sorted(NUDGES, key=lambda n: abs(n) + (STICK if n != last else 0.0)):
            height = self.ground.below(line + np.append(nudge * ahead, 0.0), objects).height
            if np.isfinite(height).all() and np.abs(FROM_LINE @ height).max() < EVEN:
                self.nudge[foot] = nudge
                return np.asarray(shift + nudge * ahead)
        return shift

    def rise(self, sample: int, foot: int, shift: FloatArray, objects: ObjectState) -> float:
        """How much higher the ground is where the foot will come down than where it was planned to [m]."""
        if self.flat:
            return 0.0
        planned = self._sole(sample, foot)
        heights = [self.ground.below(planned + [*way, 0.0], objects).height for way in (np.zeros(2), shift)]
        return float(heights[1].max() - heights[0].max()) if np.isfinite(heights).all() else 0.0

    def above(self, place: FloatArray, level: float, objects: ObjectState) -> float:
        """How much higher than a planned level the ground is under a place (3) [m]."""
        if self.flat:
            return 0.0
        height = float(self.ground.below(place[None], objects).height[0])
        return height - level if np.isfinite(height) else 0.0

    def _sole(self, sample: int, foot: int) -> FloatArray:
        """Planned points of the coming step (P, 3)."""
        return self.plan.support_points[self.landing[sample, foot], self.plan.schedule.foot == foot]


def _landings(plan: TrackingPlan) -> IntArray:
    """The sample at which each foot stands next (T, 2)."""
    stands, last = plan.schedule.stands, len(plan) - 1
    landing = np.where(stands, np.arange(len(plan))[:, None], last)
    return np.minimum.accumulate(landing[::-1], axis=0)[::-1]
