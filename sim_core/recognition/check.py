"""Checks a table of bones, found or made by hand, and stores it as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ..base.errors import InputError, RecognitionError
from ..motion.skeleton import Skeleton
from .mapping import REQUIRED_SLOTS, SIDES, SLOTS, BoneMapping

BELOW = (("thigh", "shin"), ("upper_arm", "forearm"))
"""Parts whose bones must hang on each other; feet and hands may hang on control bones."""

NEVER_ABOVE = (
    ("hips", "spine"),
    ("spine", "neck"),
    ("neck", "head"),
    *(
        (f"{upper}.{side}", f"{lower}.{side}")
        for side in SIDES
        for upper, lower in (
            ("shin", "foot"),
            ("foot", "toe"),
            ("clavicle", "upper_arm"),
            ("forearm", "hand"),
        )
    ),
    *(("hips", f"thigh.{side}") for side in SIDES),
)


def check_mapping(mapping: BoneMapping, skeleton: Skeleton) -> None:
    """Raises RecognitionError with one sentence when a table of bones cannot be used."""
    _check_slots(mapping)
    _check_bones(mapping, skeleton)
    index = skeleton.index
    for upper, lower in BELOW:
        for side in SIDES:
            a, b = f"{upper}.{side}", f"{lower}.{side}"
            if a in mapping and b in mapping:
                _check_below(skeleton, a, mapping.first(a), b, mapping.first(b))
    for a, b in NEVER_ABOVE:
        if a in mapping and b in mapping:
            upper_bone, lower_bone = mapping.first(a), mapping.first(b)
            if index[lower_bone] in skeleton.ancestors(index[upper_bone]):
                raise RecognitionError(
                    f"'{lower_bone}' is assigned to {b} but lies above '{upper_bone}' ({a}); swap the two."
                )


def _check_slots(mapping: BoneMapping) -> None:
    unknown = [slot for slot in mapping if slot not in SLOTS]
    if unknown:
        raise RecognitionError(f"'{unknown[0]}' is no part of the body; the parts are {', '.join(SLOTS)}.")
    missing = [slot for slot in REQUIRED_SLOTS if not mapping.bones.get(slot)]
    if missing:
        raise RecognitionError(f"No bone is assigned to {', '.join(missing)}; a body needs these parts.")
    empty = [slot for slot in mapping if not mapping.bones[slot]]
    if empty:
        raise RecognitionError(f"'{empty[0]}' is listed without a bone; assign one or remove it.")


def _check_bones(mapping: BoneMapping, skeleton: Skeleton) -> None:
    owner: dict[str, str] = {}
    for slot in mapping:
        for bone in mapping.bones[slot]:
            if bone not in skeleton.index:
                raise RecognitionError(
                    f"Bone '{bone}', assigned to {slot}, is not in the rig; choose one of its "
                    f"{len(skeleton.names)} bones."
                )
            if bone in owner:
                raise RecognitionError(f"Bone '{bone}' is assigned to both {owner[bone]} and {slot}.")
            owner[bone] = slot


def _check_below(skeleton: Skeleton, upper: str, upper_bone: str, lower: str, lower_bone: str) -> None:
    if skeleton.index[upper_bone] not in skeleton.ancestors(skeleton.index[lower_bone]):
        raise RecognitionError(
            f"'{lower_bone}' ({lower}) does not hang below '{upper_bone}' ({upper}); "
            "choose a bone of that limb."
        )


def mapping_to_json(mapping: BoneMapping) -> str:
    """The table as text, for keeping on an armature or in a file."""
    content = {
        "kind": mapping.kind,
        "bones": {slot: list(mapping.bones[slot]) for slot in mapping},
        "notes": list(mapping.notes),
    }
    return json.dumps(content, indent=1)


def mapping_from_json(text: str) -> BoneMapping:
    """The table in a text made by `mapping_to_json`."""
    try:
        content: Any = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"The stored table of bones is not valid JSON: {error.msg}.") from error
    bones = content.get("bones") if isinstance(content, dict) else None
    if not isinstance(bones, Mapping) or not all(_is_names(names) for names in bones.values()):
        raise InputError("The stored table of bones is broken; recognise the rig again.")
    notes = content.get("notes", [])
    return BoneMapping(
        str(content.get("kind", "by hand")),
        {slot: tuple(names) for slot, names in bones.items()},
        tuple(notes) if _is_names(notes) else (),
    )


def _is_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)
