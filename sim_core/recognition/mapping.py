"""Which bones play which part of a human body."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping as AbstractMapping
from dataclasses import dataclass, field

SIDES = ("L", "R")
CENTRE_SLOTS = ("hips", "spine", "neck", "head")
SIDE_SLOTS = ("clavicle", "upper_arm", "forearm", "hand", "thigh", "shin", "foot", "toe")
SLOTS = CENTRE_SLOTS + tuple(f"{slot}.{side}" for side in SIDES for slot in SIDE_SLOTS)

REQUIRED_SLOTS = ("hips",) + tuple(f"{slot}.{side}" for side in SIDES for slot in ("thigh", "shin", "foot"))


@dataclass(frozen=True)
class BoneMapping:
    """Slot -> bone names, from the root's side to the tip.

    The first bone of a limb slot drives the segment; further ones are merged into it (twist
    bones, second halves). 'spine' lists all bones between hips and neck, the last one is the
    chest; 'neck' lists neck bones below the head. Slots that the rig lacks are absent.
    """

    kind: str
    bones: AbstractMapping[str, tuple[str, ...]]
    notes: tuple[str, ...] = field(default=())

    def __contains__(self, slot: str) -> bool:
        return slot in self.bones

    def __iter__(self) -> Iterator[str]:
        return iter(self.bones)

    def first(self, slot: str) -> str:
        return self.bones[slot][0]

    @property
    def all_bones(self) -> frozenset[str]:
        return frozenset(bone for bones in self.bones.values() for bone in bones)
