"""Where hands go: hands that meet still meet, hands on the body stay on it, wished places are reached.

Places on the body are told on the capsules of the characters: how far along, in which direction, and how
far from the surface. So a hand on a hip is on the hip of a wider body too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..base import rotations
from ..base.conventions import FloatArray
from ..base.intervals import smooth_step, true_intervals
from ..character.from_rig import segment_rotations
from ..character.spec import Capsule
from ..motion.motion import Motion
from ..recognition.mapping import SIDES
from .actor import Actor
from .options import Reach, RetargetOptions
from .stances import LEAVES, with_hysteresis

MEET, APART = 0.08, 0.20
"""Palms nearer than this are held together; further apart they go their own ways [m], on a 1.75 m body."""
TOUCH, CLEAR = 0.02, 0.06
"""The same for a palm and the surface of the body [m]."""
SLOW, FAST = 0.15, 0.4
"""A palm slower than this over the body touches it; a faster one swings past [m/s]."""
STILL, STILL_S = 0.06, 0.3
"""A palm slower than this [m/s] for so long [s] is at rest on something."""
TOUCHED = ("head", "chest", "abdomen", "pelvis")
"""Parts that are touched on purpose; hanging arms are near the thighs all the time."""
HEIGHT = 1.75


@dataclass(frozen=True, eq=False)
class HandGoals:
    """palm_world: side -> (T, 3) [m]; changed (T): whether a goal differs from the style"""

    palm_world: dict[str, FloatArray]
    changed: np.ndarray


def palm_offset(actor: Actor, side: str) -> FloatArray:
    """The middle of the hand in its part's axes (3) [m]."""
    return actor.character.spec[f"hand.{side}"].com


def palms(actor: Actor, motion: Motion, side: str) -> FloatArray:
    """Middles of a hand (T, 3) [m]."""
    slot = f"hand.{side}"
    axes = actor.part_axes(motion.quaternion_world, slot)
    return motion.position_world[:, actor.bone(slot)] + rotations.rotate(axes, palm_offset(actor, side))


def hand_goals(
    source: Actor, motion: Motion, target: Actor, performed: Motion, wish: RetargetOptions
) -> HandGoals | None:
    """Goals of the target's palms; None where nothing asks for any."""
    mine = [side for side in SIDES if f"hand.{side}" in target.mapping]
    if not mine:
        return None
    style = {side: palms(target, performed, side) for side in mine}
    goals = dict(style)
    size = source.character.spec.height / HEIGHT
    both = [side for side in mine if f"hand.{side}" in source.mapping]
    if wish.hands:
        for side in both:
            goals[side] = _on_body(source, motion, target, performed, side, goals[side], size)
        if len(both) == len(SIDES):
            goals |= _together(source, motion, target, goals, size)
    held = [
        one
        for side in (both if wish.hold_hands else ())
        for one in still_hands(palms(source, motion, side), performed.time, goals[side], f"hand.{side}", size)
    ]
    for reach in (*held, *wish.reaches):
        side = reach.slot[-1]
        if reach.slot.startswith("hand") and side in goals:
            share = reach.share(performed.time)[:, None]
            goals[side] = goals[side] + share * (reach.places(performed.time) - goals[side])
    away = [np.linalg.norm(goals[side] - style[side], axis=1) for side in mine]
    changed = np.max(away, axis=0) > 1e-5
    return HandGoals(goals, changed) if changed.any() else None


def still_hands(palm: FloatArray, time: FloatArray, goal: FloatArray, slot: str, size: float) -> list[Reach]:
    """One place for each while in which a palm of the source (T, 3) stays; goal (T, 3): of the target's."""
    speed = np.linalg.norm(np.gradient(palm, time, axis=0), axis=1) / np.sqrt(size)
    stays = with_hysteresis(speed < STILL, speed < LEAVES * STILL)
    return [
        Reach(slot, np.median(goal[first:past], axis=0), float(time[first]), float(time[past - 1]))
        for first, past in true_intervals(stays)
        if time[past - 1] - time[first] > STILL_S
    ]


def _together(
    source: Actor, motion: Motion, target: Actor, goals: dict[str, FloatArray], size: float
) -> dict[str, FloatArray]:
    """Palms as far apart as in the source, in the size of the target's hands, where they meet."""
    left, right = (palms(source, motion, side) for side in SIDES)
    apart = left - right
    share = _nearness(np.linalg.norm(apart, axis=1) / size, MEET, APART)[:, None]
    ratio = palm_offset(target, "L")[2] / palm_offset(source, "L")[2]
    middle, own = 0.5 * (goals["L"] + goals["R"]), goals["L"] - goals["R"]
    wished = own + share * (ratio * apart - own)
    return {"L": middle + 0.5 * wished, "R": middle - 0.5 * wished}


def _nearness(distance: FloatArray, near: float, far: float) -> FloatArray:
    return smooth_step((far - distance) / (far - near))


def _on_body(
    source: Actor,
    motion: Motion,
    target: Actor,
    performed: Motion,
    side: str,
    goal: FloatArray,
    size: float,
) -> FloatArray:
    """The goal of a palm (T, 3), drawn to the part of the body that it touches in the source."""
    palm = palms(source, motion, side)
    ratio = target.character.spec.height / source.character.spec.height
    moved, total = np.zeros_like(goal), np.zeros((len(goal), 1))
    for name in TOUCHED:
        if name not in source.character.spec.names or name not in target.character.spec.names:
            continue
        mine, theirs = _Surface(source, motion, name), _Surface(target, performed, name)
        along, direction, gap = mine.seen(palm)
        speed = mine.speed(palm, motion.rate_hz) / np.sqrt(size)
        share = (_nearness(gap / size, TOUCH, CLEAR) * _nearness(speed, SLOW, FAST))[:, None]
        if share.any():
            moved += share * (theirs.place(along, direction, ratio * gap) - goal)
            total += share
    return goal + moved / np.maximum(total, 1.0)


class _Surface:
    """The capsule of a character's segment over time."""

    def __init__(self, actor: Actor, motion: Motion, name: str) -> None:
        binding = actor.character.binding
        segment = binding.index(name)
        self.axes = segment_rotations(binding, motion)[:, segment]
        self.origin = motion.position_world[:, binding.joint[segment]]
        capsule = actor.character.spec[name].shapes[0]
        assert isinstance(capsule, Capsule)
        self.start, self.line, self.radius = capsule.start, capsule.end - capsule.start, capsule.radius

    def _local(self, point: FloatArray) -> FloatArray:
        return rotations.rotate(rotations.conjugate(self.axes), point - self.origin)

    def speed(self, point: FloatArray, rate_hz: float) -> FloatArray:
        """Of a point (T, 3) over the segment (T) [m/s]."""
        return np.asarray(np.linalg.norm(np.gradient(self._local(point), 1.0 / rate_hz, axis=0), axis=1))

    def seen(self, point: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Share along the capsule (T), direction from its line (T, 3) in its axes, gap to its surface (T)."""
        local = self._local(point)
        along = np.clip((local - self.start) @ self.line / (self.line @ self.line), 0.0, 1.0)
        away = local - self.start - along[:, None] * self.line
        distance = np.linalg.norm(away, axis=1)
        return along, away / np.maximum(distance, 1e-9)[:, None], distance - self.radius

    def place(self, along: FloatArray, direction: FloatArray, gap: FloatArray) -> FloatArray:
        """The point (T, 3) that is seen so [m]."""
        local = self.start + along[:, None] * self.line + (self.radius + gap)[:, None] * direction
        return self.origin + rotations.rotate(self.axes, local)
