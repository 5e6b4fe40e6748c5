"""Several motions in sequence as one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..base import rotations
from ..base.conventions import IntArray
from ..base.errors import InputError
from ..motion.motion import Motion
from ..motion.skeleton import NO_PARENT, Skeleton
from ..recognition.mapping import BoneMapping
from ..result.records import SequencePart, TransitionFigures
from .blend import BLEND_SECONDS, MAX_BLEND_SECONDS
from .clip import Body, Clip
from .join import join
from .transition import Transition, find_transition

MIN_SAMPLES = 4
"""Least number of samples that determine velocity and acceleration."""
SAME_LENGTH = 0.01
"""Bones of the same character differ by less (share of the longest bone)..."""
SAME_AXES = np.radians(1.0)
"""...and their axes at rest by less [rad]."""


@dataclass(frozen=True)
class ChainPart:
    """The part of one motion in a chain; parts overlap while they are blended.

    start_s, end_s: since the start of the chain [s]
    transition: from the part before; None for the first
    """

    name: str
    start_s: float
    end_s: float
    transition: Transition | None

    def record(self) -> SequencePart:
        """Return the part as a result records it."""
        found = self.transition
        figures = None
        if found is not None:
            figures = TransitionFigures(
                pose_distance_m=found.distance,
                speed_difference=found.speed_difference,
                feet_differ=found.feet_differ,
                cost=found.cost,
                turned_deg=float(np.degrees(found.yaw)),
            )
        return SequencePart(self.name, self.start_s, self.end_s, figures)


@dataclass(frozen=True, eq=False)
class Chain:
    """One motion made of several.

    part (T), sample (T): the motion that each sample follows, and the index of its sample (at the first
    motion's rate)
    """

    motion: Motion
    parts: tuple[ChainPart, ...]
    part: IntArray
    sample: IntArray

    @property
    def notes(self) -> tuple[str, ...]:
        """Descriptions of the transitions for the user."""
        return tuple(
            f"'{a.name}' goes over into '{b.name}' at {b.start_s:.2f} s, "
            f"blended over {a.end_s - b.start_s:.2f} s; "
            f"the poses differ by {100.0 * b.transition.distance:.1f} cm."
            for a, b in zip(self.parts, self.parts[1:], strict=False)
            if b.transition is not None
        )


def chain(
    motions: Sequence[tuple[str, Motion]], mapping: BoneMapping, blend_seconds: float = BLEND_SECONDS
) -> Chain:
    """Return named motions of one character in sequence; the first one keeps its position."""
    names = [name for name, _ in motions]
    if len(motions) == 1:
        alone = motions[0][1]
        samples = np.arange(len(alone.time))
        return Chain(
            alone, (ChainPart(names[0], 0.0, alone.duration, None),), np.zeros_like(samples), samples
        )
    clips, body = make_clips(motions, mapping, blend_seconds)
    chaining = Chaining(body, blend_seconds)
    for name, clip in zip(names, clips, strict=True):
        chaining.add(name, clip)
    return chaining.finish()


class Chaining:
    """A chain that is built part by part; joined: the motion so far."""

    def __init__(self, body: Body, blend_seconds: float) -> None:
        self.body, self.blend_seconds = body, blend_seconds
        self.joined: Clip | None = None
        self._names: list[str] = []
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._steps: list[Transition | None] = []
        self._part, self._sample = np.zeros(0, dtype=int), np.zeros(0, dtype=int)

    def add(self, name: str, clip: Clip) -> int:
        """Append a motion; return the sample of the chain at which its first sample would be."""
        before, number = self.joined, len(self._names)
        self._names.append(name)
        if before is None:
            step, enter, leave, self.joined = None, 0, 0, clip
            self._starts.append(0)
        else:
            step = find_transition(before, clip, self.body, self.blend_seconds)
            enter, leave, self.joined = step.enter, step.leave, join(before, clip, step, self.body)
            self._starts.append(leave - step.half)
            self._ends.append(leave + step.half)
        self._steps.append(step)
        rest = np.arange(enter, len(clip.motion.time))
        self._part = np.concatenate([self._part[:leave], np.full(len(rest), number)])
        self._sample = np.concatenate([self._sample[:leave], rest])
        return leave - enter

    def finish(self) -> Chain:
        """Return the finished chain."""
        assert self.joined is not None
        motion = self.joined.motion
        ends, rate = [*self._ends, len(motion.time) - 1], motion.rate_hz
        parts = tuple(
            ChainPart(name, start / rate, end / rate, step)
            for name, start, end, step in zip(self._names, self._starts, ends, self._steps, strict=True)
        )
        return Chain(motion, parts, self._part, self._sample)


def transitions_between(
    motions: Mapping[str, Motion], mapping: BoneMapping, blend_seconds: float = BLEND_SECONDS
) -> dict[tuple[str, str], Transition]:
    """Return the best transition from each motion to each, including itself: the edges of a motion graph."""
    clips, body = make_clips(list(motions.items()), mapping, blend_seconds)
    named = dict(zip(motions, clips, strict=True))
    return {(a, b): find_transition(named[a], named[b], body, blend_seconds) for a in named for b in named}


def make_clips(
    motions: Sequence[tuple[str, Motion]], mapping: BoneMapping, blend_seconds: float
) -> tuple[list[Clip], Body]:
    """Return named motions of one character at the first one's rate, and that character."""
    if not motions:
        raise InputError("There is nothing to chain; add at least one motion.")
    if not 0.0 <= blend_seconds <= MAX_BLEND_SECONDS:
        raise InputError(
            f"The blend is {blend_seconds:g} s long; it must lie between 0 and {MAX_BLEND_SECONDS:g} s."
        )
    first_name, first = motions[0]
    for name, motion in motions[1:]:
        _refuse_other_skeleton(first.skeleton, motion.skeleton, first_name, name)
    for name, motion in motions:
        if motion.duration * first.rate_hz < MIN_SAMPLES - 1.5:
            raise InputError(
                f"'{name}' is too short to be chained: it lasts {motion.duration:.3f} s; choose a longer one."
            )
    sampled = [_at_rate(motion, first.rate_hz) for _, motion in motions]
    body = Body.of(sampled, mapping)
    return [Clip.of(motion, body) for motion in sampled], body


def _at_rate(motion: Motion, rate_hz: float) -> Motion:
    samples = round(motion.duration * rate_hz) + 1
    return motion.at(motion.time[0] + np.arange(max(samples, 2)) / rate_hz)


def _refuse_other_skeleton(first: Skeleton, other: Skeleton, first_name: str, name: str) -> None:
    advice = "chain motions of one character"
    if other.names != first.names or not np.array_equal(other.parents, first.parents):
        raise InputError(f"'{name}' has other bones than '{first_name}'; {advice}.")
    length, other_length = _bone_lengths(first), _bone_lengths(other)
    worst = int(np.argmax(np.abs(other_length - length)))
    if abs(other_length[worst] - length[worst]) > SAME_LENGTH * length.max():
        raise InputError(
            f"The body of '{name}' has other proportions than that of '{first_name}' "
            f"(bone '{first.names[worst]}': {100.0 * other_length[worst]:.1f} cm "
            f"instead of {100.0 * length[worst]:.1f} cm); {advice}."
        )
    rest, other_rest = (
        rotations.relative(s.rest_quaternion_world[:1], s.rest_quaternion_world) for s in (first, other)
    )
    if rotations.angle_between(rest, other_rest).max() > SAME_AXES:
        raise InputError(f"The rest pose of '{name}' is not that of '{first_name}'; {advice}.")


def _bone_lengths(skeleton: Skeleton) -> np.ndarray:
    """Return distances from each head to its parent's (N) [m]; 0 for roots."""
    parent = np.where(skeleton.parents == NO_PARENT, np.arange(len(skeleton.names)), skeleton.parents)
    offset = skeleton.rest_position_world - skeleton.rest_position_world[parent]
    return np.asarray(np.linalg.norm(offset, axis=1))
