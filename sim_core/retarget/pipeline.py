"""From a motion and another body to that body's motion."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..base.conventions import Z_UP, BoolArray, FloatArray
from ..motion.motion import Motion
from ..motion.smoothing import low_pass_values
from ..recognition.mapping import SIDES
from ..scene.scene import FLAT, Scene
from .actor import Actor, make_actor
from .arms import Arms
from .ends import end_rotations
from .foot_goals import foot_goals, roll_share, sent
from .hands import hand_goals
from .heel_rise import raised_heels
from .legs import Legs, following
from .options import Feet, RetargetOptions, check_reaches
from .resizing import Resizing, are_twins, resizing, twin_motion
from .stances import FootPath, find_stances, foot_path, standing_height, steady_feet
from .style import Turned, posed, styled
from .terrain import Floor, on_ground

SWAY_HZ = 6.0
"""Feet go along with hips and legs that sway slower than this; what is faster would shake them [Hz]."""
TWINS = (
    "Source and target are the same body, so the motion was taken over as it is; lock the feet to take "
    "out what skates in it."
)


@dataclass(frozen=True, eq=False)
class Retargeted:
    """The target's motion, and what it was made from.

    repaired: the source's motion with steady feet; rests: side -> when its heel and toes rest (T, 2)
    turned_bones: bones of the target that have rotations of their own
    floor: what the target stands on; leg_ratio: target over source; notes: what was found in the source
    """

    motion: Motion
    source: Actor
    target: Actor
    repaired: Motion
    rests: dict[str, BoolArray]
    turned_bones: tuple[int, ...]
    floor: Floor
    leg_ratio: float
    notes: tuple[str, ...]


def retarget(
    source: Actor, motion: Motion, target: Actor, options: RetargetOptions | None = None, scene: Scene = FLAT
) -> Retargeted:
    """The motion of `source` on `target`, which stands on the ground of a scene."""
    wish = options or RetargetOptions()
    check_reaches(wish.reaches, target)
    ratio = target.leg_length / source.leg_length
    time = motion.time[0] + (motion.time - motion.time[0]) * (np.sqrt(ratio) if wish.scale_time else 1.0)
    floor = Floor(scene, source.character.ground_height, time)
    repaired, notes = steady_feet(source, motion)
    locks = wish.feet is not Feet.FREE
    if wish.feet is Feet.FIT and are_twins(source, target):
        # How feet lie flat is measured: the same motion on the same body must give the same answer.
        target = make_actor(target.skeleton, target.mapping, twin_motion(source, motion, target))
        locks = not floor.is_flat or any(one.slot.startswith("foot") for one in wish.reaches)
        if not locks:
            repaired, notes = motion, (*notes, TWINS)
    rests = find_stances(source, repaired)
    size = resizing(
        source, motion, target, wish.keep_path, standing_height(source, repaired, rests) if locks else 0.0
    )
    joints = [source.bone(f"thigh.{side}") for side in SIDES]
    performed = styled(source, motion, target, size(motion.position_world[:, joints].mean(axis=1)), time)
    turned = {bone: performed.quaternion_world[:, bone] for bone in target.part_bones}
    root = performed.position_world[:, target.bone("hips")]
    if locks:
        feet = _feet(source, repaired, rests, performed, target, size, wish)
        if not floor.is_flat:
            feet, way = on_ground(feet, rests, floor, 1.0 / performed.rate_hz)
            performed = replace(performed, position_world=performed.position_world + way[:, None])
        reaches = {side: [one for one in wish.reaches if one.slot == f"foot.{side}"] for side in SIDES}
        feet = {side: sent(feet[side], reaches[side], time) for side in SIDES}
        legs, root = Legs(target).stand(performed, feet)
        turned |= legs
    if wish.hands or wish.hold_hands or wish.reaches:
        turned |= _arms(source, motion, target, posed(target, turned, root, time), wish)
    turned |= end_rotations(source, motion, target, turned)
    result = posed(target, turned, root, time)
    return Retargeted(result, source, target, repaired, rests, tuple(sorted(turned)), floor, ratio, notes)


def _feet(
    source: Actor,
    repaired: Motion,
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
        path = foot_path(source, repaired, side)
        ankle = size(path.ankle_world)
        if not wish.keep_path:
            ankle = ankle + _beside(source, repaired, target, performed, size, f"foot.{side}")
        sole = target.sole(side)
        roll = roll_share(path.sole, sole, target.leg_length / source.leg_length)
        wished = FootPath(ankle, path.axes_world, sole)
        feet[side] = foot_goals(wished, rests[side], ground, performed.rate_hz, roll)
    return _on_toes(performed, rests, target, feet, ground)


def _on_toes(
    performed: Motion, rests: dict[str, BoolArray], target: Actor, feet: dict[str, FootPath], ground: float
) -> dict[str, FootPath]:
    """Feet whose heels are as high as the knees of the style ask for, where toes rest."""
    moved, rate_hz, place = following(target, performed, feet), performed.rate_hz, performed.position_world
    raised = {}
    for side in SIDES:
        hip, ankle = (place[:, target.bone(f"{part}.{side}")] for part in ("thigh", "foot"))
        apart = np.linalg.norm(hip - ankle, axis=1)
        raised[side] = raised_heels(feet[side], rests[side], hip + moved, apart, ground, rate_hz)
    return raised


def _beside(
    source: Actor, repaired: Motion, target: Actor, performed: Motion, size: Resizing, foot: str
) -> FloatArray:
    """How far the style has a foot beside where the source's would be (T, 3) [m].

    Wide hips stand wide, and a bent leg whose thigh is long for its shin sets its foot elsewhere.
    """
    away = performed.position_world[:, target.bone(foot)] - size(
        repaired.position_world[:, source.bone(foot)]
    )
    return low_pass_values(away * (1.0 - Z_UP), repaired.rate_hz, SWAY_HZ)


def _arms(source: Actor, motion: Motion, target: Actor, performed: Motion, wish: RetargetOptions) -> Turned:
    goals = hand_goals(source, motion, target, performed, wish)
    return {} if goals is None else Arms(target).reach(performed, goals)
