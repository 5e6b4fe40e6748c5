"""Height and evenness of the ground where a foot comes down elsewhere than planned."""

from __future__ import annotations

import numpy as np

from ...base.conventions import FloatArray, IntArray
from ...reference.contacts import HEEL
from ...world.ground import FlatGround, Ground, ObjectState
from ..tracking.plan import TrackingPlan

ALONG = np.linspace(-0.6, 0.6, 7)
"""Where the ground under a sole is sampled, in shares of its length from the middle: past heel and toes."""
DEPARTURE = np.eye(len(ALONG)) - 1.0 / len(ALONG) - np.outer(ALONG, ALONG) / (ALONG @ ALONG)
"""Matrix that maps heights at these points to their departures from a straight line."""
EVENNESS = 0.012
"""Largest departure from a line on which a foot can stand [m]."""
DISPLACEMENTS, PREFERENCE = np.linspace(-0.18, 0.18, 13).round(3).tolist(), 0.03
"""Displacements along the foot that are tried, and how much shorter than the last a new one must be [m]."""


class Footholds:
    """Finds footholds of steps; displacement (2): along each foot, as chosen last [m]."""

    def __init__(self, plan: TrackingPlan, ground: Ground) -> None:
        self.plan, self.ground = plan, ground
        self.flat = isinstance(ground, FlatGround)
        self.landing = _landings(plan)
        self.displacement = np.zeros(2)

    def on_even_ground(self, sample: int, foot: int, shift: FloatArray, objects: ObjectState) -> FloatArray:
        """Return the shift (2) of the coming step, displaced along the foot where it would end on an edge."""
        if self.flat:
            return shift
        sole = self._sole(sample, foot)
        heel, toes = sole[:HEEL].mean(axis=0), sole[HEEL:].mean(axis=0)
        ahead = (toes - heel)[:2] / max(float(np.linalg.norm((toes - heel)[:2])), 1e-6)
        line = 0.5 * (heel + toes) + np.outer(ALONG, toes - heel)
        line[:, :2] += shift
        last = self.displacement[foot]
        for displacement in sorted(DISPLACEMENTS, key=lambda n: abs(n) + (PREFERENCE if n != last else 0.0)):
            height = self.ground.below(line + np.append(displacement * ahead, 0.0), objects).height
            if np.isfinite(height).all() and np.abs(DEPARTURE @ height).max() < EVENNESS:
                self.displacement[foot] = displacement
                return np.asarray(shift + displacement * ahead)
        return shift

    def rise(self, sample: int, foot: int, shift: FloatArray, objects: ObjectState) -> float:
        """Return how much higher the ground is at a shifted foothold than at the planned one [m]."""
        if self.flat:
            return 0.0
        planned = self._sole(sample, foot)
        heights = [
            self.ground.below(planned + [*offset, 0.0], objects).height for offset in (np.zeros(2), shift)
        ]
        return float(heights[1].max() - heights[0].max()) if np.isfinite(heights).all() else 0.0

    def above(self, position: FloatArray, level: float, objects: ObjectState) -> float:
        """Return how much higher than a planned level the ground is under a position (3) [m]."""
        if self.flat:
            return 0.0
        height = float(self.ground.below(position[None], objects).height[0])
        return height - level if np.isfinite(height) else 0.0

    def _sole(self, sample: int, foot: int) -> FloatArray:
        """Return the planned sole points of the coming step (P, 3)."""
        return self.plan.support_points[self.landing[sample, foot], self.plan.schedule.foot == foot]


def _landings(plan: TrackingPlan) -> IntArray:
    """Return the sample at which each foot stands next (T, 2)."""
    stands, last = plan.schedule.stands, len(plan) - 1
    landing = np.where(stands, np.arange(len(plan))[:, None], last)
    return np.minimum.accumulate(landing[::-1], axis=0)[::-1]
