"""The table that maps parts of a human body to bones: its check, its JSON, and parts in words."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..base.errors import InputError, RecognitionError
from ..base.json_files import parse_json_object
from ..motion.skeleton import Skeleton

SIDES = ("L", "R")
CENTRE_SLOTS = ("hips", "spine", "neck", "head")
SIDE_SLOTS = ("clavicle", "upper_arm", "forearm", "hand", "thigh", "shin", "foot", "toe")
SLOTS = CENTRE_SLOTS + tuple(f"{slot}.{side}" for side in SIDES for slot in SIDE_SLOTS)

REQUIRED_SLOTS = ("hips",) + tuple(f"{slot}.{side}" for side in SIDES for slot in ("thigh", "shin", "foot"))

Slots = dict[str, list[int]]
"""Slot, such as "thigh.L" -> indices of its bones."""

JOINT_LABELS = {
    "abdomen": "lower back",
    "chest": "upper back",
    "head": "neck",
    "clavicle": "collarbone",
    "upper_arm": "shoulder",
    "forearm": "elbow",
    "hand": "wrist",
    "thigh": "hip",
    "shin": "knee",
    "foot": "ankle",
    "toe": "toe joint",
}
SIDE_LABELS = {"L": "left ", "R": "right "}

BELOW = (("thigh", "shin"), ("upper_arm", "forearm"))
"""Parts of which the second must be below the first in the rig; feet and hands may be on control bones."""

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
"""Parts of which the second must not be above the first in the rig."""


@dataclass(frozen=True)
class BoneMapping:
    """Slot -> bone names, from the root's side to the tip.

    The first bone of a limb slot drives the segment; further ones (twist bones, second halves) are merged
    into it. 'spine' lists all bones between hips and neck, the last of which is the chest; 'neck' lists
    the neck bones below the head. Slots that the rig lacks are absent.

    kind: family of the rig, or how the bones were found; notes: sentences for the user
    """

    kind: str
    bones: Mapping[str, tuple[str, ...]]
    notes: tuple[str, ...] = field(default=())

    def __contains__(self, slot: str) -> bool:
        return slot in self.bones

    def __iter__(self) -> Iterator[str]:
        return iter(self.bones)

    def first(self, slot: str) -> str:
        """Return the first bone of a slot."""
        return self.bones[slot][0]

    @property
    def all_bones(self) -> frozenset[str]:
        """Return the bones of all slots."""
        return frozenset(bone for bones in self.bones.values() for bone in bones)


def part_label(slot: str) -> str:
    """Return a part in words: "upper_arm.R" is "right upper arm"."""
    part, _, side = slot.partition(".")
    return SIDE_LABELS.get(side, "") + part.replace("_", " ")


def joint_label(segment: str) -> str:
    """Return the joint between a segment and its parent in words: "shin.L" is "left knee"."""
    part, _, side = segment.partition(".")
    return SIDE_LABELS.get(side, "") + JOINT_LABELS.get(part, f"{part_label(part)} joint")


def check_mapping(mapping: BoneMapping, skeleton: Skeleton) -> None:
    """Raise a RecognitionError if a table of bones cannot be used."""
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
        raise RecognitionError(f"'{unknown[0]}' is not a part of the body; the parts are {', '.join(SLOTS)}.")
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
                raise RecognitionError(
                    f"Bone '{bone}' is assigned to both {owner[bone]} and {slot}; choose one of them."
                )
            owner[bone] = slot


def _check_below(skeleton: Skeleton, upper: str, upper_bone: str, lower: str, lower_bone: str) -> None:
    if skeleton.index[upper_bone] not in skeleton.ancestors(skeleton.index[lower_bone]):
        raise RecognitionError(
            f"'{lower_bone}' ({lower}) is not below '{upper_bone}' ({upper}); choose a bone of that limb."
        )


def mapping_to_object(mapping: BoneMapping) -> dict[str, Any]:
    """Return the table as a JSON object."""
    return {
        "kind": mapping.kind,
        "bones": {slot: list(mapping.bones[slot]) for slot in mapping},
        "notes": list(mapping.notes),
    }


def mapping_to_json(mapping: BoneMapping) -> str:
    """Return the table as text, to be kept on an armature or in a file."""
    return json.dumps(mapping_to_object(mapping), indent=1)


def mapping_from_json(text: str) -> BoneMapping:
    """Return the table in a text made by `mapping_to_json`."""
    content = parse_json_object(text, "The stored table of bones")
    bones = content.get("bones")
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
