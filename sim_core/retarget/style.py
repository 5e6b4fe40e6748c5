"""The source's style on the target: every part points where it points in the source.

Trunks and necks with other numbers of bones share the bend: each bone takes the rotation found at its place
between hips and chest, or chest and head.
"""

from __future__ import annotations

import numpy as np

from .. import rotations
from ..conventions import FloatArray
from ..motion import Motion
from ..recognition.mapping import SIDES
from ..skeleton import NO_PARENT
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
    """A motion of the target from rotations (T, 4) of some bones; others ride on the bone that carries them.

    root_world (T, 3): the head of the hips' bone [m]
    """
    skeleton, carriers = target.skeleton, target.carriers
    carrying = set(carriers.tolist())
    rest, heads = skeleton.rest_quaternion_world, skeleton.rest_position_world
    root = target.bone("hips")
    placed = np.tile(heads, (len(time), 1, 1))
    placed[:, root] = root_world
    quaternion = np.tile(rest, (len(time), 1, 1))
    turns: dict[int, FloatArray] = {}
    for bone in _carriers_first(carriers):
        carrier = int(carriers[bone])
        if bone in turned:
            quaternion[:, bone] = turned[bone]
        elif carrier in turns:
            quaternion[:, bone] = rotations.multiply(turns[carrier], rest[bone])
        if bone in carrying and (bone == root or carrier in turns):
            turns[bone] = rotations.multiply(quaternion[:, bone], rotations.conjugate(rest[bone]))
        if bone != root and carrier in turns:
            away = heads[bone] - heads[carrier]
            placed[:, bone] = placed[:, carrier] + rotations.rotate(turns[carrier], away)
    return Motion(skeleton, time, placed, quaternion)


def _carriers_first(carriers: np.ndarray) -> list[int]:
    """Bones such that what carries one comes before it."""
    children: dict[int, list[int]] = {}
    for bone, carrier in enumerate(carriers):
        children.setdefault(int(carrier), []).append(bone)
    order, waiting = [], [NO_PARENT]
    while waiting:
        here = waiting.pop()
        waiting += children.get(here, [])
        if here != NO_PARENT:
            order.append(here)
    return order
