"""Known families of rigs, with tables of their bone names in presets/rigs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from ..base.errors import InputError, RecognitionError
from ..base.json_files import preset_names, read_preset
from ..motion.skeleton import Skeleton
from .mapping import REQUIRED_SLOTS, SIDE_SLOTS, SIDES, SLOTS, BoneMapping, Slots, check_mapping

GROUP = "rigs"


@dataclass(frozen=True)
class RigFamily:
    """The bone names of a family of rigs.

    kind: name of the family for the user
    pattern: what a bone name must match; its first group is the name in the table
    must_have: table names that every rig of the family has
    bones: slot -> table names, from the root's side to the tip
    """

    kind: str
    pattern: re.Pattern[str]
    must_have: tuple[str, ...]
    bones: Mapping[str, tuple[str, ...]]

    def match(self, skeleton: Skeleton) -> Slots | None:
        """Return the bones of each slot, or None if a required part or bone is absent."""
        by_name: dict[str, int] = {}
        for index, name in enumerate(skeleton.names):
            found = self.pattern.fullmatch(name)
            if found:
                by_name.setdefault(found.group(1).casefold(), index)
        if any(name.casefold() not in by_name for name in self.must_have):
            return None
        slots = {}
        for slot, names in self.bones.items():
            bones = [by_name[name.casefold()] for name in names if name.casefold() in by_name]
            if bones:
                slots[slot] = bones
        return slots if all(slot in slots for slot in REQUIRED_SLOTS) else None


@cache
def rig_families() -> tuple[RigFamily, ...]:
    """Return all families in the shipped presets."""
    return tuple(
        family_from_dict(read_preset(GROUP, name), f"The rig preset '{name}'") for name in preset_names(GROUP)
    )


def family_from_dict(table: Mapping[str, Any], owner: str) -> RigFamily:
    """Read a family from JSON data.

    Parts that both sides have are listed once, with {side} in their names, or for each side.
    """
    try:
        _refuse_unknown(table["bones"], owner)
        bones = {slot: tuple(table["bones"][slot]) for slot in SLOTS if slot in table["bones"]}
        for side in SIDES if "sides" in table else ():
            word = table["sides"][side]
            for slot in SIDE_SLOTS:
                if slot in table["bones"]:
                    bones[f"{slot}.{side}"] = tuple(n.replace("{side}", word) for n in table["bones"][slot])
        pattern = re.compile(table.get("name_pattern", "(.+)"), re.IGNORECASE)
        return RigFamily(table["kind"], pattern, tuple(table.get("must_have", ())), bones)
    except (KeyError, TypeError, AttributeError, re.error) as error:
        raise InputError(f"{owner} is broken ({error}); repair its file or install Heft again.") from error


def _refuse_unknown(bones: Mapping[str, Any], owner: str) -> None:
    known = (*SLOTS, *SIDE_SLOTS)
    for slot, names in bones.items():
        if slot not in known:
            raise InputError(f"{owner} is broken: '{slot}' is not a body part; there are {', '.join(known)}.")
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise InputError(f"{owner} is broken: '{slot}' must be a list of bone names.")


def match_family(skeleton: Skeleton) -> tuple[str, Slots] | None:
    """Return the family with the most bones in the rig and their slots, or None."""
    best: tuple[int, bool, str, Slots] | None = None
    for family in rig_families():
        slots = family.match(skeleton)
        if slots is None:
            continue
        score = (sum(len(bones) for bones in slots.values()), bool(family.must_have))
        if best is None or score > best[:2]:
            best = (*score, family.kind, slots)
    return (best[2], best[3]) if best else None


def family_mapping(kind: str, skeleton: Skeleton) -> BoneMapping:
    """Return the table of one family for a rig; raise a RecognitionError if the rig is of another one."""
    family = next((one for one in rig_families() if one.kind == kind), None)
    if family is None:
        known = ", ".join(one.kind for one in rig_families())
        raise InputError(f"There is no family of rigs '{kind}'; there are {known}.")
    slots = family.match(skeleton)
    if slots is None:
        wanted = [family.bones[slot][0] for slot in REQUIRED_SLOTS if slot in family.bones]
        raise RecognitionError(
            f"The rig has no bones of the family '{kind}', which are called {', '.join(wanted)}; "
            "choose another table."
        )
    bones = {slot: tuple(skeleton.names[i] for i in slots[slot]) for slot in slots}
    mapping = BoneMapping(kind, bones)
    check_mapping(mapping, skeleton)
    return mapping
