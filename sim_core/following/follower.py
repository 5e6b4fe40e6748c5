"""Follows a performer: window after window of the stream becomes a segment of a live run."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..bake.make_controller import ControlledCharacter
from ..bake.setup import CharacterSetup
from ..base.errors import InputError
from ..live.segment import Segment
from ..motion.motion import CONTROL_DT, Motion
from ..stream.pose_buffer import PoseBuffer
from ..world.ground import FlatGround
from .follow_mode import FollowMode
from .performer_feed import PerformerFeed
from .sliding_reference import LOOKED_BACK, SlidingReference, Window

WINDOW = "window"
"""Name of all segments of a stream."""


class Follower:
    """The segments of a live run that follows a stream: always the window that was prepared last.

    late: samples that nothing had come for when they were followed, so that they were guessed
    skips: how often something was left out, to be with the performer again
    """

    def __init__(self, setup: CharacterSetup, buffer: PoseBuffer, mode: FollowMode) -> None:
        if not isinstance(setup.world.ground, FlatGround):
            raise InputError("A stream is followed on a flat floor only; leave slopes, steps and lifts out.")
        self.setup, self.mode, self.method = setup, mode, setup.methods[0]
        self.feed = PerformerFeed(setup, buffer)
        self.reference = SlidingReference(setup, self.method)
        self.late = self.skips = 0
        self._last: tuple[Segment, ControlledCharacter] | None = None

    def begin(self) -> bool:
        """Prepare the first window; return False while too little has come for it."""
        if not self.feed.begin(self.mode.delay):
            return False
        self.prepare(0)
        return True

    def prepare(self, now: int) -> None:
        """Prepare the window from the present sample on, whose controller goes on where the last one is."""
        first = max(now - LOOKED_BACK, 0)
        end = max(self.feed.end, now + self.mode.ahead)
        if self.mode.delay:
            self.late += max(now + self.mode.every - max(self.feed.end, now), 0)
        motion, poses = self.feed.source(first, end)
        window = self.reference.prepare(now, first, poses)
        segment = self._segment(now, window, motion, first)
        self._last = segment, segment.controlled()

    def resume(self, now: int) -> None:
        """Go on at the place where the body should be with what the performer does now."""
        self.skips += 1
        place = self.reference.qpos[min(now - self.reference.first, len(self.reference.qpos) - 1), :3]
        self.feed.resume(now, now + self.mode.delay, place)

    def _segment(self, now: int, window: Window, motion: Motion, first: int) -> Segment:
        """Return a window as a segment whose source is what the performer did."""
        samples, part = len(window.prepared.reference), slice(window.first - first, None)
        time = np.arange(samples) * CONTROL_DT
        source = Motion(motion.skeleton, time, motion.position_world[part], motion.quaternion_world[part])
        scenario = replace(self.setup.scenario, motion=source, repaired=source)
        setup = CharacterSetup(scenario, self.setup.settings, self.setup.world, self.setup.index)
        present = now - window.first
        return Segment(WINDOW, setup, window.prepared, self.method, present, samples - 1, WINDOW, False)

    def segment(self, name: str) -> Segment:
        """Return the window that was prepared last, whatever is asked for."""
        return self.take(name)[0]

    def take(self, name: str) -> tuple[Segment, ControlledCharacter]:
        """Return the window that was prepared last, with its controller."""
        if self._last is None:
            raise InputError(f"There is no segment '{name}': the stream has not begun.")
        return self._last

    def close(self) -> None:
        """Nothing is done beside the run."""
