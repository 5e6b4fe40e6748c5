"""A small shift of the root that lets contact forces explain more of a motion."""

from __future__ import annotations

import numpy as np
from scipy.linalg import solveh_banded

from ..base.conventions import GRAVITY, FloatArray

MOST_SHIFT = 0.01
"""Standard deviation of the root's shift [m]."""
FORCE_SHARE = 0.002
"""Standard deviation of the residual force, as a share of the weight."""


def level_shift(force: FloatArray, mass: float, dt: float) -> FloatArray:
    """Return the shift (T, 3) [m] whose acceleration cancels residual forces (T, 3) [N].

    Banded least squares for each axis: |force + mass shift''|^2 / sigma_force^2 + |shift|^2 / sigma_shift^2.
    """
    samples = len(force)
    # Second difference D with stencil (1, -2, 1) on the inner samples: D'D has five diagonals.
    squares = np.zeros((3, samples))
    for offset, factor in enumerate((1.0, -2.0, 1.0)):
        squares[0, offset : samples - 2 + offset] += factor**2
    squares[1, : samples - 2] += -2.0
    squares[1, 1 : samples - 1] += -2.0
    squares[2, : samples - 2] += 1.0
    gain = mass / dt**2
    stiffness = (FORCE_SHARE * mass * GRAVITY / MOST_SHIFT) ** 2
    band = gain**2 * squares
    band[0] += stiffness
    pull = np.zeros((samples, 3))
    for offset, factor in enumerate((1.0, -2.0, 1.0)):
        pull[offset : samples - 2 + offset] += factor * gain * force[1:-1]
    return np.asarray(solveh_banded(band, -pull, lower=True))
