"""Values that are known in some spells of time only, carried smoothly over the gaps between them."""

from __future__ import annotations

import numpy as np
from scipy.interpolate import CubicHermiteSpline

from ..conventions import BoolArray, FloatArray
from ..spells import spells

SLOPE_SAMPLES = 4
"""The rate at the edge of a spell is read over so many samples."""


def bridged(values: FloatArray, known: BoolArray) -> FloatArray:
    """Values (T, K) with cubic bridges where they are not known (T), at the rate of both edges.

    Before the first and after the last spell the edge's value is held; without any spell all is zero.
    """
    if not known.any():
        return np.zeros_like(values)
    result = np.array(values)
    for first, past in spells(~known):
        before, after = first - 1, past
        if before < 0:
            result[first:past] = values[after]
        elif after >= len(values):
            result[first:past] = values[before]
        else:
            ends = np.array([before, after])
            slopes = np.stack([_rate(values, known, before, -1), _rate(values, known, after, 1)])
            result[first:past] = CubicHermiteSpline(ends, values[ends], slopes)(np.arange(first, past))
    return result


def _rate(values: FloatArray, known: BoolArray, edge: int, inwards: int) -> FloatArray:
    """Change per sample (K) at the edge of a spell, read from the samples inside of it."""
    inside = edge
    while (
        abs(inside - edge) < SLOPE_SAMPLES and 0 <= inside + inwards < len(known) and known[inside + inwards]
    ):
        inside += inwards
    if inside == edge:
        return np.zeros(values.shape[1])
    return np.asarray((values[inside] - values[edge]) / (inside - edge))
