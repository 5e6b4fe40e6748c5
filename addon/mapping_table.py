"""The mapping table on an armature, to and from the core's mapping."""

from __future__ import annotations

from bpy.types import Scene

from ..sim_core.recognition import recognise
from ..sim_core.recognition.mapping import SLOTS, BoneMapping
from .blender_types import ArmatureObject
from .properties.character import HeftCharacter
from .rig_reader import read_skeleton, require_armature


def fill_table(character: HeftCharacter, mapping: BoneMapping) -> None:
    """Write a mapping into the table; parts without a bone get an empty row."""
    clear_table(character)
    character.kind = mapping.kind
    for slot in SLOTS:
        for bone in mapping.bones.get(slot, ("",)):
            row = character.rows.add()
            row.slot, row.bone = slot, bone


def clear_table(character: HeftCharacter) -> None:
    character.rows.clear()
    character.kind = ""


def table_mapping(character: HeftCharacter) -> BoneMapping | None:
    """What the table says, or None when no bone is in it."""
    bones: dict[str, tuple[str, ...]] = {}
    for row in character.rows:
        if row.bone:
            bones[row.slot] = (*bones.get(row.slot, ()), row.bone)
    return BoneMapping(character.kind or "by hand", bones) if bones else None


def find_mapping(obj: ArmatureObject, scene: Scene) -> BoneMapping:
    """The table's mapping, or without one what is recognised; nothing is changed."""
    return table_mapping(obj.data.heft) or recognise(read_skeleton(obj, scene))


def recognise_rig(obj: ArmatureObject, scene: Scene) -> BoneMapping:
    """Find the body parts of an armature and note them in its table."""
    mapping = recognise(read_skeleton(require_armature(obj), scene))
    fill_table(obj.data.heft, mapping)
    return mapping


def add_row(character: HeftCharacter, slot: str) -> None:
    """One more bone for a part, below its present rows."""
    rows = character.rows
    last = max((i for i, row in enumerate(rows) if row.slot == slot), default=len(rows) - 1)
    rows.add().slot = slot
    rows.move(len(rows) - 1, last + 1)
