"""Values that are known in some spells of time only, carried smoothly over the gaps between them.

Values that rise before they must.
"""

from __future__ import annotations

import numpy as np
from scipy.ndimage import maximum_filter1d, uniform_filter1d

from ..base.conventions import BoolArray, FloatArray
from ..base.intervals import smooth_step, true_intervals

EASE_SECONDS = 0.1
"""Next to a spell values go on at the rate they have there, and come to rest within this time [s].

A cubic curve that only keeps the rates of both edges runs away where a gap is long: by most of a leg in the
second of a pirouette.
"""
FADE_SECONDS = 0.3
"""So long after a spell, and so long before the next one, nothing is left of its values [s]."""


def bridged(values: FloatArray, known: BoolArray, rate_hz: float) -> FloatArray:
    """Values (T, K) with smooth bridges where they are not known (T), at the rate of both edges.

    In the middle of a long bridge they are zero; in a short one the first edge passes over to the last.
    Before the first and after the last spell they come to rest; without any spell all is zero.
    """
    result: FloatArray = np.where(known[:, None], values, 0.0)
    if not known.any():
        return result
    ease = EASE_SECONDS * rate_hz
    for first, past in true_intervals(~known):
        steps: FloatArray = np.arange(1.0, past - first + 1.0)[:, None]
        fade = min(FADE_SECONDS * rate_hz, past - first + 1)
        is_between = first > 0 and past < len(values)
        share = 1.0 - smooth_step(steps / fade) if is_between else 1.0 + 0.0 * steps
        if first > 0:
            rate = _rate_inwards(values, known, first - 1, -1)
            result[first:past] += share * _eased(values[first - 1], rate, steps, ease)
        if past < len(values):
            rate = _rate_inwards(values, known, past, 1)
            result[first:past] += (share * _eased(values[past], rate, steps, ease))[::-1]
    return result


def _eased(edge: FloatArray, rate_inwards: FloatArray, steps: FloatArray, ease: float) -> FloatArray:
    """Values (N, K) outwards from an edge, at first at its rate, at rest after `ease` samples."""
    way = ease / 3.0 * (1.0 - (1.0 - np.minimum(steps / ease, 1.0)) ** 3)
    return np.asarray(edge - way * rate_inwards)


def _rate_inwards(values: FloatArray, known: BoolArray, edge: int, inwards: int) -> FloatArray:
    """Change (K) from the edge of a spell to the sample inside; none where the spell is one sample long."""
    inside = edge + inwards
    if not 0 <= inside < len(known) or not known[inside]:
        return np.zeros(values.shape[1])
    return np.asarray(values[inside] - values[edge])


def smooth_hull(values: FloatArray, reach: int, width: int) -> FloatArray:
    """The largest of `reach` samples about each (T), averaged twice over `width` samples."""
    hull = maximum_filter1d(values, reach, mode="nearest")
    return np.asarray(uniform_filter1d(uniform_filter1d(hull, width, mode="nearest"), width, mode="nearest"))
