"""Operators of the mapping table."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import IntProperty, StringProperty
from bpy.types import Context, Operator

from ..addon.blender_types import ArmatureObject, OperatorResult, rig_context
from ..addon.mapping_table import add_row, clear_table, recognise_rig
from ..addon.rig_reader import require_armature
from .refusals import tells_refusals


def has_armature(cls: type[Operator], context: Context) -> bool:
    """For polls: whether an armature is active, with the reason when not."""
    obj = context.object
    if obj is None or obj.type != "ARMATURE":
        cls.poll_message_set("Select the character's armature first")
        return False
    if obj.library is not None or rig_context(context).object.data.library is not None:
        cls.poll_message_set("The armature is linked from another file: make a library override first")
        return False
    return True


class OfArmature:
    """For operators of the table of an armature: the active one, or one that a panel names."""

    armature: StringProperty(options={"HIDDEN", "SKIP_SAVE"})

    def rig(self, context: Context) -> ArmatureObject:
        name: Any = self.armature
        return require_armature(bpy.data.objects.get(name) if name else context.object)


class HEFT_OT_recognise(OfArmature, Operator):
    """Find the body parts of the armature by its bones' names and places"""

    bl_idname = "heft.recognise"
    bl_label = "Recognise Rig"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        return has_armature(cls, context)

    @tells_refusals
    def execute(self, context: Context) -> OperatorResult:
        mapping = recognise_rig(self.rig(context), rig_context(context).scene)
        for note in mapping.notes:
            self.report({"INFO"}, note)
        self.report({"INFO"}, f"Recognised {len(mapping.bones)} body parts ({mapping.kind}).")
        return {"FINISHED"}


class HEFT_OT_clear_mapping(OfArmature, Operator):
    """Empty the mapping table"""

    bl_idname = "heft.clear_mapping"
    bl_label = "Clear Mapping"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        return has_armature(cls, context)

    @tells_refusals
    def execute(self, context: Context) -> OperatorResult:
        clear_table(self.rig(context).data.heft)
        return {"FINISHED"}


class HEFT_OT_add_bone(OfArmature, Operator):
    """Add one more bone to this body part, below its others"""

    bl_idname = "heft.add_bone"
    bl_label = "Add Bone"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    row: IntProperty()

    @classmethod
    def poll(cls, context: Context) -> bool:
        return has_armature(cls, context)

    @tells_refusals
    def execute(self, context: Context) -> OperatorResult:
        character = self.rig(context).data.heft
        if not 0 <= self.row < len(character.rows):
            return {"CANCELLED"}
        add_row(character, character.rows[self.row].slot)
        return {"FINISHED"}


CLASSES = (HEFT_OT_recognise, HEFT_OT_clear_mapping, HEFT_OT_add_bone)
