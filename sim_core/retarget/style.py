"""The source's style on the target: every part points where it points in the source.

Trunks and necks with other numbers of bones share the bend: each bone takes the rotation found at its place
between hips and chest, or chest and head.
"""

from __future__ import annotations

import numpy as np

from ..base import rotations
from ..base.conventions import FloatArray
from ..motion.motion import Motion
from ..recognition.mapping import SIDES
from .actor import Actor

Turned = dict[int, FloatArray]
"""Bone -> its rotations in the world (T, 4)."""
ENDS = ("toe",)
"""Parts that follow the part they sit on; see `ends`."""


def styled(source: Actor, motion: Motion, target: Actor, hips_world: FloatArray, time: FloatArray) -> Motion:
    """The target with the source's directions and the middle of its hip joints at (T, 3) [m]."""
    axes = part_axes_of_target(source, motion, target)
    turned = {
        target.bone(slot, which): target.bone_rotation(turn, slot, which)
        for (slot, which), turn in axes.items()
    }
    middle = np.mean([target.rest(f"thigh.{side}") for side in SIDES], axis=0)
    turn = rotations.multiply(axes["hips", 0], rotations.conjugate(target.axes_rest_world["hips"]))
    root = hips_world - rotations.rotate(turn, middle - target.rest("hips"))
    return posed(target, turned, root, time)


def part_axes_of_target(source: Actor, motion: Motion, target: Actor) -> dict[tuple[str, int], FloatArray]:
    """Part axes (T, 4) of the target's bones, by slot and place in the slot."""
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


def _bones(source: Actor, quaternion: FloatArray, slot: str) -> list[FloatArray]:
    names = source.mapping.bones.get(slot, ())
    count = min(len(names), 1) if slot == "head" else len(names)
    return [source.part_axes(quaternion, slot, i) for i in range(count)]


def _along(chain: list[FloatArray], place: float) -> FloatArray:
    """The rotation (T, 4) at a place, from 0 to 1, along rotations that are evenly apart."""
    at = place * (len(chain) - 1)
    below = min(int(at + 1e-9), len(chain) - 1)
    share = at - below
    if share < 1e-9:
        return chain[below]
    return rotations.slerp(chain[below], chain[below + 1], np.array(share))


def posed(target: Actor, turned: Turned, root_world: FloatArray, time: FloatArray) -> Motion:
    """A motion of the target from rotations of some bones, the hips' among them; others ride on these.

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


def _groups(target: Actor, turned: Turned) -> dict[int, list[int]]:
    """Turned bones, those above first -> the bones that move with each of them and with none below it."""
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
