"""Operators of the character: its armature, and the table of its bones."""

from __future__ import annotations

from bpy.props import EnumProperty, IntProperty
from bpy.types import Context, Operator

from ..addon.blender.blender_types import OperatorResult, rig_context
from ..addon.blender.library_overrides import character_of
from ..addon.reading.bone_table import (
    FILES,
    add_bone_row,
    clear_table,
    load_table,
    recognise_rig,
    save_table,
    table_keys,
)
from ..addon.reading.rig_reader import armature_of
from ..addon.reading.soft_parts import find_soft_parts
from .shared import AsksName, OfArmature, OnArmature, preset_items, reports_errors


class HEFT_OT_recognise(OfArmature, Operator):
    """Find the body parts of the armature by its bones' names and positions"""

    bl_idname = "heft.recognise"
    bl_label = "Recognise Rig"
    bl_options = {"REGISTER", "UNDO"}

    @reports_errors
    def execute(self, context: Context) -> OperatorResult:
        mapping = recognise_rig(self.rig(context), rig_context(context).scene)
        for note in mapping.notes:
            self.report({"INFO"}, note)
        self.report({"INFO"}, f"Recognised {len(mapping.bones)} body parts ({mapping.kind}).")
        return {"FINISHED"}


class HEFT_OT_find_soft(OnArmature, Operator):
    """Find chains of bones that no part of the body claims, such as tails, hair, ears and skirts"""

    bl_idname = "heft.find_soft"
    bl_label = "Find Soft Parts"
    bl_options = {"REGISTER", "UNDO"}

    @reports_errors
    def execute(self, context: Context) -> OperatorResult:
        found = find_soft_parts(rig_context(context).object, rig_context(context).scene)
        for left in found.left_out:
            self.report({"INFO"}, f"'{left.bone}' was left out: {left.reason}.")
        self.report({"INFO"}, f"Found {len(found.chains)} soft parts.")
        return {"FINISHED"}


class HEFT_OT_clear_mapping(OfArmature, Operator):
    """Clear the bone table"""

    bl_idname = "heft.clear_mapping"
    bl_label = "Clear Bone Table"
    bl_options = {"REGISTER", "UNDO"}

    @reports_errors
    def execute(self, context: Context) -> OperatorResult:
        clear_table(character_of(self.rig(context)))
        return {"FINISHED"}


class HEFT_OT_add_bone(OfArmature, Operator):
    """Add another bone to this body part, below its others"""

    bl_idname = "heft.add_bone"
    bl_label = "Add Bone"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    row: IntProperty()

    @reports_errors
    def execute(self, context: Context) -> OperatorResult:
        character = character_of(self.rig(context))
        if not 0 <= self.row < len(character.rows):
            return {"CANCELLED"}
        add_bone_row(character, character.rows[self.row].slot)
        return {"FINISHED"}


class HEFT_OT_load_bones(OfArmature, Operator):
    """Fill the bone table from a known type of rig, or from a table that you saved"""

    bl_idname = "heft.load_bones"
    bl_label = "Load Bone Table"
    bl_options = {"REGISTER", "UNDO"}

    preset: EnumProperty(name="Table", items=preset_items(table_keys))

    @reports_errors
    def execute(self, context: Context) -> OperatorResult:
        mapping = load_table(self.rig(context), self.preset, rig_context(context).scene)
        self.report({"INFO"}, f"Loaded {len(mapping.bones)} body parts ({mapping.kind}).")
        return {"FINISHED"}


class HEFT_OT_save_bones(AsksName, OfArmature, Operator):
    """Save the bone table, for other armatures with the same bone names"""

    bl_idname = "heft.save_bones"
    bl_label = "Save Bone Table"
    bl_options = {"REGISTER"}

    @reports_errors
    def execute(self, context: Context) -> OperatorResult:
        save_table(self.rig(context), self.name)
        self.report({"INFO"}, f"Saved the bone table '{self.name}'.")
        return {"FINISHED"}


class HEFT_OT_remove_bones(Operator):
    """Delete a bone table that you saved"""

    bl_idname = "heft.remove_bones"
    bl_label = "Remove Bone Table"
    bl_options = {"REGISTER"}

    preset: EnumProperty(name="Table", items=preset_items(table_keys, only_user=True))

    @reports_errors
    def execute(self, context: Context) -> OperatorResult:
        self.report({"INFO"}, f"Removed the bone table '{FILES.remove(self.preset)}'.")
        return {"FINISHED"}


class HEFT_OT_select_armature(Operator):
    """Select the armature that moves this object"""

    bl_idname = "heft.select_armature"
    bl_label = "Select Armature"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        if context.mode != "OBJECT":
            cls.poll_message_set("Switch to Object Mode first")
            return False
        armature = armature_of(context.object)
        cls.poll_message_set("No visible armature moves this object")
        return armature is not None and armature.visible_get()

    def execute(self, context: Context) -> OperatorResult:
        armature, layer = armature_of(context.object), context.view_layer
        if armature is None or layer is None:
            return {"CANCELLED"}
        for obj in list(layer.objects.selected):
            obj.select_set(False)
        armature.select_set(True)
        layer.objects.active = armature
        return {"FINISHED"}


CLASSES = (
    HEFT_OT_recognise,
    HEFT_OT_find_soft,
    HEFT_OT_clear_mapping,
    HEFT_OT_add_bone,
    HEFT_OT_load_bones,
    HEFT_OT_save_bones,
    HEFT_OT_remove_bones,
    HEFT_OT_select_armature,
)
