"""Fitting of handle lengths: with other lengths than a third, a curve segment bends where the motion does.

With handles of lengths a and b, as shares of the segment, the frame is a cubic of the curve's parameter t,
x = 3 a t (1 - t)^2 + 3 (1 - b) t^2 (1 - t) + t^3, which is monotonic as long as a + b is at most 1 (beyond it
Blender shortens the handles). For given lengths the values are linear in the handles, so some lengths are
tried for each segment and channel, and the best are taken.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ..base.conventions import FloatArray, IntArray
from .spline import THIRD, Spline, bernstein, parameter

_LENGTHS = (0.15, THIRD, 0.6)
REACHES = np.array([(a, b) for a in _LENGTHS for b in _LENGTHS if a + b <= 1.0])
"""Lengths (P, 2) that are tried."""
MIN_FRAMES, MAX_FRAMES = 4, 16
"""Length of the segments that are fitted: shorter ones meet all values anyway, longer ones are rare."""


def fit_handles(spline: Spline, values: FloatArray, keys: IntArray) -> tuple[Spline, FloatArray]:
    """Return the curves with handles that fit values (F, C) better, and their values at all frames.

    Frames are one apart; keys (K): indices of the spline's frames. Values at keys stay the same.
    """
    at_frames = spline.at(spline.frame[0] + np.arange(len(values)))
    before, after = spline.slope_before.copy(), spline.slope_after.copy()
    reach_before, reach_after = spline.reach_before.copy(), spline.reach_after.copy()
    width = np.diff(keys)
    for frames in np.unique(width[(width >= MIN_FRAMES) & (width <= MAX_FRAMES)]):
        piece = np.flatnonzero(width == frames)
        inside = keys[piece][:, None] + np.arange(1, frames)
        first, last = spline.value[piece], spline.value[piece + 1]
        best, handle, at_frames[inside] = _best(int(frames), first, last, values[inside])
        reach_after[piece], reach_before[piece + 1] = REACHES[best, 0], REACHES[best, 1]
        after[piece] = (handle[0] - first) / (frames * REACHES[best, 0])
        before[piece + 1] = (last - handle[1]) / (frames * REACHES[best, 1])
    return Spline(spline.frame, spline.value, before, after, reach_before, reach_after), at_frames


def _best(
    frames: int, first: FloatArray, last: FloatArray, wanted: FloatArray
) -> tuple[IntArray, tuple[FloatArray, FloatArray], FloatArray]:
    """Return the best lengths and handles (2, S, C) of S segments, and the values inside.

    first, last (S, C): values at the ends; wanted (S, frames - 1, C): values inside the segments
    """
    ends, solve, project = _candidates(frames)
    by_ends = ends[:, None, :, :1] * first[:, None] + ends[:, None, :, 1:] * last[:, None]
    rest = wanted - by_ends  # (P, S, frames - 1, C)
    met = project[:, None] @ rest
    best = ((rest - met) ** 2).sum(axis=2).argmin(axis=0)
    pick = best[None, :, None]
    handle = np.take_along_axis(solve[:, None] @ rest, pick, axis=0)[0]
    inside = np.take_along_axis(met + by_ends, pick, axis=0)[0]
    return best, (handle[:, 0], handle[:, 1]), inside


@lru_cache(maxsize=MAX_FRAMES)
def _candidates(frames: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return weights of the keys (P, frames - 1, 2), least squares solution and projection by length."""
    share = np.arange(1, frames) / frames
    t = parameter(share, REACHES[:, :1], REACHES[:, 1:])
    counts = np.stack(bernstein(t), axis=-1)
    solve = np.linalg.pinv(counts[..., 1:3])
    return counts[..., [0, 3]], solve, counts[..., 1:3] @ solve
