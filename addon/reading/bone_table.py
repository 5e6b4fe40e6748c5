"""The table of bones on an armature, to and from the core's mapping, and tables saved as files."""

from __future__ import annotations

import bpy
from bpy.props import CollectionProperty, FloatProperty, IntProperty, StringProperty
from bpy.types import PropertyGroup, Scene

from ...sim_core.base.errors import InputError
from ...sim_core.base.files import write_text_atomically
from ...sim_core.recognition.mapping import SLOTS, BoneMapping
from ..blender.blender_types import ArmatureObject
from ..blender.library_overrides import character_of
from ..blender.property_groups import NAME
from ..presets.user_files import USER_PREFIX, UserFiles
from .rig_reader import read_skeleton, require_armature


class HeftMappingRow(PropertyGroup):
    """One bone of a body part; parts with several bones have several rows, from root to tip."""

    slot: StringProperty(name="Body Part")
    bone: StringProperty(name="Bone", description="The bone of this body part")


class HeftCharacter(PropertyGroup):
    """The character's bones, height and mass: on the armature, or on the object if the armature is linked."""

    kind: StringProperty(name="Rig", description="The kind of rig that was recognised")
    rows: CollectionProperty(type=HeftMappingRow)
    rows_index: IntProperty()
    height: FloatProperty(
        name="Moves Like [m]",
        description="Height of the simulated body, in metres; the keys fit the armature as it "
        "is. 0 measures the rig",
        min=0.0,
        soft_max=3.0,
        precision=2,
    )
    mass: FloatProperty(
        name="Mass [kg]",
        description="Body mass in kilograms; 0 estimates it from the height",
        min=0.0,
        soft_max=200.0,
        precision=1,
    )


def fill_bone_table(character: HeftCharacter, mapping: BoneMapping) -> None:
    """Write a mapping into the table; parts without a bone get an empty row."""
    clear_table(character)
    character.kind = mapping.kind
    for slot in SLOTS:
        for bone in mapping.bones.get(slot, ("",)):
            row = character.rows.add()
            row.slot, row.bone = slot, bone


def clear_table(character: HeftCharacter) -> None:
    """Remove all rows."""
    character.rows.clear()
    character.kind = ""


def table_mapping(character: HeftCharacter) -> BoneMapping | None:
    """Return the table as a mapping, or None if it has no bone."""
    bones: dict[str, tuple[str, ...]] = {}
    for row in character.rows:
        if row.bone:
            bones[row.slot] = (*bones.get(row.slot, ()), row.bone)
    return BoneMapping(character.kind or "by hand", bones) if bones else None


def find_mapping(obj: ArmatureObject, scene: Scene) -> BoneMapping:
    """Return the table's mapping, or else recognise the rig; nothing is changed."""
    from ...sim_core.recognition import recognise

    own, linked = character_of(obj), obj.data.heft
    return table_mapping(own) or table_mapping(linked) or recognise(read_skeleton(obj, scene))


def recognise_rig(obj: ArmatureObject, scene: Scene) -> BoneMapping:
    """Find the body parts of an armature and write them into its table."""
    from ...sim_core.recognition import recognise

    mapping = recognise(read_skeleton(require_armature(obj), scene))
    fill_bone_table(character_of(obj), mapping)
    return mapping


def add_bone_row(character: HeftCharacter, slot: str) -> None:
    """Add another bone to a part, below its rows."""
    rows = character.rows
    last = max((i for i, row in enumerate(rows) if row.slot == slot), default=len(rows) - 1)
    rows.add().slot = slot
    rows.move(len(rows) - 1, last + 1)


FILES = UserFiles("bone_tables", "bone table")


def table_keys() -> list[tuple[str, str]]:
    """Return keys and names of all tables, the user's last."""
    from ...sim_core.recognition.families import rig_families

    shipped = [family.kind for family in rig_families()]
    return [(key, key.removeprefix(USER_PREFIX)) for key in (*shipped, *FILES.all_keys())]


def load_table(obj: ArmatureObject, key: str, scene: Scene) -> BoneMapping:
    """Fill an armature's table from a preset; one with bones that the armature lacks is refused."""
    from ...sim_core.recognition import check_mapping
    from ...sim_core.recognition.families import family_mapping
    from ...sim_core.retarget.retarget_rig import read_table

    skeleton = read_skeleton(require_armature(obj), scene)
    if key.startswith(USER_PREFIX):
        mapping = read_table(FILES.file(key))
        check_mapping(mapping, skeleton)
    else:
        mapping = family_mapping(key, skeleton)
    fill_bone_table(character_of(obj), mapping)
    return mapping


def save_table(obj: ArmatureObject, name: str) -> str:
    """Save an armature's table as a new file of the user; return its key."""
    from ...sim_core.recognition import mapping_to_json

    key = FILES.new_key(name)
    mapping = table_mapping(character_of(obj))
    if mapping is None:
        raise InputError(f"The table of '{obj.name}' is empty; recognise the rig first.")
    write_text_atomically(FILES.file(key), mapping_to_json(mapping) + "\n")
    return key


CLASSES = (
    HeftMappingRow,
    HeftCharacter,
)

GROUPS = (
    (bpy.types.Armature, NAME, HeftCharacter),
    (bpy.types.Object, "heft_character", HeftCharacter),
)
