"""Continuous play: a state machine that waits, hits and goes over from one to the other (figure 6).

Wait, hit, wait, hit, wait: every change is a transition of `sequence`, and every hit is made of its
examples for the place where its target will be when it is struck.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

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


@dataclass(frozen=True, eq=False)
class Recorded:
    """A motion of the library; strike_s: since its start, None finds it; of a wait it means nothing."""

    name: str
    motion: Motion
    strike_s: float | None = None


@dataclass(frozen=True, eq=False)
class Order:
    """A hit of the library, and what it shall strike; wait_s: before it, None for the whole wait."""

    hit: str
    aim: Aim
    wait_s: float | None = None


@dataclass(frozen=True, eq=False)
class Played:
    """One motion, and its strikes with their times; weights: of each strike's examples."""

    chain: Chain
    aims: tuple[Aim, ...]
    weights: tuple[FloatArray, ...]


def play(
    wait: Recorded,
    hits: Mapping[str, Sequence[Recorded]],
    orders: Sequence[Order],
    mapping: BoneMapping,
    blend_seconds: float,
) -> Played:
    """All orders in turn, with a wait before each and after the last."""
    unknown = next((order.hit for order in orders if not hits.get(order.hit)), None)
    if unknown is not None:
        raise InputError(f"There is no hit '{unknown}' in the library; there are {', '.join(hits)}.")
    machine = _Machine(wait, hits, mapping, blend_seconds)
    for order in orders:
        machine.wait(order.wait_s)
        machine.hit(order)
    machine.wait(None)
    return Played(machine.chaining.finish(), tuple(machine.aims), tuple(machine.weights))


class _Machine:
    """Its state is what was done so far."""

    def __init__(
        self,
        wait: Recorded,
        hits: Mapping[str, Sequence[Recorded]],
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

    def wait(self, seconds: float | None) -> None:
        """For about so long; the wait is repeated, or cut."""
        whole = self.clips[self.ready]
        left = whole.motion.duration if seconds is None else max(seconds, SHORTEST_WAIT_S)
        while left > 0.0:
            samples = round(min(left, whole.motion.duration) * whole.motion.rate_hz) + 1
            self.chaining.add(self.ready, _first(whole, samples))
            left -= whole.motion.duration
            if left < SHORTEST_WAIT_S:
                return

    def hit(self, order: Order) -> None:
        """Made for its target, and joined; what follows leaves its strike alone."""
        records, aim = self.hits[order.hit], order.aim
        found = [find_example(r.name, self.clips[r.name], self.body, aim, r.strike_s) for r in records]
        examples = aligned(found, self.body)
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

    def _weights(self, examples: Sequence[Example], aim: Aim) -> FloatArray:
        """For where the target will be, seen from the examples as they would follow."""
        joined, first = self.chaining.joined, examples[0]
        assert joined is not None
        step = find_transition(joined, first.clip, self.body, self.chaining.blend_seconds)
        strike_s = (step.leave - step.enter + first.strike) / joined.motion.rate_hz
        target = aim.target(float(joined.motion.time[0]) + strike_s) - [*step.shift, 0.0]
        local = rotations.rotate(rotations.about_vertical(-step.yaw), target)
        return weights_for(np.array([example.place for example in examples]), local)


def _first(clip: Clip, samples: int) -> Clip:
    return replace(clip, motion=clip.motion.first(samples), touches=clip.touches[:samples])
