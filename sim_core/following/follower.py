"""Follows a performer: window after window of the stream becomes the plan of the tracker."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..bake.make_controller import ControlledCharacter, make_controller
from ..bake.setup import CharacterSetup
from ..base.errors import InputError
from ..control.make_tracker import hand_over
from ..control.tracking.tracker import Tracker
from ..motion.motion import CONTROL_DT
from ..simulation.protocol import Command, State
from ..stream.pose_buffer import PoseBuffer
from ..world.ground import FlatGround
from .performer_feed import PerformerFeed
from .sliding_reference import LOOKED_BACK, SlidingReference, Window

LEAST_DELAY_S, USUAL_DELAY_S, MOST_DELAY_S = 0.5, 0.8, 1.5
"""Delays of the delayed mode [s]: below the least, walks fall; a step has to be seen before it is taken."""


@dataclass(frozen=True)
class FollowMode:
    """How a stream is followed.

    delay: samples by which the character is behind the performer; its reference is prepared within them
    ahead: samples that are prepared at least, continued from the newest frame where nothing has come
    every: samples after which the next window is prepared
    """

    delay: int
    ahead: int
    every: int


def delayed(delay_s: float = USUAL_DELAY_S) -> FollowMode:
    """Return the mode with look-ahead: contacts, filter and balance are prepared before they are needed."""
    if not LEAST_DELAY_S <= delay_s <= MOST_DELAY_S:
        raise InputError(
            f"A delay of {delay_s:g} s cannot be used; choose {LEAST_DELAY_S:g} to {MOST_DELAY_S:g} s, or "
            "the direct mode, which has none."
        )
    return FollowMode(round(delay_s / CONTROL_DT), 30, 20)


DIRECT = FollowMode(0, 30, 5)
"""No look-ahead: the next moments are guessed, and the performer has to balance the character."""


class Follower:
    """The controller of a character that follows a stream.

    window: the one that is followed; controlled: its controller; source: the performer's motion on the rig
    during the window, from the sample `source_first` on
    late: samples for which nothing had come in time, so that they were continued from the newest frame
    """

    def __init__(self, setup: CharacterSetup, buffer: PoseBuffer, mode: FollowMode) -> None:
        if not isinstance(setup.world.ground, FlatGround):
            raise InputError(
                "A stream is followed on a flat floor only; leave slopes, steps and platforms out."
            )
        self.setup, self.mode, self.method = setup, mode, setup.methods[0]
        self.feed = PerformerFeed(setup, buffer)
        self.reference = SlidingReference(setup, self.method)
        self.late = 0
        self._window: Window | None = None
        self._controlled: ControlledCharacter | None = None

    def begin(self) -> ControlledCharacter | None:
        """Return the first controller with the start of the body; None while too little has come."""
        if not self.feed.begin(self.mode.delay):
            return None
        return self.next_window(0)

    def next_window(self, now: int) -> ControlledCharacter:
        """Prepare the window from the present sample on, and return its controller."""
        first = max(now - LOOKED_BACK, 0)
        end = max(self.feed.end, now + self.mode.ahead)
        self.late += max(now + self.mode.every - max(self.feed.end, now), 0) if self.mode.delay else 0
        self.source, poses = self.feed.source(first, end)
        self.source_first = first
        window = self.reference.prepare(now, first, poses)
        setup = self.setup
        made = make_controller(setup, setup.world, window.prepared, self.method, setup.settings.assist_cap)
        if self._window is not None and self._controlled is not None:
            moved = window.first - self._window.first
            made.controller.continue_from(self._controlled.controller, moved * CONTROL_DT)
            if isinstance(made.tracker, Tracker) and isinstance(self._controlled.tracker, Tracker):
                hand_over(self._controlled.tracker, made.tracker, moved)
        self._window, self._controlled = window, made
        return made

    def command(self, state: State) -> Command:
        """Return the command of the coming control interval; every now and then by a new window."""
        now = round(state.time / CONTROL_DT)
        if now > 0 and now % self.mode.every == 0:
            self.next_window(now)
        assert self._window is not None and self._controlled is not None
        own = replace(state, time=(now - self._window.first) * CONTROL_DT)
        return self._controlled.controller.command(own)
