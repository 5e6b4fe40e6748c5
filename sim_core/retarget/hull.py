"""Values that rise before they must."""

from __future__ import annotations

import numpy as np
from scipy.ndimage import maximum_filter1d, uniform_filter1d

from ..conventions import FloatArray


def smooth_hull(values: FloatArray, reach: int, width: int) -> FloatArray:
    """The largest of `reach` samples about each (T), averaged twice over `width` samples."""
    hull = maximum_filter1d(values, reach, mode="nearest")
    return np.asarray(uniform_filter1d(uniform_filter1d(hull, width, mode="nearest"), width, mode="nearest"))
