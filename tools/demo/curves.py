"""Smooth curves through knots, and smoothing over time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.interpolate import BPoly, PchipInterpolator
from scipy.ndimage import gaussian_filter1d

from sim_core.base.conventions import FloatArray

RATE_HZ = 120.0
"""Motions are computed at this rate and returned at half of it [Hz]."""


def sample_times(duration_s: float) -> FloatArray:
    """Return sample times from 0 to a duration [s]."""
    return np.arange(2 * round(0.5 * duration_s * RATE_HZ) + 1) / RATE_HZ


def through(knot_s: Sequence[float], values: Sequence[float]) -> BPoly:
    """Return a C2 curve through knots without overshoot: constant beyond the ends, straight at the knots."""
    slopes = PchipInterpolator(knot_s, values).derivative()(knot_s)
    slopes[[0, -1]] = 0.0
    return BPoly.from_derivatives(knot_s, [[v, slope, 0.0] for v, slope in zip(values, slopes, strict=True)])


def held(curve: BPoly, time: FloatArray) -> FloatArray:
    """Return the curve at any time, with its end values outside of its knots."""
    return np.asarray(curve(np.clip(time, curve.x[0], curve.x[-1])), dtype=np.float64)


def ease(time: FloatArray, start_s: float, end_s: float) -> FloatArray:
    """Return 0 before the start, 1 after the end, and a C2 curve between."""
    u = np.clip((time - start_s) / (end_s - start_s), 0.0, 1.0)
    return np.asarray(u**3 * (10.0 - 15.0 * u + 6.0 * u**2), dtype=np.float64)


def smooth(values: FloatArray, sigma_s: float) -> FloatArray:
    """Return values smoothed over time (axis 0) by a Gaussian."""
    return np.asarray(gaussian_filter1d(values, sigma_s * RATE_HZ, axis=0, mode="nearest"))
