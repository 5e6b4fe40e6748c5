"""Intervals of samples in which a flag holds, and smooth steps from 0 to 1."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from .conventions import BoolArray, FloatArray

Number = TypeVar("Number", float, FloatArray)


def true_intervals(flags: BoolArray) -> list[tuple[int, int]]:
    """Return the first and the past-the-last sample of each run of true flags (T)."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(np.int8)))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


def smooth_step(x: Number) -> Number:
    """Return a cubic step with zero slope at both ends: 0 for x <= 0, and 1 for x >= 1."""
    inside = np.clip(x, 0.0, 1.0)
    return inside * inside * (3.0 - 2.0 * inside)


def smooth_step_rate(x: Number) -> Number:
    """Return the derivative of `smooth_step`."""
    inside = np.clip(x, 0.0, 1.0)
    return 6.0 * inside * (1.0 - inside)


def smoother_step(x: FloatArray) -> FloatArray:
    """Return a quintic step with zero slope and curvature at both ends; x lies between 0 and 1."""
    return x**3 * (10.0 - 15.0 * x + 6.0 * x**2)
