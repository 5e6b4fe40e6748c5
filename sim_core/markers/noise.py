"""How noisy markers are, judged by their paths alone, and paths steady enough to be tracked."""

from __future__ import annotations

import numpy as np
from scipy.ndimage import uniform_filter1d

from ..conventions import FloatArray

STEADY = 0.005
"""Noise that tracking copes with [m]."""
LONGEST_S = 0.15
"""Paths are averaged over this time at most: longer would round off steps [s]."""
MEDIAN_OF_NORMAL = 0.6745


def path_noise(position: FloatArray) -> float:
    """Standard deviation per axis of what does not go on smoothly in paths (T, M, 3) [m].

    Third differences of a smooth path vanish, those of noise have 20 times its variance.
    """
    jumps = np.diff(position, n=3, axis=0)
    jumps = np.abs(jumps[np.isfinite(jumps)])
    return float(np.median(jumps)) / (MEDIAN_OF_NORMAL * np.sqrt(20.0)) if jumps.size else 0.0


def steadied(position: FloatArray, rate_hz: float) -> FloatArray:
    """Paths (T, M, 3) averaged over as many samples as their noise asks for; gaps stay."""
    wanted = (path_noise(position) / STEADY) ** 2
    size = int(min(wanted, LONGEST_S * rate_hz)) // 2 * 2 + 1
    if size < 3:
        return position
    seen = np.isfinite(position)
    total = uniform_filter1d(np.where(seen, position, 0.0), size, axis=0, mode="nearest")
    share = uniform_filter1d(seen.astype(np.float64), size, axis=0, mode="nearest")
    return np.where(seen, total / np.maximum(share, 1e-9), np.nan)
