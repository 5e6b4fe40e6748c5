"""A sequence of waits and hits made from a motion library (Zordan, Hodgins 2002, figure 6).

A state machine alternates between waiting and hitting. Every change is a transition of the sequence package,
and every hit is interpolated from its examples for the position of its target at the contact.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from ..base import rotations
from ..base.conventions import FloatArray
from ..base.errors import InputError
from ..motion.motion import Motion
from ..recognition.mapping import BoneMapping
from ..scene.aims import Aim
from ..sequence.chain import Chain, Chaining, make_clips
from ..sequence.clip import Clip
from ..sequence.transition import find_transition
from .examples import Example, aligned, find_example, interpolated, weights_for

SHORTEST_WAIT_S = 0.2
"""Shortest wait between two hits [s]."""
MOST_JOINED = 200
"""Waits and hits that one sequence may have: each is blended onto all before it."""
MOST_EXAMPLES = 500
"""Examples that all hits of one sequence may be made of."""


_Striker = tuple[str, str, tuple[float, ...] | None]
"""A hit, the bone that strikes, and the point on it."""


@dataclass(frozen=True, eq=False)
class LibraryMotion:
    """A motion of the library; strike_s: contact time since its start, None finds it; unused for a wait."""

    name: str
    motion: Motion
    strike_s: float | None = None


@dataclass(frozen=True, eq=False)
class HitOrder:
    """A hit of the library and what it shall strike.

    wait_s: wait before it [s], None for a whole wait motion
    """

    hit: str
    aim: Aim
    wait_s: float | None = None


@dataclass(frozen=True, eq=False)
class HitSequence:
    """The whole motion and its strikes with their times; weights: of the examples of each strike."""

    chain: Chain
    aims: tuple[Aim, ...]
    weights: tuple[FloatArray, ...]


def make_hit_sequence(
    wait: LibraryMotion,
    hits: Mapping[str, Sequence[LibraryMotion]],
    orders: Sequence[HitOrder],
    mapping: BoneMapping,
    blend_seconds: float,
) -> HitSequence:
    """Return the motion of all orders, with a wait before each of them and one after the last."""
    unknown = next((order.hit for order in orders if not hits.get(order.hit)), None)
    if unknown is not None:
        raise InputError(f"There is no hit '{unknown}' in the library; there are {', '.join(hits)}.")
    _refuse_too_much(wait, hits, orders)
    machine = _StateMachine(wait, hits, mapping, blend_seconds)
    for order in orders:
        machine.wait(order.wait_s)
        machine.hit(order)
    machine.wait(None)
    return HitSequence(machine.chaining.finish(), tuple(machine.aims), tuple(machine.weights))


def _refuse_too_much(
    wait: LibraryMotion, hits: Mapping[str, Sequence[LibraryMotion]], orders: Sequence[HitOrder]
) -> None:
    """Refuse sequences that would take minutes to make."""
    joined = len(orders)
    for order in islice(orders, MOST_JOINED):
        joined += sum(1 for _ in islice(_wait_parts_s(order.wait_s, wait.motion.duration), MOST_JOINED))
    if joined > MOST_JOINED:
        raise InputError(
            f"The play joins {joined} or more waits and hits, but at most {MOST_JOINED} can be joined; "
            "split it, or let it wait by a longer motion."
        )
    examples = sum(len(hits[order.hit]) for order in orders)
    if examples > MOST_EXAMPLES:
        raise InputError(
            f"The hits of the play are made of {examples} examples in all, but at most {MOST_EXAMPLES} can "
            "be used; give them fewer examples, or split the play."
        )


def _wait_parts_s(seconds: float | None, whole_s: float) -> Iterator[float]:
    """Yield the lengths [s] of the repetitions of a wait motion that last about some seconds; None: one."""
    left = whole_s if seconds is None else max(seconds, SHORTEST_WAIT_S)
    while left > 0.0:
        yield min(left, whole_s)
        left -= whole_s
        if left < SHORTEST_WAIT_S:
            return


class _StateMachine:
    """Appends waits and hits to a motion."""

    def __init__(
        self,
        wait: LibraryMotion,
        hits: Mapping[str, Sequence[LibraryMotion]],
        mapping: BoneMapping,
        blend_seconds: float,
    ) -> None:
        names = list(dict.fromkeys(r.name for r in (wait, *(r for own in hits.values() for r in own))))
        records = {r.name: r for r in (*(r for own in hits.values() for r in own), wait)}
        clips, body = make_clips([(name, records[name].motion) for name in names], mapping, blend_seconds)
        self.clips, self.body, self.ready = dict(zip(names, clips, strict=True)), body, wait.name
        self.hits, self.chaining = hits, Chaining(body, blend_seconds)
        self.aims: list[Aim] = []
        self.weights: list[FloatArray] = []
        self.aligned: dict[_Striker, list[Example]] = {}

    def wait(self, seconds: float | None) -> None:
        """Append a wait of about this length [s], repeating or cutting the wait motion.

        None appends it once
        """
        whole = self.clips[self.ready]
        for part_s in _wait_parts_s(seconds, whole.motion.duration):
            self.chaining.add(self.ready, _first(whole, round(part_s * whole.motion.rate_hz) + 1))

    def hit(self, order: HitOrder) -> None:
        """Append a hit made for its target; later transitions leave its strike unchanged."""
        examples, aim = self._examples(order), order.aim
        self.weights.append(self._weights(examples, aim))
        clip, strike = interpolated(examples, self.weights[-1], self.body), examples[0].strike
        at = self.chaining.add(order.hit, clip) + strike
        joined = self.chaining.joined
        assert joined is not None
        if at <= joined.part_start:
            raise InputError(
                f"'{order.hit}' strikes {strike / clip.motion.rate_hz:.2f} s after its start, which is too "
                "soon for the transition into it; let its examples begin earlier."
            )
        self.chaining.joined = replace(joined, part_start=max(joined.part_start, at))
        self.aims.append(replace(aim, time=float(joined.motion.time[0]) + at / joined.motion.rate_hz))

    def _examples(self, order: HitOrder) -> list[Example]:
        """Return the aligned examples of a hit, which are the same for every target of a striker."""
        aim, records = order.aim, self.hits[order.hit]
        striker = order.hit, aim.bone, None if aim.point is None else tuple(aim.point.tolist())
        if striker not in self.aligned:
            found = [find_example(r.name, self.clips[r.name], self.body, aim, r.strike_s) for r in records]
            self.aligned[striker] = aligned(found, self.body)
        return self.aligned[striker]

    def _weights(self, examples: Sequence[Example], aim: Aim) -> FloatArray:
        """Return the examples' weights for the target, seen from the examples as they would be placed."""
        joined, first = self.chaining.joined, examples[0]
        assert joined is not None
        step = find_transition(joined, first.clip, self.body, self.chaining.blend_seconds)
        strike_s = (step.leave - step.enter + first.strike) / joined.motion.rate_hz
        target = aim.target(float(joined.motion.time[0]) + strike_s) - [*step.shift, 0.0]
        local = rotations.rotate(rotations.about_vertical(-step.yaw), target)
        return weights_for(np.array([example.position for example in examples]), local)


def _first(clip: Clip, samples: int) -> Clip:
    return replace(clip, motion=clip.motion.first(samples), touches=clip.touches[:samples])
