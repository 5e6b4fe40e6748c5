"""The action graph: actions, and the links at which one goes over into the next.

da Silva, Abe, Popovic 2008 chain the controllers of clips this way (their section on chained controllers; da
Silva 2008, thesis, 5.4). Links are found by the cost of a transition, which looks at poses, velocities and
feet (`sequence/transition.py`), at all times of an action and not only at its end.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np

from ..base.conventions import FloatArray, IntArray
from ..base.errors import InputError
from ..motion.motion import CONTROL_DT, Motion, on_control_grid
from ..recognition.mapping import BoneMapping
from ..sequence.blend import BLEND_SECONDS
from ..sequence.chain import make_clips
from ..sequence.clip import Body
from ..sequence.transition import Pairs, Transition, compare
from .action import Action
from .mirror import mirrored

HALF = round(0.5 * BLEND_SECONDS / CONTROL_DT)
"""Samples that are blended on each side of a link."""
MOST_COST = 0.9
"""Cost of a transition up to which it is a link [m/s]; walks of several people differ by 0.3 to 0.8."""
STRIDE = 2
"""Samples between two at which links are looked for: 20 ms."""
LINK_EVERY_S = 0.2
"""Of the links from one action to another that are left within this time, the best is kept [s]."""
LEAST_JUMP_S = 0.3
"""A link within an action goes at least this far [s]."""
LEAST_STAY_S = 0.15
"""Least time between two blends [s]."""
FALLING_RATE = 3.3
"""Rate of a person's pendulum: what a capture point is off by counts as this much velocity [1/s]."""
MIRRORED = " (mirrored)"
"""What is added to the name of a mirrored copy."""


@dataclass(frozen=True)
class Link:
    """From one action to another, by index; the transition holds the samples.

    capture_jump: how far the capture point of one is from that of the other, over the feet that stay [m]
    """

    source: int
    target: int
    transition: Transition
    capture_jump: float

    @property
    def change(self) -> float:
        """The change of velocity that it takes, of poses and of balance [m/s]."""
        return self.transition.cost + FALLING_RATE * self.capture_jump

    @property
    def blend_start(self) -> int:
        """The sample of the source at which its blend starts."""
        return self.transition.leave - self.transition.half

    @property
    def blend_end(self) -> int:
        """The sample of the target at which its blend ends."""
        return self.transition.enter + self.transition.half


@dataclass(frozen=True, eq=False)
class ActionGraph:
    """Actions of one body and the links between them, ordered by source and time."""

    actions: tuple[Action, ...]
    links: tuple[Link, ...]
    body: Body
    mapping: BoneMapping

    @cached_property
    def exits(self) -> tuple[IntArray, ...]:
        """For each action the numbers of the links that leave it."""
        source = np.array([link.source for link in self.links], dtype=int)
        return tuple(np.flatnonzero(source == action) for action in range(len(self.actions)))

    def exits_from(self, action: int, sample: int) -> IntArray:
        """Return the numbers of the links whose blend can still start at a sample of an action or later."""
        leaving = self.exits[action]
        starts = np.array([self.links[link].blend_start for link in leaving], dtype=int)
        return np.asarray(leaving[starts >= sample])

    def exits_after(self, link: int) -> IntArray:
        """Return the numbers of the links that can follow a link."""
        entered = self.links[link]
        return self.exits_from(entered.target, entered.blend_end + round(LEAST_STAY_S / CONTROL_DT))

    def number_of(self, name: str) -> int:
        """Return the number of the action of a name."""
        names = [action.name for action in self.actions]
        if name not in names:
            raise InputError(f"There is no action '{name}' in the graph; there are {', '.join(names)}.")
        return names.index(name)

    @cached_property
    def start(self) -> tuple[int, int]:
        """The action and the sample at which a run starts: where the body stands most quietly."""
        calm = [
            (float(action.speed[:last].min()), number, int(np.argmin(action.speed[:last])))
            for number, action in enumerate(self.actions)
            if (last := self._last_start(number)) > 0
        ]
        _, number, sample = min(calm)
        return number, sample

    def _last_start(self, action: int) -> int:
        """Return the last sample of an action from which a link can still be taken."""
        starts = [self.links[link].blend_start for link in self.exits[action]]
        return max(starts, default=0)


def make_graph(
    motions: Sequence[tuple[str, Motion]],
    mapping: BoneMapping,
    unmirrored: Collection[str] = (),
    off: Collection[tuple[str, str]] = (),
) -> ActionGraph:
    """Return the graph of named motions of one character.

    unmirrored: names of motions that get no mirrored copy
    off: pairs of names without a link; the name of a motion counts for its mirrored copy, too
    """
    named = [(name, on_control_grid(motion)) for name, motion in motions]
    named += [
        (name + MIRRORED, mirrored(motion, mapping)) for name, motion in named if name not in unmirrored
    ]
    clips, body = make_clips(named, mapping, BLEND_SECONDS)
    carrier = body.character.binding.skeleton.index[mapping.first("hips")]
    actions = tuple(Action(name, clip, body, carrier) for (name, _), clip in zip(named, clips, strict=True))
    links = [
        Link(a, b, transition, jump)
        for a, before in enumerate(actions)
        for b, after in enumerate(actions)
        if not _pairs_of(before.name, after.name) & set(off)
        for transition, jump in _transitions(before, after, same=a == b)
    ]
    graph = _without_dead_ends(ActionGraph(actions, tuple(links), body, mapping))
    if not graph.links:
        raise InputError(
            "No action can follow another or itself; add clips that begin or end alike, "
            "such as a walk of three steps or more, or a stand."
        )
    return graph


def _pairs_of(before: str, after: str) -> set[tuple[str, str]]:
    """Return the pairs of names that a link goes by: mirrored copies also have the name of their motion."""
    return set(product((before, before.removesuffix(MIRRORED)), (after, after.removesuffix(MIRRORED))))


def _transitions(before: Action, after: Action, same: bool) -> Iterator[tuple[Transition, float]]:
    """Yield the best transitions from one action to another, one for each short stretch of time.

    Each with its jump of the capture point [m]: the best is the one with the least cost together with that.
    """
    leave, enter = (np.arange(HALF, len(action) - HALF, STRIDE) for action in (before, after))
    if not len(leave) or not len(enter):
        return
    half = np.full((len(leave), len(enter)), HALF)
    pairs = compare(before.frames, after.frames, leave, enter, half, 1.0 / CONTROL_DT)
    allowed = pairs.cost <= MOST_COST
    if same:
        allowed &= np.abs(leave[:, None] - enter) >= LEAST_JUMP_S / CONTROL_DT
    jump = _capture_jumps(before, after, pairs)
    price = np.where(allowed, pairs.cost + FALLING_RATE * jump, np.inf)
    for row, column in _least(price):
        yield pairs.transition(row, column), float(jump[row, column])


def _capture_jumps(before: Action, after: Action, pairs: Pairs) -> FloatArray:
    """Return how far capture points are apart (n, m), seen from the foot from which this is most [m].

    Only feet that stay after the blend count, if there is one: as far as they stand otherwise in the other
    motion, the body will be off when it is over one of them.
    """
    there = before.capture[pairs.leave][:, None] - np.exp(1j * pairs.yaw) * after.capture[pairs.enter]
    stays, soles = after.frames.stands[pairs.enter + HALF] > 0.0, after.frames.touches.shape[1] // 2
    jump = np.full(there.shape, np.nan)
    for foot in (0, 1):
        shift = pairs.shift_over(slice(foot * soles, (foot + 1) * soles))
        own = np.where(stays[:, foot], np.abs(there - shift), np.nan)
        jump = np.fmax(jump, own)
    return np.where(np.isnan(jump), np.abs(there - pairs.shift), jump)


def _least(price: FloatArray) -> Iterator[tuple[int, int]]:
    """Yield the cheapest pair (of n, m) of each short stretch of the samples to leave, if one is allowed."""
    every = round(LINK_EVERY_S / CONTROL_DT / STRIDE)
    for first in range(0, len(price), every):
        part = price[first : first + every]
        row, column = np.unravel_index(np.argmin(part), part.shape)
        if np.isfinite(part[row, column]):
            yield first + int(row), int(column)


def _without_dead_ends(graph: ActionGraph) -> ActionGraph:
    """Return the graph without links after which no other link can be taken."""
    while True:
        kept = tuple(link for number, link in enumerate(graph.links) if len(graph.exits_after(number)))
        if len(kept) == len(graph.links):
            return graph
        graph = ActionGraph(graph.actions, kept, graph.body, graph.mapping)
