"""Values that are known in some spells of time only, carried smoothly over the gaps between them."""

from __future__ import annotations

import numpy as np

from ..conventions import BoolArray, FloatArray
from ..easing import smooth_step
from ..spells import spells

EASE_SECONDS = 0.1
"""Next to a spell values go on at the rate they have there, and come to rest within this time [s].

A cubic curve that only keeps the rates of both edges runs away where a gap is long: by most of a leg in the
second of a pirouette.
"""


def bridged(values: FloatArray, known: BoolArray, rate_hz: float) -> FloatArray:
    """Values (T, K) with smooth bridges where they are not known (T), at the rate of both edges.

    Before the first and after the last spell they come to rest; without any spell all is zero.
    """
    if not known.any():
        return np.zeros_like(values)
    result = np.array(values)
    ease = EASE_SECONDS * rate_hz
    for first, past in spells(~known):
        before, after, count = first - 1, past, past - first
        left = right = None
        if before >= 0:
            left = _eased(values[before], -_rate(values, known, before, -1), count, ease)
        if after < len(values):
            right = _eased(values[after], _rate(values, known, after, 1), count, ease)[::-1]
        if left is not None and right is not None:
            share = smooth_step(np.arange(1, count + 1) / (count + 1))[:, None]
            result[first:past] = left + share * (right - left)
        else:
            result[first:past] = right if left is None else left
    return result


def _eased(edge: FloatArray, rate_inwards: FloatArray, count: int, ease: float) -> FloatArray:
    """Values (count, K) from an edge outwards, at first at its rate, at rest after `ease` samples."""
    share = np.minimum(np.arange(1, count + 1) / ease, 1.0)
    way = ease / 3.0 * (1.0 - (1.0 - share) ** 3)
    return np.asarray(edge - way[:, None] * rate_inwards)


def _rate(values: FloatArray, known: BoolArray, edge: int, inwards: int) -> FloatArray:
    """Change per sample (K) at the edge of a spell; none where the spell is one sample long."""
    inside = edge + inwards
    if not 0 <= inside < len(known) or not known[inside]:
        return np.zeros(values.shape[1])
    return np.asarray((values[inside] - values[edge]) * inwards)
