"""Operators of the mapping table."""

from __future__ import annotations

from bpy.props import IntProperty
from bpy.types import Context, Operator

from ..addon.blender_types import OperatorResult, rig_context
from ..addon.mapping_table import add_row, clear_table, recognise_rig
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


class HEFT_OT_recognise(Operator):
    """Find the body parts of the armature by its bones' names and places"""

    bl_idname = "heft.recognise"
    bl_label = "Recognise Rig"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        return has_armature(cls, context)

    @tells_refusals
    def execute(self, context: Context) -> OperatorResult:
        mapping = recognise_rig(rig_context(context).object, rig_context(context).scene)
        for note in mapping.notes:
            self.report({"INFO"}, note)
        self.report({"INFO"}, f"Recognised {len(mapping.bones)} body parts ({mapping.kind}).")
        return {"FINISHED"}


class HEFT_OT_clear_mapping(Operator):
    """Empty the mapping table"""

    bl_idname = "heft.clear_mapping"
    bl_label = "Clear Mapping"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        if not has_armature(cls, context):
            return False
        cls.poll_message_set("The mapping table is empty")
        return len(rig_context(context).object.data.heft.rows) > 0

    def execute(self, context: Context) -> OperatorResult:
        clear_table(rig_context(context).object.data.heft)
        return {"FINISHED"}


class HEFT_OT_add_bone(Operator):
    """Add one more bone to this body part, below its others"""

    bl_idname = "heft.add_bone"
    bl_label = "Add Bone"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    row: IntProperty()

    @classmethod
    def poll(cls, context: Context) -> bool:
        return has_armature(cls, context)

    def execute(self, context: Context) -> OperatorResult:
        character = rig_context(context).object.data.heft
        if not 0 <= self.row < len(character.rows):
            return {"CANCELLED"}
        add_row(character, character.rows[self.row].slot)
        return {"FINISHED"}


CLASSES = (HEFT_OT_recognise, HEFT_OT_clear_mapping, HEFT_OT_add_bone)
