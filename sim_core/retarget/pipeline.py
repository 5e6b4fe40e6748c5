"""From a motion and another body to that body's motion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..conventions import Z_UP, BoolArray, FloatArray
from ..motion import Motion
from ..recognition.mapping import SIDES
from .actor import Actor
from .arms import Arms
from .ends import end_rotations
from .feet import foot_goals, sent
from .hands import hand_goals
from .legs import Legs
from .reach import Reach, check_reaches
from .resizing import Resizing, resizing
from .stances import FootPath, find_stances, foot_path, standing_height, steady_feet
from .style import Turned, posed, styled


@dataclass(frozen=True)
class RetargetOptions:
    """What the animator wants.

    keep_path: same steps in the world; else the path grows with the legs
    scale_time: slower on longer legs, by the square root of their ratio; else the timing is kept
    contacts: feet keep their places in stances; else only the style is carried over
    hands: hands that meet or touch the body still do
    reaches: places for hands and feet
    """

    keep_path: bool = False
    scale_time: bool = False
    contacts: bool = True
    hands: bool = True
    reaches: tuple[Reach, ...] = ()


@dataclass(frozen=True, eq=False)
class Retargeted:
    """The target's motion, and what it was made from.

    sound: the source's motion with steady feet; rests: side -> when its heel and toes rest (T, 2)
    leg_ratio: target over source; notes: what was found in the source
    """

    motion: Motion
    source: Actor
    target: Actor
    sound: Motion
    rests: dict[str, BoolArray]
    leg_ratio: float
    notes: tuple[str, ...]


def retarget(
    source: Actor, motion: Motion, target: Actor, options: RetargetOptions | None = None
) -> Retargeted:
    """The motion of `source` on `target`."""
    wish = options or RetargetOptions()
    check_reaches(wish.reaches, target)
    ratio = target.leg_length / source.leg_length
    sound, notes = steady_feet(source, motion)
    rests = find_stances(source, sound)
    floor = standing_height(source, sound, rests) if wish.contacts else 0.0
    size = resizing(source, motion, target, wish.keep_path, floor)
    time = motion.time[0] + (motion.time - motion.time[0]) * (np.sqrt(ratio) if wish.scale_time else 1.0)
    joints = [source.bone(f"thigh.{side}") for side in SIDES]
    performed = styled(source, motion, target, size(motion.position_world[:, joints].mean(axis=1)), time)
    turned = {bone: performed.quaternion_world[:, bone] for bone in target.part_bones}
    root = performed.position_world[:, target.bone("hips")]
    if wish.contacts:
        feet = _feet(source, sound, rests, performed, target, size, wish)
        legs, root = Legs(target).stand(performed, feet)
        turned |= legs
    if wish.hands or wish.reaches:
        turned |= _arms(source, motion, target, posed(target, turned, root, time), wish)
    turned |= end_rotations(source, motion, target, turned)
    return Retargeted(posed(target, turned, root, time), source, target, sound, rests, ratio, notes)


def _feet(
    source: Actor,
    sound: Motion,
    rests: dict[str, BoolArray],
    performed: Motion,
    target: Actor,
    size: Resizing,
    wish: RetargetOptions,
) -> dict[str, FootPath]:
    """Where the target's feet go."""
    ground = source.character.ground_height
    feet = {}
    for side in SIDES:
        path = foot_path(source, sound, side)
        ankle = size(path.ankle_world)
        if not wish.keep_path:
            ankle = ankle + _beside(source, sound, target, performed, size, f"thigh.{side}")
        goals = foot_goals(FootPath(ankle, path.axes_world, target.sole(side)), rests[side], ground)
        feet[side] = sent(goals, [one for one in wish.reaches if one.slot == f"foot.{side}"], performed.time)
    return feet


def _beside(
    source: Actor, sound: Motion, target: Actor, performed: Motion, size: Resizing, thigh: str
) -> FloatArray:
    """How far a hip joint is beside where the source's would be (T, 3) [m]: wide hips stand wide."""
    away = performed.position_world[:, target.bone(thigh)] - size(sound.position_world[:, source.bone(thigh)])
    return away * (1.0 - Z_UP)


def _arms(source: Actor, motion: Motion, target: Actor, performed: Motion, wish: RetargetOptions) -> Turned:
    goals = hand_goals(source if wish.hands else None, motion, target, performed, wish.reaches)
    return {} if goals is None else Arms(target).reach(performed, goals)
