"""Recognition of the body parts of a skeleton: by known families, then by names, then by shape."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..base.conventions import FloatArray
from ..base.errors import RecognitionError
from ..motion.skeleton import Skeleton
from .by_name import find_by_name
from .by_shape import find_by_shape
from .families import match_family
from .mapping import REQUIRED_SLOTS, SIDES, SLOTS, BoneMapping, Slots, check_mapping, part_label
from .sides import names_tell_sides
from .trunk import complete_trunk, merge_chain_bones

BY_NAME, BY_SHAPE = "names of bones", "shape of the rig"

LEVEL_TRUNK_DEG = 130.0
"""Angle between trunk and legs, below which the trunk is level; it is 180 deg in a standing person [deg]."""

ARM_SLOTS = ("clavicle", "upper_arm", "forearm", "hand")

FRONT_FEET_RANGE = 0.25
"""Height of the front limbs' ends above the hind ones, below which they are legs, in leg lengths."""


def recognise(skeleton: Skeleton) -> BoneMapping:
    """Return the bones of each body part; raise a RecognitionError for rigs that are not two-legged."""
    if not skeleton.names:
        raise RecognitionError("The rig has no bones; choose an armature with a body.")
    kind, slots = _find(skeleton)
    _refuse_four_legs(skeleton, slots)
    _refuse_missing(skeleton, slots)
    notes = []
    if kind == BY_SHAPE and not names_tell_sides(skeleton, slots):
        notes.append("Left and right were guessed from the direction of the feet; check the table of bones.")
    absent = [slot for slot in ("upper_arm.L", "upper_arm.R", "head", "spine") if slot not in slots]
    if absent:
        notes.append(f"The rig has no {', '.join(map(part_label, absent))}; it is simulated without.")
    mapping = _mapping(skeleton, kind, slots, notes)
    check_mapping(mapping, skeleton)
    return mapping


def _mapping(skeleton: Skeleton, kind: str, slots: Slots, notes: Iterable[str] = ()) -> BoneMapping:
    bones = {slot: tuple(skeleton.names[i] for i in slots[slot]) for slot in SLOTS if slot in slots}
    return BoneMapping(kind, bones, tuple(notes))


def _fits(skeleton: Skeleton, kind: str, slots: Slots) -> bool:
    """Return whether the bones of a family's table are a body; an animal's rig may use the same names."""
    try:
        check_mapping(_mapping(skeleton, kind, slots), skeleton)
    except RecognitionError:
        return False
    return True


def _find(skeleton: Skeleton) -> tuple[str, Slots]:
    words, shape = find_by_name(skeleton), find_by_shape(skeleton)
    family = match_family(skeleton)
    if family and _fits(skeleton, *family):
        kind, parts = family[0], _without_gaps(skeleton, family[1], words, shape)
        return kind, merge_chain_bones(skeleton, parts if _fits(skeleton, kind, parts) else family[1])
    if all(slot in words for slot in REQUIRED_SLOTS if slot != "hips"):
        kind, parts = BY_NAME, _with_whole_arms(words, shape)
    elif sum(slot in shape for slot in REQUIRED_SLOTS) > sum(slot in words for slot in REQUIRED_SLOTS):
        kind, parts = BY_SHAPE, shape
        parts |= {slot: words[slot] for slot in ("head",) if slot in words}
    else:
        kind, parts = BY_NAME, words
    return kind, merge_chain_bones(skeleton, complete_trunk(skeleton, parts))


def _without_gaps(skeleton: Skeleton, table: Slots, words: Slots, shape: Slots) -> Slots:
    """Return the parts of a family's table with those that it lacks: rigs share only some names with it."""
    taken = {bone for bones in table.values() for bone in bones}
    more = {slot: bones for slot, bones in words.items() if slot not in table and not taken & {*bones}}
    parts = _with_whole_arms(more | table, shape)
    trunk = complete_trunk(skeleton, parts)
    parts = {slot: trunk[slot] for slot in ("spine", "neck", "head") if slot in trunk} | parts
    if trunk.get("hips") == table["hips"] and {*parts.get("spine", ())} < {*trunk.get("spine", ())}:
        parts["spine"] = trunk["spine"]
    return parts


def _with_whole_arms(parts: Slots, shape: Slots) -> Slots:
    """Return the parts with the arms of the rig's shape where an elbow was not found by its name."""
    if all(_has_elbow(parts, side) for side in SIDES) or not all(_has_elbow(shape, side) for side in SIDES):
        return parts
    arms = {f"{slot}.{side}" for slot in ARM_SLOTS for side in SIDES}
    rest = {slot: bones for slot, bones in parts.items() if slot not in arms}
    taken = {bone for bones in rest.values() for bone in bones}
    found = {slot: bones for slot, bones in shape.items() if slot in arms}
    return parts if taken & {bone for bones in found.values() for bone in bones} else rest | found


def _has_elbow(parts: Slots, side: str) -> bool:
    return f"upper_arm.{side}" in parts and f"forearm.{side}" in parts


def _refuse_missing(skeleton: Skeleton, slots: Slots) -> None:
    missing = [slot for slot in REQUIRED_SLOTS if not slots.get(slot)]
    if not missing:
        return
    found = [f"{part_label(slot)} ('{skeleton.names[slots[slot][0]]}')" for slot in SLOTS if slots.get(slot)]
    raise RecognitionError(
        f"This rig lacks parts that a body needs: {', '.join(map(part_label, missing))} not found among "
        f"{len(skeleton.names)} bones (found: {', '.join(found) or 'nothing'}). "
        "Assign them by hand in the table of bones in the Heft panel."
    )


def _refuse_four_legs(skeleton: Skeleton, slots: Slots) -> None:
    """Refuse bodies with a level trunk whose front limbs reach the ground or are missing."""
    if not all(slots.get(f"{slot}.{side}") for slot in ("thigh", "foot") for side in SIDES):
        return
    hip, foot = _middle(skeleton, slots, "thigh"), _middle(skeleton, slots, "foot")
    has_arms = all(slots.get(f"{slot}.{side}") for slot in ("upper_arm", "hand") for side in SIDES)
    if has_arms:
        top = _middle(skeleton, slots, "upper_arm")
    elif slots.get("head"):
        top = skeleton.rest_position_world[slots["head"][0]]
    else:
        return
    leg, trunk = foot - hip, top - hip
    length = float(np.linalg.norm(leg))
    if length < 1e-9:
        raise RecognitionError("The legs of this rig have no length at rest; check its scale and its bones.")
    cosine = leg @ trunk / max(length * float(np.linalg.norm(trunk)), 1e-18)
    if np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))) > LEVEL_TRUNK_DEG:
        return
    front = "it has no arms"
    if has_arms:
        gap = abs((_middle(skeleton, slots, "hand") - foot) @ leg) / length**2
        if gap > FRONT_FEET_RANGE:
            return
        front = f"its front limbs ('{skeleton.names[slots['hand.L'][0]]}') stand on the ground"
    raise RecognitionError(
        f"This looks like a four-legged animal: its trunk lies level and {front}, so arms and an upright "
        "trunk are missing. Heft simulates two-legged characters only; choose one of those."
    )


def _middle(skeleton: Skeleton, slots: Slots, part: str) -> FloatArray:
    """Return the point between the two sides of a part (3)."""
    return np.asarray(np.mean([skeleton.rest_position_world[slots[f"{part}.{s}"][0]] for s in SIDES], axis=0))
