"""The segments of a steered run: one for each link, from shortly before its blend on into its target.

Each is prepared as a bake prepares a motion, with its own ground forces and gains, once and in its own frame;
the run places it where the reference has come to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..actions.graph import LEAST_STAY_S, ActionGraph
from ..actions.route import clip_part
from ..bake.attempt import Attempt
from ..bake.make_reference import make_reference
from ..bake.setup import CharacterSetup
from ..base.conventions import FloatArray
from ..live.segment import Segment, segment_of, with_motion
from ..motion.motion import CONTROL_DT
from ..sequence.join import join

BEFORE_S = 0.4
"""Time before the blend that is prepared with it, so that it starts as what goes before it [s]."""
MOST_STAY_S = 4.0
"""Longest time that a segment goes on after its blend; without a link by then, another one goes on [s]."""
AFTER_S = 0.5
"""Time after the last sample that is followed, so that gains look ahead of it [s]."""
AROUND_S = 1.0
"""Time before and after what goes before a blend that is prepared with it, so that ends do not count [s]."""
SETTLE_S = 1.0
"""Time before the end of a segment in which a place is looked for where another one can go on [s]."""


@dataclass(frozen=True)
class Part:
    """Where the samples of a segment are in its action: sample = sample of the segment + offset."""

    action: int
    offset: int
    earliest: int
    """Sample of the action from which on the next link can be taken."""
    last: int
    """Sample of the action up to which the segment is followed."""


class LinkSegments:
    """Makes the segments of a graph for one character."""

    def __init__(self, graph: ActionGraph, setup: CharacterSetup) -> None:
        self.graph, self.setup = graph, setup

    @property
    def start_name(self) -> str:
        """Name of the segment with which a run starts."""
        return "start"

    def name_of(self, number: int) -> str:
        """Return the name of the segment of a link."""
        link, actions = self.graph.links[number], self.graph.actions
        left, entered = (link.transition.leave * CONTROL_DT, link.transition.enter * CONTROL_DT)
        return f"{actions[link.source].name} {left:.2f} to {actions[link.target].name} {entered:.2f}"

    @cached_property
    def take_at(self) -> Sequence[int]:
        """For each link the sample of its source at which its segment takes over.

        Where both feet stand, if that is shortly before the blend: a swinging foot may be displaced, which a
        new controller does not know.
        """
        stay = round(LEAST_STAY_S / CONTROL_DT)
        return [
            self._on_both_feet(link.source, max(link.blend_start - stay, 0), link.blend_start)
            for link in self.graph.links
        ]

    def _on_both_feet(self, action: int, first: int, last: int) -> int:
        """Return the last sample of a stretch of an action at which both feet stand; its end without one."""
        stands = np.asarray(self.graph.actions[action].clip.touches.any(axis=2))[first : last + 1]
        both = np.flatnonzero(stands.all(axis=1))
        return first + int(both[-1]) if len(both) else last

    @property
    def start_part(self) -> Part:
        """Where the segment with which a run starts is in its action."""
        action, sample = self.graph.start
        return Part(action, sample, sample, self._last(action, sample))

    def start(self) -> Segment:
        """Return the segment with which a run starts."""
        return self._stretch(self.start_part, self.start_name, self.start_part.offset)

    def part_of(self, number: int) -> Part:
        """Return where the segment of a link is in the action that it leads to."""
        link = self.graph.links[number]
        before = link.transition.leave - self._first(number)
        stay = round(LEAST_STAY_S / CONTROL_DT)
        enter = link.transition.enter
        return Part(link.target, enter - before, link.blend_end + stay, self._last(link.target, enter))

    def part_after(self, part: Part) -> Part:
        """Return where the segment is that goes on in the same action where the one of a part ends."""
        offset = max(part.last - round(BEFORE_S / CONTROL_DT), 0)
        return Part(part.action, offset, part.earliest, self._last(part.action, part.last))

    def name_after(self, part: Part) -> str:
        """Return the name of the segment that goes on where the one of a part ends."""
        return f"{self.graph.actions[part.action].name} from {part.last * CONTROL_DT:.2f}"

    def segment_after(self, part: Part) -> Segment:
        """Return the segment that goes on where the one of a part ends."""
        return self._stretch(self.part_after(part), self.name_after(part), part.last)

    def _stretch(self, part: Part, name: str, taken: int) -> Segment:
        """Return a stretch of an action without a link, to be taken over at a sample of the action."""
        own = clip_part(self.graph.actions[part.action].clip, part.offset, part.last + self._after)
        return segment_of(with_motion(self.setup, own.motion), name, first=taken - part.offset)

    @property
    def _after(self) -> int:
        return round(AFTER_S / CONTROL_DT)

    def _last(self, action: int, entered: int) -> int:
        """Return the sample up to which an action is followed that is entered at a sample."""
        last, end = entered + round(MOST_STAY_S / CONTROL_DT), len(self.graph.actions[action]) - 1
        if last + self._after > end:
            return end  # a link is taken before
        return self._on_both_feet(action, last - round(SETTLE_S / CONTROL_DT), last)

    def _first(self, number: int) -> int:
        """Return the first sample of the source that is in the segment of a link."""
        return max(self.graph.links[number].blend_start - round(BEFORE_S / CONTROL_DT), 0)

    def segment(self, number: int) -> Segment:
        """Return the segment of a link."""
        link, first = self.graph.links[number], self._first(number)
        found = link.transition
        before = clip_part(self.graph.actions[link.source].clip, first, found.leave + found.half + 1)
        moved = replace(found, leave=found.leave - first)
        joined = join(before, self.graph.actions[link.target].clip, moved, self.graph.body).motion
        part = self.part_of(number)
        motion = joined.first(part.last + self._after - part.offset)
        own = with_motion(self.setup, motion, self._begun(number))
        return segment_of(own, self.name_of(number), first=self.take_at[number] - first)

    def _begun(self, number: int) -> FloatArray:
        """Return the poses (N, nq) of a link's segment up to where it takes over: as they are without it.

        Else the reference would have changed its velocity before it is followed, by 0.3 m/s at a hard stop,
        and the body would be off by that at once.
        """
        clip = self.graph.actions[self.graph.links[number].source].clip
        first, taken, around = self._first(number), self.take_at[number], round(AROUND_S / CONTROL_DT)
        start = max(first - around, 0)
        own = with_motion(self.setup, clip_part(clip, start, taken + around).motion)
        prepared = make_reference(own, Attempt(own.methods[0]))
        return prepared.reference.qpos[first - start : taken - start + 1]
