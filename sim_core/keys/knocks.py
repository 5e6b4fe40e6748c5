"""When a thing is knocked: its speed jumps, and a curve through it needs a corner there."""

from __future__ import annotations

import numpy as np

from ..base import rotations
from ..base.conventions import BoolArray, FloatArray, IntArray
from ..base.intervals import true_intervals

KNOCK_M_S, KNOCK_RAD_S = 0.3, 1.0
"""Changes of speed from one sample to the next, at 100 samples a second or more: three times what a fall
changes, and twice what a box does that tumbles at 10 rad/s without being touched."""


def knocked(time: FloatArray, position: FloatArray, quaternion: FloatArray) -> BoolArray:
    """At which samples (T) of a path (T, 3) [m], (T, 4) it is knocked; time (T) [s]."""
    width = np.diff(time)[:, None]
    turn = rotations.to_vector(rotations.multiply(quaternion[1:], rotations.conjugate(quaternion[:-1])))
    flags = np.zeros(len(time), dtype=bool)
    for step, limit in ((np.diff(position, axis=0), KNOCK_M_S), (turn, KNOCK_RAD_S)):
        flags[1:-1] |= np.linalg.norm(np.diff(step / width, axis=0), axis=1) > limit
    return flags


def frames_about(flags: BoolArray, time: FloatArray, frame_time: FloatArray) -> IntArray:
    """Indices of the last frame before and the first one after each spell of flags (T); one at it is both."""
    found: set[int] = set()
    for start, end in true_intervals(flags):
        before = np.searchsorted(frame_time, time[start] + 1e-9, side="right") - 1
        after = np.searchsorted(frame_time, time[end - 1] - 1e-9)
        found |= {int(before), int(after)}
    return np.array(sorted(number for number in found if 0 <= number < len(frame_time)), dtype=np.int64)
