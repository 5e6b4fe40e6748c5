"""Corrections of aimed strikes from one simulation to the next.

A simulated body follows its motion with an error, and the motion itself was changed to be feasible. Both
errors are nearly the same the next time. So the miss is added to the target, and the time scale is multiplied
by the ratio of wanted to reached speed, until the strike hits: a fixed-point iteration.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..base.conventions import FloatArray
from .strike import Strike, StrikeContact
from .time_warp import FASTEST, SLOWEST

FARTHEST = 0.25
"""Largest distance between the point aimed at and the target [m]."""
MISS_TOLERANCE, SPEED_TOLERANCE = 0.01, 0.03
"""A strike is good when its miss is smaller [m] and the relative error of its speed is smaller."""


@dataclass(frozen=True, eq=False)
class Correction:
    """Corrections of K strikes.

    shift (K, 3): from the targets to the points aimed at [m]; rate (K): time scale at the contact
    """

    shift: FloatArray
    rate: FloatArray

    def aim_points(self, strikes: Sequence[Strike]) -> FloatArray:
        """Return the points to aim at (K, 3) [m]."""
        return np.array([strike.target for strike in strikes]) + self.shift

    def after(self, strikes: Sequence[Strike], contacts: Sequence[StrikeContact]) -> Correction:
        """Return the next correction, given the contacts that this one led to."""
        miss = np.array([s.target - c.position for s, c in zip(strikes, contacts, strict=True)])
        shift = self.shift + miss
        length = np.linalg.norm(shift, axis=1, keepdims=True)
        shift *= np.minimum(1.0, FARTHEST / np.maximum(length, 1e-9))
        ratio = [
            s.aim.speed / max(c.speed, 1e-6) if s.aim.speed > 0.0 else 1.0
            for s, c in zip(strikes, contacts, strict=True)
        ]
        return replace(self, shift=shift, rate=np.clip(self.rate * ratio, SLOWEST, FASTEST))


def relative_miss(strikes: Sequence[Strike], contacts: Sequence[StrikeContact]) -> float:
    """Return the largest error of all strikes relative to its tolerance; up to 1 is good enough."""
    worst = 0.0
    for strike, contact in zip(strikes, contacts, strict=True):
        worst = max(worst, float(np.linalg.norm(contact.position - strike.target)) / MISS_TOLERANCE)
        if strike.aim.speed > 0.0:
            worst = max(worst, abs(contact.speed / strike.aim.speed - 1.0) / SPEED_TOLERANCE)
    return worst
