"""The director of a steered run: it takes commands and says which link is taken when."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..actions.steering import COMMANDS, LATEST_S, STOP, Steering
from ..base.errors import InputError
from ..live.commands import LiveCommand, NextAction, Steer, TakeOver
from ..live.run import Now, Playing
from ..live.segment import Segment, SegmentLibrary
from ..motion.motion import CONTROL_DT
from .link_segments import LinkSegments, Part

MARGIN = 2
"""Samples that a link must be ahead to be taken."""


@dataclass
class Taken:
    """A command, when it was given, and when the body began to change to it [s].

    At once if the body already did so; None where it has not begun yet.
    """

    command: str
    given_s: float
    taken_s: float | None = None


@dataclass(eq=False)
class Director:
    """Decides at each control interval of a run whether a link is taken.

    command: what is asked for; log: all commands so far
    """

    segments: LinkSegments
    steering: Steering
    library: SegmentLibrary
    part: Part
    command: str = STOP
    log: list[Taken] = field(default_factory=list)
    _chosen: int | None = None
    _latest: float = np.inf
    _asked: list[Steer | NextAction] = field(default_factory=list)
    _left: Playing | None = None

    def decide(self, now: Now, commands: Sequence[LiveCommand]) -> tuple[TakeOver, ...]:
        """Return the segment to follow from now on, if there is one.

        It takes over when the controller is asked next, which in draft quality is not at each control
        interval; until then nothing is decided, and commands wait.
        """
        self._asked += [command for command in commands if isinstance(command, (Steer, NextAction))]
        if now.playing is self._left:
            return ()
        sample = now.sample + self.part.offset
        while self._asked:
            command = self._asked.pop(0)
            self._ask(command.direction if isinstance(command, Steer) else command.name, now, sample)
        if self._chosen is None:
            self._choose(sample)
        assert self._chosen is not None
        if sample < min(self.segments.take_at[self._chosen], self.part.last):
            return ()
        self._left = now.playing
        if sample >= self.segments.take_at[self._chosen]:
            return (self._take(self._chosen, now),)
        return (self._go_on(),)

    def _ask(self, command: str, now: Now, sample: int) -> None:
        """Change the command; a link that is already chosen is chosen again."""
        wanted = command or STOP
        if wanted not in COMMANDS:
            self.steering.graph.number_of(wanted)  # refuses unknown ones
        given_s = now.tick * CONTROL_DT
        self.command, self._chosen, self._latest = wanted, None, np.inf
        satisfied = self.steering.satisfied(wanted, self.part.action, sample)
        self.log.append(Taken(wanted, given_s, given_s if satisfied else None))
        if not satisfied:
            self._latest = sample + LATEST_S / CONTROL_DT

    def _choose(self, sample: int) -> None:
        take_at, links = self.segments.take_at, self.steering.graph.links
        earliest = max(self.part.earliest, sample)
        ahead = [
            int(number)
            for number in self.steering.graph.exits_from(self.part.action, earliest)
            if take_at[number] >= sample + MARGIN and links[number].blend_start >= self.part.earliest
        ]
        if not ahead:
            raise InputError("The run has come to a place without a link; add clips to the list.")
        policy = self.steering.policy(self.command)
        self._chosen = chosen = policy.best_of(self.part.action, sample, ahead, self._latest)
        if take_at[chosen] <= self.part.last:
            self._prepare(self.segments.name_of(chosen), lambda: self.segments.segment(chosen))
        else:
            part = self.part
            self._prepare(self.segments.name_after(part), lambda: self.segments.segment_after(part))

    def _prepare(self, name: str, make: Callable[[], Segment]) -> None:
        if not self.library.known(name):
            self.library.add(name, make)

    def _go_on(self) -> TakeOver:
        """Go on in the same action, with a segment that has more of it."""
        name = self.segments.name_after(self.part)
        self.part, self._chosen = self.segments.part_after(self.part), None
        return TakeOver(name)

    def _take(self, number: int, now: Now) -> TakeOver:
        self.part, self._chosen, self._latest = self.segments.part_of(number), None, np.inf
        if self.log and self.log[-1].taken_s is None:
            self.log[-1].taken_s = now.tick * CONTROL_DT
        return TakeOver(self.segments.name_of(number))
