"""Values that are known in some spells of time only, carried smoothly over the gaps between them."""

from __future__ import annotations

import numpy as np
from scipy.interpolate import CubicHermiteSpline

from ..conventions import BoolArray, FloatArray
from ..spells import spells

EASE_SAMPLES = 24
"""Before the first and after the last spell values come to rest within so many samples."""


def bridged(values: FloatArray, known: BoolArray) -> FloatArray:
    """Values (T, K) with cubic bridges where they are not known (T), at the rate of both edges.

    Before the first and after the last spell they come to rest; without any spell all is zero.
    """
    if not known.any():
        return np.zeros_like(values)
    result = np.array(values)
    for first, past in spells(~known):
        before, after = first - 1, past
        if before < 0:
            result[first:past] = _eased(values[after], _rate(values, known, after, 1), past - first)[::-1]
        elif after >= len(values):
            result[first:past] = _eased(values[before], -_rate(values, known, before, -1), past - first)
        else:
            ends = np.array([before, after])
            slopes = np.stack([_rate(values, known, before, -1), _rate(values, known, after, 1)])
            result[first:past] = CubicHermiteSpline(ends, values[ends], slopes)(np.arange(first, past))
    return result


def _eased(edge: FloatArray, rate_inwards: FloatArray, count: int) -> FloatArray:
    """Values (count, K) from an edge outwards, at first at its rate, soon at rest."""
    share = np.minimum(np.arange(1, count + 1) / EASE_SAMPLES, 1.0)
    way = EASE_SAMPLES / 3.0 * (1.0 - (1.0 - share) ** 3)
    return np.asarray(edge - way[:, None] * rate_inwards)


def _rate(values: FloatArray, known: BoolArray, edge: int, inwards: int) -> FloatArray:
    """Change per sample (K) at the edge of a spell; none where the spell is one sample long."""
    inside = edge + inwards
    if not 0 <= inside < len(known) or not known[inside]:
        return np.zeros(values.shape[1])
    return np.asarray((values[inside] - values[edge]) * inwards)
