"""Characters linked from other files: what may be written, and what an override needs to be saved.

An override saves what differs from the linked object. Two things keep Blender from saving properties of an
add-on: a group of properties that the linked object has never used, and rows of lists without names.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import bpy
from bpy.types import Object, PropertyGroup

from ...sim_core.base.errors import InputError
from .blender_types import ArmatureObject
from .handlers import Handlers
from .property_groups import Groups

if TYPE_CHECKING:
    from ..reading.bone_table import HeftCharacter


def character_of(obj: ArmatureObject) -> HeftCharacter:
    """Return the character's bones, height and mass: the armature's, or the object's if that is linked."""
    return obj.heft_character if obj.data.library is not None else obj.data.heft


def refuse_linked(obj: Object) -> None:
    """Refuse an object that is linked and has no override, or one that Blender keeps from being edited."""
    if obj.library is not None:
        raise InputError(
            f"'{obj.name}' is linked from another file; make a library override of it first "
            "(Object > Library Override > Make)."
        )
    override = obj.override_library
    if override is not None and override.is_system_override:
        raise InputError(
            f"The library override of '{obj.name}' is not editable; select it and make it so "
            "(Object > Library Override > Make)."
        )


def override_handlers(groups: Groups) -> Handlers:
    """Return what prepares the properties of all overrides before each save."""
    names = [name for owner, name, added in groups if owner is bpy.types.Object and isinstance(added, type)]

    def prepare(*_: object) -> None:
        for obj in bpy.data.objects:
            if obj.override_library is not None and obj.override_library.reference is not None:
                _prepare_override(obj, obj.override_library.reference, names)

    return {"save_pre": prepare}


def _prepare_override(obj: Object, linked: Any, names: Sequence[str]) -> None:
    """Make groups of properties on the linked object, and name the rows on its override."""
    for name in names:
        for _ in _groups_in(getattr(linked, name)):
            pass  # reading a group makes it
        for group in _groups_in(getattr(obj, name)):
            _name_rows(group)


def _groups_in(group: Any) -> Iterator[Any]:
    """Yield a group of properties and all groups that it holds."""
    yield group
    for member in group.bl_rna.properties:
        if member.type == "POINTER" and member.identifier != "rna_type":
            held = getattr(group, member.identifier)
            if isinstance(held, PropertyGroup):
                yield from _groups_in(held)


def _name_rows(group: Any) -> None:
    for member in group.bl_rna.properties:
        if member.type == "COLLECTION":
            for number, row in enumerate(getattr(group, member.identifier)):
                row.name = str(number)
