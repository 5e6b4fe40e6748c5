"""What a strike that was carried out asks of the next try.

A simulated body follows its motion with an error, and the motion itself was changed so that forces can
produce it. Both are nearly the same the next time. So what was missed is added to the target, and the
ratio of speeds to the rate of the clock, until it is hit: a fixed-point iteration.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..base.conventions import FloatArray
from .strike import Contact, Strike
from .time_warp import FASTEST, SLOWEST

FARTHEST = 0.25
"""The place that is aimed at is no farther from the target than this [m]."""
CLOSE, STEADY = 0.01, 0.03
"""A strike is good when it misses by less [m], and its speed by a smaller share."""


@dataclass(frozen=True, eq=False)
class Correction:
    """shift (K, 3) of the places that are aimed at, from the targets [m]; rate (K) of the clock."""

    shift: FloatArray
    rate: FloatArray

    def places(self, strikes: Sequence[Strike]) -> FloatArray:
        """Where to aim (K, 3) [m]."""
        return np.array([strike.target for strike in strikes]) + self.shift

    def after(self, strikes: Sequence[Strike], contacts: Sequence[Contact]) -> Correction:
        """The next one, when this one led to contacts."""
        missed = np.array([s.target - c.place for s, c in zip(strikes, contacts, strict=True)])
        shift = self.shift + missed
        length = np.linalg.norm(shift, axis=1, keepdims=True)
        shift *= np.minimum(1.0, FARTHEST / np.maximum(length, 1e-9))
        ratio = [
            s.aim.speed / max(c.speed, 1e-6) if s.aim.speed > 0.0 else 1.0
            for s, c in zip(strikes, contacts, strict=True)
        ]
        return replace(self, shift=shift, rate=np.clip(self.rate * ratio, SLOWEST, FASTEST))


def badness(strikes: Sequence[Strike], contacts: Sequence[Contact]) -> float:
    """Of the worst strike; one is just good enough."""
    worst = 0.0
    for strike, contact in zip(strikes, contacts, strict=True):
        worst = max(worst, float(np.linalg.norm(contact.place - strike.target)) / CLOSE)
        if strike.aim.speed > 0.0:
            worst = max(worst, abs(contact.speed / strike.aim.speed - 1.0) / STEADY)
    return worst
