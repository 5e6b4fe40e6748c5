"""Weights that take the force from outliers (iteratively reweighted least squares)."""

from __future__ import annotations

import numpy as np

from ..conventions import FloatArray


def cauchy_weights(distance: FloatArray, scale: float) -> FloatArray:
    """1 for points that fit, falling with the square of the distance [m] beyond `scale` [m]."""
    return np.asarray(1.0 / (1.0 + (distance / scale) ** 2))
