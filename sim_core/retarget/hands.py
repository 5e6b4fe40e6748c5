"""Goals of the hands, and arms that reach them on a trunk that keeps its pose.

Hands that meet still meet, hands on the body stay on it, and given positions are reached. Positions on the
body are described relative to the capsules of the characters: how far along, in which direction, and how far
from the surface. So a hand on a hip is on the hip of a wider body too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..base import rotations
from ..base.conventions import Y_LEFT, FloatArray
from ..base.intervals import smooth_step, true_intervals
from ..character.from_rig import segment_rotations
from ..character.spec import SegmentCapsule
from ..motion.motion import Motion
from ..recognition.mapping import SIDES
from .limbs import LimbSolver, PulledPoints, reach_turns
from .retarget_options import Reach, RetargetOptions
from .retarget_rig import RetargetRig
from .stances import LEAVES, with_hysteresis
from .style import BoneRotations

MEET, APART = 0.08, 0.20
"""Palms that are nearer are held together; palms that are further apart are independent [m], on a 1.75 m
body."""
TOUCH, CLEAR = 0.02, 0.06
"""The same for a palm and the surface of the body [m]."""
SLOW, FAST = 0.15, 0.4
"""A palm that is slower relative to the body touches it; a faster one passes by [m/s]."""
STILL, STILL_S = 0.06, 0.3
"""A palm that is slower [m/s] for this time [s] is at rest."""
TOUCHED = ("head", "chest", "abdomen", "pelvis")
"""Parts that are touched on purpose; thighs are not, as hanging arms are always near them."""
HEIGHT = 1.75


@dataclass(frozen=True, eq=False)
class HandGoals:
    """palm_world: side -> positions (T, 3) [m]; changed (T): whether a goal differs from the style."""

    palm_world: dict[str, FloatArray]
    changed: np.ndarray


def palm_offset(rig: RetargetRig, side: str) -> FloatArray:
    """Return the centre of the hand in its part's axes (3) [m]."""
    return rig.character.spec[f"hand.{side}"].com


def palms(rig: RetargetRig, motion: Motion, side: str) -> FloatArray:
    """Return the centres of a hand (T, 3) [m]."""
    slot = f"hand.{side}"
    axes = rig.part_axes(motion.quaternion_world, slot)
    return motion.position_world[:, rig.bone(slot)] + rotations.rotate(axes, palm_offset(rig, side))


def hand_goals(
    source: RetargetRig, motion: Motion, target: RetargetRig, style_motion: Motion, options: RetargetOptions
) -> HandGoals | None:
    """Return goals of the target's palms; None if they all agree with the style."""
    sides = [side for side in SIDES if f"hand.{side}" in target.mapping]
    if not sides:
        return None
    style = {side: palms(target, style_motion, side) for side in sides}
    goals = dict(style)
    size = source.character.spec.height / HEIGHT
    both = [side for side in sides if f"hand.{side}" in source.mapping]
    if options.hands:
        for side in both:
            goals[side] = _on_body(source, motion, target, style_motion, side, goals[side], size)
        if len(both) == len(SIDES):
            goals |= _together(source, motion, target, goals, size)
    held = [
        one
        for side in (both if options.hold_hands else ())
        for one in still_hands(
            palms(source, motion, side), style_motion.time, goals[side], f"hand.{side}", size
        )
    ]
    for reach in (*held, *options.reaches):
        side = reach.slot[-1]
        if reach.slot.startswith("hand") and side in goals:
            share = reach.share(style_motion.time)[:, None]
            goals[side] = goals[side] + share * (reach.positions(style_motion.time) - goals[side])
    away = [np.linalg.norm(goals[side] - style[side], axis=1) for side in sides]
    changed = np.max(away, axis=0) > 1e-5
    return HandGoals(goals, changed) if changed.any() else None


def still_hands(palm: FloatArray, time: FloatArray, goal: FloatArray, slot: str, size: float) -> list[Reach]:
    """Return one position for each interval in which a palm of the source (T, 3) stays still.

    goal (T, 3): positions of the target's palm [m]
    """
    speed = np.linalg.norm(np.gradient(palm, time, axis=0), axis=1) / np.sqrt(size)
    stays = with_hysteresis(speed < STILL, speed < LEAVES * STILL)
    return [
        Reach(slot, np.median(goal[first:past], axis=0), float(time[first]), float(time[past - 1]))
        for first, past in true_intervals(stays)
        if time[past - 1] - time[first] > STILL_S
    ]


def _together(
    source: RetargetRig, motion: Motion, target: RetargetRig, goals: dict[str, FloatArray], size: float
) -> dict[str, FloatArray]:
    """Return palms that are as far apart as in the source, scaled to the target's hands, where they meet."""
    left, right = (palms(source, motion, side) for side in SIDES)
    apart = left - right
    share = _nearness(np.linalg.norm(apart, axis=1) / size, MEET, APART)[:, None]
    ratio = palm_offset(target, "L")[2] / palm_offset(source, "L")[2]
    middle, own = 0.5 * (goals["L"] + goals["R"]), goals["L"] - goals["R"]
    wanted = own + share * (ratio * apart - own)
    return {"L": middle + 0.5 * wanted, "R": middle - 0.5 * wanted}


def _nearness(distance: FloatArray, near: float, far: float) -> FloatArray:
    return smooth_step((far - distance) / (far - near))


def _on_body(
    source: RetargetRig,
    motion: Motion,
    target: RetargetRig,
    style_motion: Motion,
    side: str,
    goal: FloatArray,
    size: float,
) -> FloatArray:
    """Return the goal of a palm (T, 3), moved to the part of the body that it touches in the source."""
    palm = palms(source, motion, side)
    ratio = target.character.spec.height / source.character.spec.height
    moved, total = np.zeros_like(goal), np.zeros((len(goal), 1))
    for name in TOUCHED:
        if name not in source.character.spec.names or name not in target.character.spec.names:
            continue
        on_source, on_target = _Surface(source, motion, name), _Surface(target, style_motion, name)
        along, direction, gap = on_source.coordinates(palm)
        speed = on_source.speed(palm, motion.rate_hz) / np.sqrt(size)
        share = (_nearness(gap / size, TOUCH, CLEAR) * _nearness(speed, SLOW, FAST))[:, None]
        if share.any():
            moved += share * (on_target.position(along, direction, ratio * gap) - goal)
            total += share
    return goal + moved / np.maximum(total, 1.0)


class _Surface:
    """The capsule of a character's segment over time."""

    def __init__(self, rig: RetargetRig, motion: Motion, name: str) -> None:
        binding = rig.character.binding
        segment = binding.index(name)
        self.axes = segment_rotations(binding, motion)[:, segment]
        self.origin = motion.position_world[:, binding.joint[segment]]
        capsule = rig.character.spec[name].shapes[0]
        assert isinstance(capsule, SegmentCapsule)
        self.start, self.line, self.radius = capsule.start, capsule.end - capsule.start, capsule.radius

    def _local(self, point: FloatArray) -> FloatArray:
        return rotations.rotate(rotations.conjugate(self.axes), point - self.origin)

    def speed(self, point: FloatArray, rate_hz: float) -> FloatArray:
        """Return the speed of a point (T, 3) relative to the segment (T) [m/s]."""
        return np.asarray(np.linalg.norm(np.gradient(self._local(point), 1.0 / rate_hz, axis=0), axis=1))

    def coordinates(self, point: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return share along the capsule (T), direction from its line (T, 3) and gap to the surface (T)."""
        local = self._local(point)
        along = np.clip((local - self.start) @ self.line / (self.line @ self.line), 0.0, 1.0)
        away = local - self.start - along[:, None] * self.line
        distance = np.linalg.norm(away, axis=1)
        return along, away / np.maximum(distance, 1e-9)[:, None], distance - self.radius

    def position(self, along: FloatArray, direction: FloatArray, gap: FloatArray) -> FloatArray:
        """Return the point (T, 3) with these coordinates [m]."""
        local = self.start + along[:, None] * self.line + (self.radius + gap)[:, None] * direction
        return self.origin + rotations.rotate(self.axes, local)


ARM = ("clavicle", "upper_arm", "forearm", "hand")
PALM_SHARE, TRUNK_SHARE = 0.99, 0.9999
"""How firmly palms and trunk are held."""


class Arms:
    """The solver of a target's arms."""

    def __init__(self, target: RetargetRig) -> None:
        self.target = target
        spine = len(target.mapping.bones.get("spine", ()))
        self.root = ("spine", spine - 1) if spine else ("hips", 0)
        self.sides = [side for side in SIDES if f"hand.{side}" in target.mapping]
        self.held = PulledPoints(self.root[0], 0.3 * target.leg_length * np.eye(3), TRUNK_SHARE)
        palms = [
            PulledPoints(f"hand.{side}", palm_offset(target, side)[None], PALM_SHARE) for side in self.sides
        ]
        chains = [
            [f"{part}.{side}" for part in ARM if f"{part}.{side}" in target.mapping] for side in self.sides
        ]
        self.solver = LimbSolver(target, self.root, chains, [self.held, *palms])

    def reach(self, motion: Motion, goals: HandGoals) -> BoneRotations:
        """Return rotations of the arms' bones with palms at their goals where these differ from the style."""
        target, rows = self.target, np.flatnonzero(goals.changed)
        turned = {b: motion.quaternion_world[rows, b] for b in self.solver.bones}
        root = motion.position_world[rows, target.bone(*self.root)]
        style = self.solver.poses_of(turned, root)
        for side in self.sides:
            self._begin(turned, motion.position_world[rows], side, goals.palm_world[side][rows])
        trunk = target.axes_of(turned[target.bone(*self.root)], *self.root)[:, None]
        held = root[:, None] + rotations.rotate(trunk, self.held.offset)
        palms = [goals.palm_world[side][rows][:, None] for side in self.sides]
        poses = self.solver.reach(
            style, np.concatenate([held, *palms], axis=1), self.solver.poses_of(turned, root)
        )
        result = {b: motion.quaternion_world[:, b].copy() for b in self.solver.bones[1:]}
        found = self.solver.rotations_of(poses)
        for bone, rotation in result.items():
            rotation[rows] = found[bone]
        return result

    def _begin(self, turned: BoneRotations, position: FloatArray, side: str, palm: FloatArray) -> None:
        """Bend and turn an arm towards its goal; position (T, N, 3): of all joints."""
        target = self.target
        upper, fore, hand = (target.bone(f"{part}.{side}") for part in ARM[1:])
        axes = target.axes_of(turned[hand], f"hand.{side}")
        wrist = palm - rotations.rotate(axes, palm_offset(target, side))
        # An elbow bends in the opposite direction of a knee.
        sideways = -rotations.rotate(target.axes_of(turned[upper], f"upper_arm.{side}"), Y_LEFT)
        turns = reach_turns(position[:, upper], position[:, fore], position[:, hand], wrist, sideways)
        for bone, turn in zip((upper, fore), turns, strict=True):
            turned[bone] = rotations.multiply(turn, turned[bone])
