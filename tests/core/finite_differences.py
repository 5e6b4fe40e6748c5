"""The one helper that checks derivatives against differences."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sim_core.base.conventions import FloatArray


def central_differences(
    function: Callable[[FloatArray], FloatArray], at: FloatArray, step: float = 1e-5
) -> FloatArray:
    """Derivatives of function (n) -> (...) at a point, (..., n); the error grows with step squared."""
    columns = []
    for axis in range(len(at)):
        change = np.zeros(len(at))
        change[axis] = step
        columns.append((function(at + change) - function(at - change)) / (2.0 * step))
    return np.stack(columns, axis=-1)
