"""Fingers on hands with other numbers of finger bones: the curl along a finger is that of the source.

Directions relative to the hand are carried over, not rotations from rest, so that open hands are open and
fists are closed whatever the rest poses are. A bone has the direction that the source's finger has at the
same share of its length, where the bone ends: the last bone has that of the source's last one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..base import rotations
from ..base.conventions import FloatArray
from ..motion.motion import Motion
from ..recognition.bone_names import parse_name
from .retarget_rig import RetargetRig
from .style import BoneRotations

MITTEN = "mitten"
FINGERS = {
    "thumb": "thumb",
    "index": "index",
    "mid": "middle",
    "middle": "middle",
    "ring": "ring",
    "pinky": "pinky",
    "little": "pinky",
    "finger": MITTEN,
    "fingers": MITTEN,
    "mitten": MITTEN,
    "mitt": MITTEN,
}
"""Words in names of bones -> the finger; a mitten has one chain for all fingers but the thumb."""
TIPS = {"tip", "end", "nub", "site"}
"""Words in names of bones that only tell where the last bone of a finger ends."""
IN_A_MITTEN = ("index", "middle", "ring", "pinky")
IN_PALM = 0.5
"""A first bone that begins before this share of the way from the wrist to the second one is in the palm."""
PHALANGES = 3
"""A finger has so many bones at most; a last one beyond them is only its tip."""
LEAST_TURNED = np.cos(np.radians(50.0))
"""No joint of a finger bends further at rest; axes that say so are not the same along the finger."""
LAST = 0.8
"""Length of a last bone, relative to the one before it, where no child tells it."""


@dataclass(frozen=True, eq=False)
class Finger:
    """The bones of a finger from the hand to the tip.

    palm: its bone inside the palm, if it has one; ends (N): share of the length at which each bone ends
    """

    palm: int | None
    bones: tuple[int, ...]
    ends: FloatArray


def finger_rotations(
    source: RetargetRig, motion: Motion, target: RetargetRig, side: str, part_turn: FloatArray
) -> BoneRotations:
    """Return rotations of the target's finger bones; part_turn (T, 4): from the source's hand to its own."""
    in_source = {}
    for name, bones in fingers(source, side).items():
        finger = _finger(source, bones, side, name)
        if finger is not None:
            in_source[name] = finger
    found: BoneRotations = {}
    for name, bones in fingers(target, side).items():
        own = _finger(target, bones, side, name)
        models = [in_source[one] for one in _models(name, in_source)]
        if own is None or not models:
            continue
        curls = [_curl(source, motion, model, side) for model in models]
        for bone, end in zip(own.bones, own.ends, strict=True):
            axes = _mean([_at(model, curl, float(end)) for model, curl in zip(models, curls, strict=True)])
            found[bone] = _bone_rotation(target, bone, side, rotations.multiply(part_turn, axes))
        palms = [curl[0] for model, curl in zip(models, curls, strict=True) if model.palm is not None]
        if own.palm is not None and palms:
            found[own.palm] = _bone_rotation(
                target, own.palm, side, rotations.multiply(part_turn, _mean(palms))
            )
    return found


def _models(name: str, in_source: dict[str, Finger]) -> list[str]:
    """Return the source's fingers after which a finger of the target moves."""
    if name in in_source:
        return [name]
    if name == MITTEN:
        return [one for one in IN_A_MITTEN if one in in_source]
    return [MITTEN] if name in IN_A_MITTEN and MITTEN in in_source else []


def fingers(rig: RetargetRig, side: str) -> dict[str, list[int]]:
    """Return finger -> its bones from the hand to the tip."""
    found: dict[str, list[int]] = {}
    for bone in rig.skeleton.descendants(rig.bone(f"hand.{side}")):
        if bone in (rig.skeleton.index[name] for name in rig.mapping.bones[f"hand.{side}"]):
            continue
        words = parse_name(rig.skeleton.names[bone].replace("_", " ")).words
        meant = [FINGERS[word] for word in words if word in FINGERS]
        if meant and not TIPS & set(words) and _has_length(rig, bone):
            # "finger index" is the index finger.
            found.setdefault(next((one for one in meant if one != MITTEN), MITTEN), []).append(bone)
    return {name: bones for name, bones in found.items() if name != MITTEN or _is_chain(rig, bones)}


def _is_chain(rig: RetargetRig, bones: list[int]) -> bool:
    """Return whether each bone hangs on another one of them but the first: fingers by number do not."""
    return sum(int(rig.skeleton.parents[bone]) not in bones for bone in bones) == 1


def _has_length(rig: RetargetRig, bone: int) -> bool:
    """Return whether a bone has a length; one of length zero only stands in for the next one."""
    heads, children = rig.skeleton.rest_position_world, rig.skeleton.children[bone]
    return not children or bool(np.linalg.norm(heads[children[0]] - heads[bone]) > 1e-5)


def _finger(rig: RetargetRig, bones: list[int], side: str, name: str) -> Finger | None:
    """Return the finger that these bones are; None where one of them has no direction."""
    heads = rig.skeleton.rest_position_world
    wrist = heads[rig.bone(f"hand.{side}")]
    palm = None
    if len(bones) > 1 and name != "thumb":
        first, second = (float(np.linalg.norm(heads[bone] - wrist)) for bone in bones[:2])
        if first < IN_PALM * second:
            palm, bones = bones[0], bones[1:]
    if len(bones) > PHALANGES:
        bones = bones[:PHALANGES]
    if any(_axes_at_rest(rig, bone, side) is None for bone in bones):
        return None
    lengths: list[float] = []
    for bone in bones:
        child = rig.skeleton.children[bone]
        own = float(np.linalg.norm(heads[child[0]] - heads[bone])) if child else 0.0
        lengths.append(own if own > 0.0 else LAST * lengths[-1] if lengths else 1.0)
    ends = np.cumsum(lengths)
    return Finger(palm, tuple(bones), ends / ends[-1])


def _curl(source: RetargetRig, motion: Motion, finger: Finger, side: str) -> list[FloatArray]:
    """Return the axes (T, 4) of a source's finger where it begins, and of each of its bones."""
    first = source.bone(f"hand.{side}") if finger.palm is None else finger.palm
    begins = _axes_at_rest(source, finger.bones[0] if finger.palm is None else finger.palm, side)
    axes = [begins, *(_axes_at_rest(source, bone, side) for bone in finger.bones)]
    found = []
    for bone, at_rest in zip((first, *finger.bones), axes, strict=True):
        assert at_rest is not None
        offset = rotations.relative(source.skeleton.rest_quaternion_world[bone], at_rest)
        found.append(rotations.multiply(motion.quaternion_world[:, bone], offset))
    return found


def _at(finger: Finger, curl: list[FloatArray], end: float) -> FloatArray:
    """Return the axes (T, 4) at a share of a finger's length, between those of the bones that end there."""
    ends = np.array([0.0, *finger.ends])
    above = min(int(np.searchsorted(ends, end - 1e-9)), len(ends) - 1)
    share = (end - ends[above - 1]) / (ends[above] - ends[above - 1])
    return rotations.slerp(curl[above - 1], curl[above], np.array(min(share, 1.0)))


def _mean(axes: list[FloatArray]) -> FloatArray:
    """Return the mean of axes (T, 4) that do not differ by much."""
    aligned = [np.where(np.sum(one * axes[0], axis=1, keepdims=True) < 0.0, -one, one) for one in axes]
    return rotations.normalise(np.sum(aligned, axis=0))


def _bone_rotation(target: RetargetRig, bone: int, side: str, axes: FloatArray) -> FloatArray:
    at_rest = _axes_at_rest(target, bone, side)
    assert at_rest is not None
    back = rotations.relative(at_rest, target.skeleton.rest_quaternion_world[bone])
    return rotations.multiply(axes, back)


def _last_direction(rig: RetargetRig, bone: int) -> FloatArray:
    """Return the direction (3) of a bone without a child.

    It points along the same one of its own axes as the bone before it, if axes are the same along the finger;
    otherwise it goes on in the direction of the one before it.
    """
    heads, turns = rig.skeleton.rest_position_world, rig.skeleton.rest_quaternion_world
    before = int(rig.skeleton.parents[bone])
    straight = heads[bone] - heads[before]
    own = rotations.rotate(rotations.multiply(turns[bone], rotations.conjugate(turns[before])), straight)
    turned = own @ straight / max(float(straight @ straight), 1e-12)
    return own if turned > LEAST_TURNED else straight


def _axes_at_rest(rig: RetargetRig, bone: int, side: str) -> FloatArray | None:
    """Return axes at rest (4): Z against the bone's direction, X as near to the hand's as possible."""
    heads, child = rig.skeleton.rest_position_world, rig.skeleton.children[bone]
    along = heads[bone] - heads[child[0]] if child else -_last_direction(rig, bone)
    length = float(np.linalg.norm(along))
    if length < 1e-6:
        return None
    z = along / length
    y = np.cross(z, rotations.rotate(rig.axes_rest_world[f"hand.{side}"], np.array([1.0, 0.0, 0.0])))
    if np.linalg.norm(y) < 0.1:
        return None
    y /= np.linalg.norm(y)
    return rotations.from_matrix(np.stack([np.cross(y, z), y, z], axis=1))
