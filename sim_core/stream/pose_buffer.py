"""The frames of a stream in the order of their times, however late, doubled or incomplete they came.

The buffer holds a few seconds at most, so that no stream makes it grow.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace

import numpy as np

from ..base import rotations
from ..base.conventions import FloatArray
from .performer import PerformerFrame

MOST_FRAMES = 2400
"""Frames that are kept; at 240 frames a second those of ten seconds."""
KEPT_S = 8.0
"""How long frames are kept [s]."""
RESTART_S = 1.0
"""A sender's clock that goes back by more than this, or ahead by more than the time of arrival does and this,
was set anew [s]; so was one that has not come to a later time for so long. One that is behind is not: packets
may have waited to be read."""
LEAST_STEP_S = 0.001
"""Least time between the last frame before a clock is set and the first one after it [s]."""
GAP_S = 0.1
"""Time without a frame, from which it counts as a gap [s]."""


@dataclass(eq=False)
class StreamCounts:
    """What happened to the packets of a stream.

    packets: received; dropped: malformed, with `last_fault` of the last one; others: from another sender
    frames: put together; late: came after a later one, in time; doubled: of a time that was there already
    expired: came too late
    gaps: times without a frame for longer than GAP_S; gap_s: the longest [s]; restarts: of the sender's clock
    """

    packets: int = 0
    dropped: int = 0
    others: int = 0
    frames: int = 0
    late: int = 0
    doubled: int = 0
    expired: int = 0
    gaps: int = 0
    gap_s: float = 0.0
    restarts: int = 0
    last_fault: str = ""


@dataclass(frozen=True, eq=False)
class PerformerPoses:
    """Poses of a performer at T times: time (T) [s], turn (T, B, 4) and hips (T, 3) as in PerformerFrame."""

    time: FloatArray
    turn: FloatArray
    hips: FloatArray


class PoseBuffer:
    """Frames by time; counts: what became of them."""

    def __init__(self, counts: StreamCounts) -> None:
        self.counts = counts
        self.leg_m = float("nan")
        self._clock_shift, self._newest_arrival = 0.0, 0.0
        self._stands_since: float | None = None  # arrival of the first frame that was not later
        self._times: list[float] = []
        self._frames: list[PerformerFrame] = []

    @property
    def newest_s(self) -> float | None:
        """Time of the newest frame [s]; None while there is none."""
        return self._times[-1] if self._times else None

    @property
    def oldest_s(self) -> float | None:
        """Time of the oldest frame that is kept [s]; None while there is none."""
        return self._times[0] if self._times else None

    def add(self, frame: PerformerFrame, arrival_s: float) -> None:
        """Put a frame where it belongs; arrival_s: when it came, on a clock of this machine [s]."""
        counts, newest = self.counts, self.newest_s
        counts.frames += 1
        frame = self._on_one_clock(frame, arrival_s)
        if newest is not None and frame.time_s < self._times[0]:
            counts.expired += 1
            return
        at = bisect_left(self._times, frame.time_s)
        if at < len(self._times) and self._times[at] == frame.time_s:
            self._complete(at, frame)
            return
        counts.late += newest is not None and frame.time_s < newest
        self._times.insert(at, frame.time_s)
        self._frames.insert(at, frame)
        self.leg_m = frame.leg_m if np.isfinite(frame.leg_m) else self.leg_m
        self._note_gap(newest, frame.time_s)
        self._forget()

    def _on_one_clock(self, frame: PerformerFrame, arrival_s: float) -> PerformerFrame:
        """Return a frame whose time goes on, although the sender was started again or its clock was set."""
        time_s, newest = frame.time_s + self._clock_shift, self.newest_s
        if newest is None:
            self._newest_arrival = arrival_s
        elif self._was_set(time_s - newest, arrival_s):
            self.counts.restarts += 1
            expected = newest + max(arrival_s - self._newest_arrival, LEAST_STEP_S)
            self._clock_shift += expected - time_s
            time_s = expected
        if newest is not None and time_s > newest:
            self._newest_arrival, self._stands_since = arrival_s, None
        return replace(frame, time_s=time_s)

    def _was_set(self, later_s: float, arrival_s: float) -> bool:
        """Return whether the sender's clock was set, by how much later a frame is than the newest one [s].

        It stands only while frames come: after a pause, such as one in which nobody read them, the first
        frame may be one that was overtaken by others.
        """
        if later_s <= 0.0:
            since = self._stands_since = arrival_s if self._stands_since is None else self._stands_since
            return later_s < -RESTART_S or arrival_s - since > RESTART_S
        return later_s > arrival_s - self._newest_arrival + RESTART_S

    def _complete(self, at: int, frame: PerformerFrame) -> None:
        """Add what a frame lacks from another part of it, which came by a way of its own."""
        known = self._frames[at]
        missing = np.isnan(known.turn[:, :1])
        if not missing.any():
            self.counts.doubled += 1
            return
        turn = np.where(missing, frame.turn, known.turn)
        hips = np.where(np.isnan(known.hips), frame.hips, known.hips)
        self._frames[at] = replace(known, turn=turn, hips=hips)

    def _note_gap(self, newest: float | None, time_s: float) -> None:
        gap = 0.0 if newest is None else time_s - newest
        if gap > GAP_S:
            self.counts.gaps += 1
            self.counts.gap_s = max(self.counts.gap_s, gap)

    def _forget(self) -> None:
        """Drop frames that are too old, or too many."""
        first = max(bisect_left(self._times, self._times[-1] - KEPT_S), len(self._times) - MOST_FRAMES)
        if first > 0:
            del self._times[:first], self._frames[:first]

    def between(self, start_s: float, end_s: float) -> PerformerPoses | None:
        """Return the frames from the last one up to the start to the first one from the end on [s].

        What they lack is interpolated between the frames that have it. None while a bone or the hips never
        came, or while there are fewer than two frames.
        """
        first = max(bisect_left(self._times, start_s) - 1, 0)
        last = min(bisect_left(self._times, end_s) + 1, len(self._times))
        if last - first < 2:
            return None
        time, frames = np.array(self._times[first:last]), self._frames[first:last]
        hips = _filled(time, np.array([frame.hips for frame in frames]))
        turns = np.array([frame.turn for frame in frames]).swapaxes(0, 1)
        turn = [_filled(time, _continuous(own)) for own in turns]
        if hips is None or any(own is None for own in turn):
            return None
        together = np.stack([own for own in turn if own is not None], axis=1)
        return PerformerPoses(time, rotations.normalise(together), hips)


def _continuous(quaternions: FloatArray) -> FloatArray:
    """Return rotations (T, 4) with the signs of their neighbours; what is missing stays missing."""
    values, known = np.array(quaternions), np.isfinite(quaternions[:, 0])
    values[known] = rotations.continuous(values[known])
    return values


def _filled(time: FloatArray, values: FloatArray) -> FloatArray | None:
    """Return values (T, N) with those that are missing interpolated; None where all are missing."""
    known = np.isfinite(values[:, 0])
    if known.all():
        return values
    if not known.any():
        return None
    columns = [np.interp(time, time[known], column[known]) for column in values.T]
    return np.stack(columns, axis=1)
