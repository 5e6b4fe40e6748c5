"""The source's style on the target: every part has the direction that it has in the source.

Trunks and necks with different numbers of bones share the bend: each bone takes the rotation found at its
relative position between hips and chest, or chest and head.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..base import rotations
from ..base.conventions import FloatArray
from ..motion.motion import Motion, low_pass_values
from ..recognition.mapping import SIDES
from .retarget_rig import RetargetRig

BoneRotations = dict[int, FloatArray]
"""Bone -> its rotations in the world (T, 4)."""
ENDS = ("toe",)
"""Parts that follow the part they are attached to; see `extremities`."""
STEADY_HZ, STEADY_SHARE = 6.0, 0.7
"""What is faster than this [Hz] in the path of the shoulders is the source's, by this share."""


def styled(
    source: RetargetRig, motion: Motion, target: RetargetRig, hips_world: FloatArray, time: FloatArray
) -> Motion:
    """Return the target with the source's directions and the middle of its hip joints at (T, 3) [m]."""
    axes = part_axes_of_target(source, motion, target)
    turned = {
        target.bone(slot, which): target.bone_rotation(turn, slot, which)
        for (slot, which), turn in axes.items()
    }
    middle = np.mean([target.rest(f"thigh.{side}") for side in SIDES], axis=0)
    turn = rotations.multiply(axes["hips", 0], rotations.conjugate(target.axes_rest_world["hips"]))
    root = hips_world - rotations.rotate(turn, middle - target.rest("hips"))
    return _steady(source, motion, target, posed(target, turned, root, time))


def _steady(source: RetargetRig, motion: Motion, target: RetargetRig, style: Motion) -> Motion:
    """Return the style with shoulders that tremble no more than the source's.

    In a capture, the noise of the hips' position and that of the trunk's rotation cancel at the shoulders;
    with other proportions they do not, and the hands would shake. The hips take most of the difference, which
    is of some millimetres.
    """
    shoulders = [f"upper_arm.{side}" for side in SIDES]
    if not all(slot in rig.mapping for slot in shoulders for rig in (source, target)):
        return style
    own, other = (
        np.mean([shown.position_world[:, rig.bone(slot)] for slot in shoulders], axis=0)
        for rig, shown in ((target, style), (source, motion))
    )
    away = target.leg_length / source.leg_length * other - own
    fast = away - low_pass_values(away, motion.rate_hz, STEADY_HZ)
    return replace(style, position_world=style.position_world + STEADY_SHARE * fast[:, None])


def moved_by(style: Motion, shift: FloatArray) -> Motion:
    """Return the motion moved by (3) [m]."""
    return replace(style, position_world=style.position_world + shift)


def part_axes_of_target(
    source: RetargetRig, motion: Motion, target: RetargetRig
) -> dict[tuple[str, int], FloatArray]:
    """Return part axes (T, 4) of the target's bones, by slot and index in the slot."""
    quaternion = motion.quaternion_world
    hips = source.part_axes(quaternion, "hips")
    spine = [hips, *_bones(source, quaternion, "spine")]
    neck = [spine[-1], *_bones(source, quaternion, "neck"), *_bones(source, quaternion, "head")]
    found = {("hips", 0): hips}
    for slot, chain in (("spine", spine), ("neck", neck)):
        count = len(target.mapping.bones.get(slot, ()))
        last = count + (slot == "neck" and "head" in target.mapping)
        found |= {(slot, i): _along(chain, (i + 1) / last) for i in range(count)}
    if "head" in target.mapping:
        found["head", 0] = neck[-1]
    for slot in target.mapping:
        part, _, side = slot.partition(".")
        if side in SIDES and part not in ENDS and slot in source.mapping:
            found[slot, 0] = source.part_axes(quaternion, slot)
    return found


def _bones(source: RetargetRig, quaternion: FloatArray, slot: str) -> list[FloatArray]:
    names = source.mapping.bones.get(slot, ())
    count = min(len(names), 1) if slot == "head" else len(names)
    return [source.part_axes(quaternion, slot, i) for i in range(count)]


def _along(chain: list[FloatArray], position: float) -> FloatArray:
    """Return the rotation (T, 4) at a relative position, from 0 to 1, along evenly spaced rotations."""
    at = position * (len(chain) - 1)
    below = min(int(at + 1e-9), len(chain) - 1)
    share = at - below
    if share < 1e-9:
        return chain[below]
    return rotations.slerp(chain[below], chain[below + 1], np.array(share))


def posed(target: RetargetRig, turned: BoneRotations, root_world: FloatArray, time: FloatArray) -> Motion:
    """Return a motion of the target from rotations of some bones, including the hips'; others follow these.

    root_world (T, 3): the head of the hips' bone [m]
    """
    skeleton, root = target.skeleton, target.bone("hips")
    rest, heads = skeleton.rest_quaternion_world, skeleton.rest_position_world
    placed = np.tile(heads, (len(time), 1, 1))
    quaternion = np.tile(rest, (len(time), 1, 1))
    placed[:, root] = root_world
    for bone, members in _groups(target, turned).items():
        quaternion[:, bone] = turned[bone]
        turn = rotations.multiply(turned[bone], rotations.conjugate(rest[bone]))[:, None]
        placed[:, members] = placed[:, [bone]] + rotations.rotate(turn, heads[members] - heads[bone])
        quaternion[:, members] = rotations.multiply(turn, rest[members])
    return Motion(skeleton, time, placed, quaternion)


def _groups(target: RetargetRig, turned: BoneRotations) -> dict[int, list[int]]:
    """Return turned bones, parents first -> the bones that move with each of them."""
    groups: dict[int, list[int]] = {}
    leader: dict[int, int] = {}
    for bone in target.carriers_first:
        carrier = int(target.carriers[bone])
        above = carrier if carrier in turned else leader.get(carrier)
        if above is not None:
            leader[bone] = above
            groups[above].append(bone)
        if bone in turned:
            groups[bone] = []
    return groups
