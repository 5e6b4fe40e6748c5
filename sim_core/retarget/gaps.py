"""Smooth values between intervals in which they are known, and smooth upper envelopes."""

from __future__ import annotations

import numpy as np
from scipy.ndimage import maximum_filter1d, uniform_filter1d

from ..base.conventions import BoolArray, FloatArray
from ..base.intervals import smooth_step, true_intervals

EASE_SECONDS = 0.1
"""Next to an interval, values continue at the rate they have there and come to rest within this time [s]. A
cubic curve that only keeps the rates of both edges overshoots in long gaps: by most of a leg length in the
second of a pirouette."""
FADE_SECONDS = 0.3
"""Values fade out over this time after an interval, and in before the next one [s]."""


def bridged(values: FloatArray, known: BoolArray, rate_hz: float) -> FloatArray:
    """Return values (T, K) with smooth bridges where they are not known (T), at the rate of both edges.

    In the middle of a long bridge they are zero; in a short one the first edge is blended into the last.
    Before the first and after the last interval they come to rest; without any interval all are zero.
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
    """Return values (N, K) outwards from an edge, at first at its rate, at rest after `ease` samples."""
    distance = ease / 3.0 * (1.0 - (1.0 - np.minimum(steps / ease, 1.0)) ** 3)
    return np.asarray(edge - distance * rate_inwards)


def _rate_inwards(values: FloatArray, known: BoolArray, edge: int, inwards: int) -> FloatArray:
    """Return the change (K) from the edge of an interval to the sample inside; zero for a single sample."""
    inside = edge + inwards
    if not 0 <= inside < len(known) or not known[inside]:
        return np.zeros(values.shape[1])
    return np.asarray(values[inside] - values[edge])


def smooth_hull(values: FloatArray, reach: int, width: int) -> FloatArray:
    """Return the maximum of `reach` samples about each (T), averaged twice over `width` samples."""
    hull = maximum_filter1d(values, reach, mode="nearest")
    return np.asarray(uniform_filter1d(uniform_filter1d(hull, width, mode="nearest"), width, mode="nearest"))
