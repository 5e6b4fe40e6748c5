"""Frame numbers of a clip by time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from ..base.conventions import FloatArray
from ..result.result import Result

FrameOf = Callable[[FloatArray], FloatArray]
"""Returns fractional frame numbers at times since the first sample [s]."""


def file_frames(result: Result) -> FrameOf:
    """Return the frame numbers of the motion file, counted from 1."""
    own = result.source_time - result.time[0]
    skipped = 0 if result.meta.input is None else result.meta.input.frames_skipped
    return interpolated_frames(own, np.arange(len(own)) + skipped + 1)


def interpolated_frames(frame_time: ArrayLike, frame: ArrayLike) -> FrameOf:
    """Return frame numbers interpolated between frame (F) at frame_time (F), since the first sample [s]."""
    times, numbers = np.asarray(frame_time, dtype=float), np.asarray(frame, dtype=float)
    return lambda time_s: np.interp(time_s, times, numbers)


def whole_frame(frame_of: FrameOf, time_s: float) -> int:
    """Return the frame nearest to a time since the first sample [s]."""
    return round(float(frame_of(np.array([time_s]))[0]))
