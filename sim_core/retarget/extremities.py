"""Fingers, toes and other bones that both rigs have: they move relative to their parts as in the source."""

from __future__ import annotations

import numpy as np

from ..base import rotations
from ..base.conventions import FloatArray
from ..motion.motion import Motion
from ..recognition.bone_names import parse_name
from ..recognition.mapping import SIDES
from .retarget_rig import RetargetRig
from .style import BoneRotations

FINGERS = {
    "thumb": "thumb",
    "index": "index",
    "mid": "middle",
    "middle": "middle",
    "ring": "ring",
    "pinky": "pinky",
    "little": "pinky",
}
"""Words in names of bones -> the finger that they mean."""


def extremity_rotations(
    source: RetargetRig, motion: Motion, target: RetargetRig, turned: BoneRotations
) -> BoneRotations:
    """Return rotations of the target's fingers, toes and bones with the same names as in the source."""
    found = _same_named(source, motion, target, turned)
    for side in SIDES:
        for part, carrier in (("toe", f"foot.{side}"), ("finger", f"hand.{side}")):
            if not all(carrier in rig.mapping for rig in (source, target)):
                continue
            part_turn = _part_turn(source, motion, target, turned, carrier)
            if part == "finger":
                found |= _fingers(source, motion, target, side, part_turn)
            elif all(f"toe.{side}" in rig.mapping for rig in (source, target)):
                axes = rotations.multiply(part_turn, source.part_axes(motion.quaternion_world, f"toe.{side}"))
                found[target.bone(f"toe.{side}")] = target.bone_rotation(axes, f"toe.{side}")
    return found


def _part_turn(
    source: RetargetRig, motion: Motion, target: RetargetRig, turned: BoneRotations, slot: str, which: int = 0
) -> FloatArray:
    """Return the rotation (T, 4) in the world from a part of the source to that of the target."""
    target_axes = target.axes_of(turned[target.bone(slot, which)], slot, which)
    source_axes = source.part_axes(motion.quaternion_world, slot, which)
    return rotations.multiply(target_axes, rotations.conjugate(source_axes))


def _same_named(
    source: RetargetRig, motion: Motion, target: RetargetRig, turned: BoneRotations
) -> BoneRotations:
    """Return rotations, from rest to rest, of unmapped bones with the same name on the same part."""
    rest_own, rest = source.skeleton.rest_quaternion_world, target.skeleton.rest_quaternion_world
    in_source, in_target = _followers(source), _followers(target)
    found: BoneRotations = {}
    for name in in_source.keys() & in_target.keys():
        if in_source[name] != in_target[name]:
            continue
        slot, which = in_source[name]
        own, other = source.skeleton.index[name], target.skeleton.index[name]
        turn = rotations.multiply(motion.quaternion_world[:, own], rotations.conjugate(rest_own[own]))
        axes = rotations.multiply(
            _part_turn(source, motion, target, turned, slot, which),
            rotations.multiply(turn, source.axes_rest_world[slot]),
        )
        found[other] = rotations.multiply(axes, rotations.relative(target.axes_rest_world[slot], rest[other]))
    return found


def _followers(rig: RetargetRig) -> dict[str, tuple[str, int]]:
    """Return bones without a rotation of their own -> the part that they move with."""
    parts = {
        rig.bone(slot, which): (slot, which)
        for slot, bones in rig.mapping.bones.items()
        for which in range(len(bones) if slot in ("spine", "neck") else 1)
    }
    names, found = rig.skeleton.names, {}
    for bone in set(range(len(names))) - set(parts):
        part = next((parts[above] for above in rig.skeleton.ancestors(bone) if above in parts), None)
        if part is not None:
            found[names[bone]] = part
    return found


def _fingers(
    source: RetargetRig, motion: Motion, target: RetargetRig, side: str, part_turn: FloatArray
) -> BoneRotations:
    """Return rotations of the target's finger bones that the source has too."""
    in_source, in_target = fingers(source, side), fingers(target, side)
    found = {}
    for name in in_source.keys() & in_target.keys():
        for own, other in zip(in_source[name], in_target[name], strict=False):
            axes_own, axes_other = _finger_axes(source, own, side), _finger_axes(target, other, side)
            if axes_own is None or axes_other is None:
                continue
            offset = rotations.relative(source.skeleton.rest_quaternion_world[own], axes_own)
            axes = rotations.multiply(part_turn, rotations.multiply(motion.quaternion_world[:, own], offset))
            back = rotations.relative(axes_other, target.skeleton.rest_quaternion_world[other])
            found[other] = rotations.multiply(axes, back)
    return found


def fingers(rig: RetargetRig, side: str) -> dict[str, list[int]]:
    """Return finger -> its bones from the hand to the tip."""
    found: dict[str, list[int]] = {}
    for bone in rig.skeleton.descendants(rig.bone(f"hand.{side}")):
        if bone in (rig.skeleton.index[name] for name in rig.mapping.bones[f"hand.{side}"]):
            continue
        for word in parse_name(rig.skeleton.names[bone].replace("_", " ")).words:
            if word in FINGERS and _has_length(rig, bone):
                found.setdefault(FINGERS[word], []).append(bone)
                break
    return found


def _has_length(rig: RetargetRig, bone: int) -> bool:
    """Return whether a bone has a length; one of length zero only stands in for the next one."""
    heads, children = rig.skeleton.rest_position_world, rig.skeleton.children[bone]
    return not children or bool(np.linalg.norm(heads[children[0]] - heads[bone]) > 1e-5)


def _finger_axes(rig: RetargetRig, bone: int, side: str) -> FloatArray | None:
    """Return axes at rest (4): Z against the bone's direction, X as near to the hand's as possible."""
    heads = rig.skeleton.rest_position_world
    child, parent = rig.skeleton.children[bone], int(rig.skeleton.parents[bone])
    # A last bone goes on in the direction of the one before it.
    along = heads[bone] - heads[child[0]] if child else heads[parent] - heads[bone]
    length = float(np.linalg.norm(along))
    if length < 1e-6:
        return None
    z = along / length
    y = np.cross(z, rotations.rotate(rig.axes_rest_world[f"hand.{side}"], np.array([1.0, 0.0, 0.0])))
    if np.linalg.norm(y) < 0.1:
        return None
    y /= np.linalg.norm(y)
    return rotations.from_matrix(np.stack([np.cross(y, z), y, z], axis=1))
