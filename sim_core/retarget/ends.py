"""Fingers, toes and other bones that both rigs have: they move on their parts as they do in the source."""

from __future__ import annotations

import numpy as np

from ..base import rotations
from ..base.conventions import FloatArray
from ..motion.motion import Motion
from ..recognition.mapping import SIDES
from ..recognition.names import parse_name
from .actor import Actor
from .style import Turned

FINGERS = {
    "thumb": "thumb",
    "index": "index",
    "mid": "middle",
    "middle": "middle",
    "ring": "ring",
    "pinky": "pinky",
    "little": "pinky",
}
"""Words in names of bones, and the finger they mean."""


def end_rotations(source: Actor, motion: Motion, target: Actor, turned: Turned) -> Turned:
    """Rotations of the target's fingers, toes and namesakes, turned against their parts as in the source."""
    found = _namesakes(source, motion, target, turned)
    for side in SIDES:
        for part, carrier in (("toe", f"foot.{side}"), ("finger", f"hand.{side}")):
            if not all(carrier in actor.mapping for actor in (source, target)):
                continue
            carry = _carry(source, motion, target, turned, carrier)
            if part == "finger":
                found |= _fingers(source, motion, target, side, carry)
            elif all(f"toe.{side}" in actor.mapping for actor in (source, target)):
                axes = rotations.multiply(carry, source.part_axes(motion.quaternion_world, f"toe.{side}"))
                found[target.bone(f"toe.{side}")] = target.bone_rotation(axes, f"toe.{side}")
    return found


def _carry(
    source: Actor, motion: Motion, target: Actor, turned: Turned, slot: str, which: int = 0
) -> FloatArray:
    """What turns a part of the source to where the target's is, in the world (T, 4)."""
    own = target.axes_of(turned[target.bone(slot, which)], slot, which)
    theirs = source.part_axes(motion.quaternion_world, slot, which)
    return rotations.multiply(own, rotations.conjugate(theirs))


def _namesakes(source: Actor, motion: Motion, target: Actor, turned: Turned) -> Turned:
    """Rotations of bones beside the table that have the same name on the same part, from rest to rest."""
    rest_own, rest = source.skeleton.rest_quaternion_world, target.skeleton.rest_quaternion_world
    mine, theirs = _riders(source), _riders(target)
    found: Turned = {}
    for name in mine.keys() & theirs.keys():
        if mine[name] != theirs[name]:
            continue
        slot, which = mine[name]
        own, other = source.skeleton.index[name], target.skeleton.index[name]
        turn = rotations.multiply(motion.quaternion_world[:, own], rotations.conjugate(rest_own[own]))
        axes = rotations.multiply(
            _carry(source, motion, target, turned, slot, which),
            rotations.multiply(turn, source.axes_rest_world[slot]),
        )
        found[other] = rotations.multiply(axes, rotations.relative(target.axes_rest_world[slot], rest[other]))
    return found


def _riders(actor: Actor) -> dict[str, tuple[str, int]]:
    """Bones without a rotation of their own -> the part that they ride on."""
    parts = {
        actor.bone(slot, which): (slot, which)
        for slot, bones in actor.mapping.bones.items()
        for which in range(len(bones) if slot in ("spine", "neck") else 1)
    }
    names, found = actor.skeleton.names, {}
    for bone in set(range(len(names))) - set(parts):
        part = next((parts[above] for above in actor.skeleton.ancestors(bone) if above in parts), None)
        if part is not None:
            found[names[bone]] = part
    return found


def _fingers(source: Actor, motion: Motion, target: Actor, side: str, carry: FloatArray) -> Turned:
    """Rotations of the target's finger bones that the source has too."""
    mine, theirs = fingers(source, side), fingers(target, side)
    found = {}
    for name in mine.keys() & theirs.keys():
        for own, other in zip(mine[name], theirs[name], strict=False):
            axes_own, axes_other = _finger_axes(source, own, side), _finger_axes(target, other, side)
            if axes_own is None or axes_other is None:
                continue
            offset = rotations.relative(source.skeleton.rest_quaternion_world[own], axes_own)
            axes = rotations.multiply(carry, rotations.multiply(motion.quaternion_world[:, own], offset))
            back = rotations.relative(axes_other, target.skeleton.rest_quaternion_world[other])
            found[other] = rotations.multiply(axes, back)
    return found


def fingers(actor: Actor, side: str) -> dict[str, list[int]]:
    """Finger -> its bones from the hand to the tip."""
    found: dict[str, list[int]] = {}
    for bone in actor.skeleton.descendants(actor.bone(f"hand.{side}")):
        if bone in (actor.skeleton.index[name] for name in actor.mapping.bones[f"hand.{side}"]):
            continue
        for word in parse_name(actor.skeleton.names[bone].replace("_", " ")).words:
            if word in FINGERS and _moves(actor, bone):
                found.setdefault(FINGERS[word], []).append(bone)
                break
    return found


def _moves(actor: Actor, bone: int) -> bool:
    """A bone of length zero only stands in for the next one."""
    heads, children = actor.skeleton.rest_position_world, actor.skeleton.children[bone]
    return not children or bool(np.linalg.norm(heads[children[0]] - heads[bone]) > 1e-5)


def _finger_axes(actor: Actor, bone: int, side: str) -> FloatArray | None:
    """Axes at rest (4): Z against the bone's direction, X as near to the hand's as that allows."""
    heads = actor.skeleton.rest_position_world
    child, parent = actor.skeleton.children[bone], int(actor.skeleton.parents[bone])
    # A last bone goes on in the direction of the one before it.
    along = heads[bone] - heads[child[0]] if child else heads[parent] - heads[bone]
    length = float(np.linalg.norm(along))
    if length < 1e-6:
        return None
    z = along / length
    y = np.cross(z, rotations.rotate(actor.axes_rest_world[f"hand.{side}"], np.array([1.0, 0.0, 0.0])))
    if np.linalg.norm(y) < 0.1:
        return None
    y /= np.linalg.norm(y)
    return rotations.from_matrix(np.stack([np.cross(y, z), y, z], axis=1))
