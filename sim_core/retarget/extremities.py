"""Fingers, toes and other bones that both rigs have: they move relative to their parts as in the source."""

from __future__ import annotations

from ..base import rotations
from ..base.conventions import FloatArray
from ..motion.motion import Motion
from ..recognition.mapping import SIDES
from .fingers import finger_rotations
from .retarget_rig import RetargetRig
from .style import BoneRotations


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
                found |= finger_rotations(source, motion, target, side, part_turn)
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
