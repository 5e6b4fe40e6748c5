"""The retargeting pipeline, from a motion and another body to that body's motion, and its file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..base.conventions import Z_UP, BoolArray, FloatArray
from ..base.files import AnyPath
from ..base.npz_file import write_file
from ..motion.motion import Motion, low_pass_values
from ..motion.motion_arrays import motion_to_arrays
from ..recognition.mapping import SIDES, mapping_to_object
from ..scene.scene import FLAT, Scene
from .extremities import extremity_rotations
from .foot_goals import foot_goals, roll_share, with_reaches
from .hands import Actor, Hands, reached
from .heel_rise import raised_heels
from .legs import Legs, following
from .resizing import Resizing, is_same_body, motion_on_same_body, resizing
from .retarget_options import Feet, RetargetOptions, check_reaches
from .retarget_rig import RetargetRig, make_retarget_rig
from .scene_floor import SceneFloor, on_ground
from .stances import FootPath, find_stances, foot_path, standing_height, steady_feet
from .style import BoneRotations, posed, styled

SCHEMA = 1
SWAY_HZ = 6.0
"""Cutoff of the low-pass for the displacement of feet by other hips and legs; faster ones would shake them
[Hz]."""
SAME_BODY = (
    "Source and target are the same body, so the motion was taken over as it is; lock the feet to take "
    "out what skates in it."
)
"""Note on a motion that was copied."""


@dataclass(frozen=True, eq=False)
class Retargeted:
    """The target's motion, and what it was made from.

    repaired: the source's motion with steady feet; rests: side -> when its heel and toes rest (T, 2)
    turned_bones: bones of the target that have rotations of their own
    floor: the ground of the target; leg_ratio: target over source; notes: on the source
    """

    motion: Motion
    source: RetargetRig
    target: RetargetRig
    repaired: Motion
    rests: dict[str, BoolArray]
    turned_bones: tuple[int, ...]
    floor: SceneFloor
    leg_ratio: float
    notes: tuple[str, ...]


def retarget(
    source: RetargetRig,
    motion: Motion,
    target: RetargetRig,
    options: RetargetOptions | None = None,
    scene: Scene = FLAT,
) -> Retargeted:
    """Return the motion of `source` on `target`, which stands on the ground of a scene."""
    options = options or RetargetOptions()
    check_reaches(options.reaches, target)
    ratio = target.leg_length / source.leg_length
    time = motion.time[0] + (motion.time - motion.time[0]) * (np.sqrt(ratio) if options.scale_time else 1.0)
    floor = SceneFloor(scene, source.character.ground_height, time)
    repaired, notes = steady_feet(source, motion)
    locks = options.feet is not Feet.FREE
    if options.feet is Feet.FIT and is_same_body(source, target):
        # How feet lie flat is measured: the same motion on the same body must give the same answer.
        moved = motion_on_same_body(source, motion, target)
        target = make_retarget_rig(target.skeleton, target.mapping, moved)
        options = replace(options, hands=False)
        locks = not floor.is_flat or any(one.slot.startswith("foot") for one in options.reaches)
        if not locks:
            repaired, notes = motion, (*notes, SAME_BODY)
    rests = find_stances(source, repaired)
    size = resizing(
        source, motion, target, options.keep_path, standing_height(source, repaired, rests) if locks else 0.0
    )
    joints = [source.bone(f"thigh.{side}") for side in SIDES]
    style_motion = styled(source, motion, target, size(motion.position_world[:, joints].mean(axis=1)), time)
    turned = {bone: style_motion.quaternion_world[:, bone] for bone in target.part_bones}
    root = style_motion.position_world[:, target.bone("hips")]
    if locks:
        feet = _feet(source, repaired, rests, style_motion, target, size, options)
        if not floor.is_flat:
            feet, shift = on_ground(feet, rests, floor, 1.0 / style_motion.rate_hz)
            style_motion = replace(style_motion, position_world=style_motion.position_world + shift[:, None])
        reaches = {side: [one for one in options.reaches if one.slot == f"foot.{side}"] for side in SIDES}
        feet = {side: with_reaches(feet[side], reaches[side], time) for side in SIDES}
        legs, root = Legs(target).stand(style_motion, feet)
        turned |= legs
    if options.hands or options.hold_hands or options.reaches:
        turned |= _arms(Actor(source, motion, target, posed(target, turned, root, time)), options)
    turned |= extremity_rotations(source, motion, target, turned)
    result = posed(target, turned, root, time)
    return Retargeted(result, source, target, repaired, rests, tuple(sorted(turned)), floor, ratio, notes)


def _feet(
    source: RetargetRig,
    repaired: Motion,
    rests: dict[str, BoolArray],
    style_motion: Motion,
    target: RetargetRig,
    size: Resizing,
    options: RetargetOptions,
) -> dict[str, FootPath]:
    """Return the goal paths of the target's feet."""
    ground = source.character.ground_height
    feet = {}
    for side in SIDES:
        path = foot_path(source, repaired, side)
        ankle = size(path.ankle_world)
        if not options.keep_path:
            ankle = ankle + _beside(source, repaired, target, style_motion, size, f"foot.{side}")
        sole = target.sole(side)
        roll = roll_share(path.sole, sole, target.leg_length / source.leg_length)
        scaled = FootPath(ankle, path.axes_world, sole)
        feet[side] = foot_goals(scaled, rests[side], ground, style_motion.rate_hz, roll)
    return _on_toes(style_motion, rests, target, feet, ground)


def _on_toes(
    style_motion: Motion,
    rests: dict[str, BoolArray],
    target: RetargetRig,
    feet: dict[str, FootPath],
    ground: float,
) -> dict[str, FootPath]:
    """Return feet whose heels are raised as the knees of the style require, where toes rest."""
    moved, rate_hz, position = (
        following(target, style_motion, feet),
        style_motion.rate_hz,
        style_motion.position_world,
    )
    raised = {}
    for side in SIDES:
        hip, ankle = (position[:, target.bone(f"{part}.{side}")] for part in ("thigh", "foot"))
        apart = np.linalg.norm(hip - ankle, axis=1)
        raised[side] = raised_heels(feet[side], rests[side], hip + moved, apart, ground, rate_hz)
    return raised


def _beside(
    source: RetargetRig,
    repaired: Motion,
    target: RetargetRig,
    style_motion: Motion,
    size: Resizing,
    foot: str,
) -> FloatArray:
    """Return the horizontal displacement (T, 3) of a foot in the style from the scaled source [m].

    Wide hips stand wide, and a bent leg whose thigh is long for its shin sets its foot elsewhere.
    """
    away = style_motion.position_world[:, target.bone(foot)] - size(
        repaired.position_world[:, source.bone(foot)]
    )
    return low_pass_values(away * (1.0 - Z_UP), repaired.rate_hz, SWAY_HZ)


def _arms(actor: Actor, options: RetargetOptions) -> BoneRotations:
    goals = Hands([actor]).solve()[0] if options.hands else {}
    return reached(actor, goals, options)


def save_retargeted(outcome: Retargeted, path: AnyPath, meta: dict[str, Any]) -> None:
    """Write the motion as one npz file (docs/retarget.md), with joints as in a result file."""
    mapping = mapping_to_object(outcome.target.mapping)
    names = outcome.motion.skeleton.names
    record = {
        "mapping": mapping,
        "turned_bones": [names[bone] for bone in outcome.turned_bones],
        "leg_ratio": outcome.leg_ratio,
        "notes": outcome.notes,
    }
    write_file(path, "retarget", SCHEMA, motion_to_arrays(outcome.motion), {**record, **meta})
