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
from ..bake.setup import CharacterSetup
from ..live.segment import Segment, segment_of, with_motion
from ..motion.motion import CONTROL_DT
from ..sequence.join import join

BEFORE_S = 0.4
"""Time before the blend that is prepared with it, so that it starts as what goes before it [s]."""
MOST_STAY_S = 4.0
"""Longest time that a segment goes on after its blend; the next link is taken before [s]."""
AFTER_S = 0.5
"""Time after the last link that can be taken, so that gains look ahead of it [s]."""


@dataclass(frozen=True)
class Part:
    """Where the samples of a segment are in its action: sample = sample of the segment + offset."""

    action: int
    offset: int
    earliest: int
    """Sample of the action from which on the next link can be taken."""


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
        taken = []
        for link in self.graph.links:
            touches = self.graph.actions[link.source].clip.touches
            stands = np.asarray(np.asarray(touches.any(axis=2)).all(axis=1))
            first = max(link.blend_start - round(LEAST_STAY_S / CONTROL_DT), 0)
            both = np.flatnonzero(stands[first : link.blend_start + 1])
            taken.append(first + int(both[-1]) if len(both) else link.blend_start)
        return taken

    @property
    def start_part(self) -> Part:
        """Where the segment with which a run starts is in its action."""
        action, sample = self.graph.start
        return Part(action, sample, sample)

    def start(self) -> Segment:
        """Return the segment with which a run starts."""
        action, sample = self.graph.start
        own = clip_part(self.graph.actions[action].clip, sample, None)
        stay = round((MOST_STAY_S + AFTER_S) / CONTROL_DT)
        motion = own.motion.first(min(stay, len(own.motion.time)))
        return segment_of(with_motion(self.setup, motion), self.start_name)

    def part_of(self, number: int) -> Part:
        """Return where the segment of a link is in the action that it leads to."""
        link = self.graph.links[number]
        before = link.transition.leave - self._first(number)
        stay = round(LEAST_STAY_S / CONTROL_DT)
        return Part(link.target, link.transition.enter - before, link.blend_end + stay)

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
        stay = moved.leave + round((MOST_STAY_S + AFTER_S) / CONTROL_DT)
        motion = joined.first(min(stay, len(joined.time)))
        own = with_motion(self.setup, motion)
        return segment_of(own, self.name_of(number), first=self.take_at[number] - first)
