"""A motion file that is followed as if a performer sent it: its poses come when their time has come."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..base.errors import InputError
from ..reading.bvh_clip import AS_FOUND
from ..scenario.job import Job
from ..scenario.settings import BakeSettings
from ..sources.motion_source import read_source
from ..sources.performed import USUAL_RATE_HZ, performed_frames, performer_of
from ..stream.performer import PerformerFrame
from ..stream.pose_buffer import PoseBuffer, StreamCounts


class PerformedFile:
    """The poses of a file as a source of a stream; markers and keypoints are fitted first."""

    def __init__(self, file: Path, longer_than_s: float) -> None:
        """Read a file, whose motion has to last longer than some time [s]."""
        source = read_source([file], AS_FOUND, 0.0)
        scenario = performer_of(Job(source.motion, source.mapping, BakeSettings()))
        seconds = scenario.repaired.duration
        if seconds <= longer_than_s:
            raise InputError(
                f"'{file}' lasts {seconds:.1f} s, and is followed {longer_than_s:g} s behind; choose a "
                "longer motion, or a shorter delay."
            )
        self.notes = (*source.notes, *scenario.notes)
        self.counts = StreamCounts()
        self.buffer = PoseBuffer(self.counts)
        self.port, self.heard_s = 0, 0.0
        self._frames: Iterator[PerformerFrame] = performed_frames(scenario, USUAL_RATE_HZ, loops=False)[1]
        self._next = next(self._frames, None)
        self._began_s: float | None = None

    def poll(self, now_s: float) -> list[PerformerFrame]:
        """Take the poses that are due; the first one is at the first call."""
        self._began_s = now_s if self._began_s is None else self._began_s
        due: list[PerformerFrame] = []
        while self._next is not None and self._next.time_s <= now_s - self._began_s:
            due.append(self._next)
            self._next = next(self._frames, None)
        for frame in due:
            self.buffer.add(frame, now_s)
            self.heard_s = now_s
        return due

    def close(self) -> None:
        """Nothing is open."""
