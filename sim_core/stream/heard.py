"""What came of a stream, poll by poll: kept while a run follows it, so that the run can be repeated.

A run depends on the stream by the frames that each poll brought, and by when it was. With both, and with the
log of commands, it repeats itself to the last digit, although nothing is sent any more.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Protocol

import numpy as np

from ..base.conventions import FloatArray, IntArray
from ..base.errors import InputError
from ..base.files import AnyPath, names_its_file
from ..base.npz_file import read_file, take_array, write_file
from .performer import BONES, PerformerFrame
from .pose_buffer import PoseBuffer, StreamCounts

KIND, SCHEMA = "stream", 1
MOST_POLLS, MOST_FRAMES = 60_000, 144_000
"""Polls and frames that are kept at most: those of ten minutes, at 240 frames a second (100 MB)."""


class PoseSource(Protocol):
    """Where the frames of a stream come from."""

    @property
    def counts(self) -> StreamCounts:
        """What happened to the packets."""
        ...

    @property
    def buffer(self) -> PoseBuffer:
        """The frames of the last seconds."""
        ...

    @property
    def port(self) -> int:
        """The port that is listened to; zero for none."""
        ...

    @property
    def heard_s(self) -> float:
        """When the sender was last heard, on the clock of `poll` [s]."""
        ...

    def poll(self, now_s: float) -> list[PerformerFrame]:
        """Take what has come into the buffer, and return its frames."""
        ...


@dataclass(frozen=True, eq=False)
class HeardStream:
    """P polls and the F frames that they brought.

    poll_s, heard_s (P): when it was, and when the sender was last heard [s]; frames (P): brought by each one
    time_s (F), turn (F, B, 4), hips (F, 3), leg_m (F): as in PerformerFrame
    """

    poll_s: FloatArray
    heard_s: FloatArray
    frames: IntArray
    time_s: FloatArray
    turn: FloatArray
    hips: FloatArray
    leg_m: FloatArray

    def __post_init__(self) -> None:
        polls, frames = len(self.poll_s), len(self.time_s)
        shapes = [(polls,), (polls,), (polls,), (frames,), (frames, len(BONES), 4), (frames, 3), (frames,)]
        found = [getattr(self, each.name).shape for each in fields(self)]
        counted = found == shapes and int(self.frames.sum()) == frames and (self.frames >= 0).all()
        if not counted or not np.isfinite(self.poll_s).all() or not np.isfinite(self.time_s).all():
            raise InputError("The frames of the stream do not fit its polls; record it again.")

    def frame(self, number: int) -> PerformerFrame:
        """Return one of the frames."""
        time_s, leg_m = float(self.time_s[number]), float(self.leg_m[number])
        return PerformerFrame(time_s, self.turn[number], self.hips[number], leg_m)


class KeptStream:
    """A source whose frames are kept as they come, up to a number of them; polls: that are kept so far."""

    def __init__(self, source: PoseSource) -> None:
        self._source = source
        self._polls: list[tuple[float, float, int]] = []
        self._frames: list[PerformerFrame] = []

    @property
    def counts(self) -> StreamCounts:
        """What happened to the packets."""
        return self._source.counts

    @property
    def buffer(self) -> PoseBuffer:
        """The frames of the last seconds."""
        return self._source.buffer

    @property
    def port(self) -> int:
        """The port that is listened to."""
        return self._source.port

    @property
    def heard_s(self) -> float:
        """When the sender was last heard, on the clock of `poll` [s]."""
        return self._source.heard_s

    @property
    def polls(self) -> int:
        """Number of polls that are kept."""
        return len(self._polls)

    def poll(self, now_s: float) -> list[PerformerFrame]:
        """Take what has come, and keep it; polls before the first frame are left out."""
        frames = self._source.poll(now_s)
        room = self.polls < MOST_POLLS and len(self._frames) + len(frames) <= MOST_FRAMES
        if room and (frames or self._polls):
            self._polls.append((now_s, self.heard_s, len(frames)))
            self._frames += frames
        return frames

    @property
    def heard(self) -> HeardStream:
        """What was kept."""
        polls, frames = np.array(self._polls).reshape(-1, 3), self._frames
        return HeardStream(
            polls[:, 0],
            polls[:, 1],
            polls[:, 2].astype(np.int64),
            np.array([own.time_s for own in frames]),
            np.array([own.turn for own in frames]).reshape(-1, len(BONES), 4),
            np.array([own.hips for own in frames]).reshape(-1, 3),
            np.array([own.leg_m for own in frames]),
        )


class HeardAgain:
    """A stream that is heard once more, and the clock of that time: both go on with each poll."""

    def __init__(self, heard: HeardStream) -> None:
        self._heard, self._next, self._frame = heard, 0, 0
        self.counts = StreamCounts()
        self.buffer = PoseBuffer(self.counts)
        self.port, self.heard_s = 0, 0.0

    def now_s(self) -> float:
        """Return the time of the next poll [s]."""
        if self._next >= len(self._heard.poll_s):
            raise InputError("The stream of this take ends before the take does; record it again.")
        return float(self._heard.poll_s[self._next])

    def wait(self, seconds: float) -> None:
        """Nothing is waited for."""

    def poll(self, now_s: float) -> list[PerformerFrame]:
        """Take what the next poll has brought."""
        heard, first = self._heard, self._frame
        self._frame = first + int(heard.frames[self._next])
        frames = [heard.frame(number) for number in range(first, self._frame)]
        for frame in frames:
            self.buffer.add(frame, now_s)
        self.heard_s = float(heard.heard_s[self._next])
        self._next += 1
        return frames


def save_heard(heard: HeardStream, path: AnyPath) -> None:
    """Write what came of a stream to a file."""
    write_file(path, KIND, SCHEMA, {each.name: getattr(heard, each.name) for each in fields(heard)}, {})


@names_its_file
def load_heard(path: AnyPath) -> HeardStream:
    """Read what came of a stream; a file that is broken raises an InputError."""
    arrays, _ = read_file(path, KIND, SCHEMA)
    kinds = {"frames": ("i", 1), "turn": ("f", 3), "hips": ("f", 2)}
    own = [each.name for each in fields(HeardStream)]
    return HeardStream(*(take_array(arrays, name, *kinds.get(name, ("f", 1)), path) for name in own))
