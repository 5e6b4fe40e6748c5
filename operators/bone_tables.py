"""Operators of saved tables of bones."""

from __future__ import annotations

from bpy.props import EnumProperty
from bpy.types import Context, Operator

from ..addon.blender_types import OperatorResult, rig_context
from ..addon.bone_presets import FILES, load_table, save_table, table_keys
from .asks_name import AsksName
from .mapping import OfArmature, has_armature
from .own_choices import preset_items
from .refusals import tells_refusals


class HEFT_OT_load_bones(OfArmature, Operator):
    """Fill the table of bones by that of a family of rigs, or by one that you saved"""

    bl_idname = "heft.load_bones"
    bl_label = "Load Table of Bones"
    bl_options = {"REGISTER", "UNDO"}

    preset: EnumProperty(name="Table", items=preset_items(table_keys))

    @classmethod
    def poll(cls, context: Context) -> bool:
        return has_armature(cls, context)

    @tells_refusals
    def execute(self, context: Context) -> OperatorResult:
        mapping = load_table(self.rig(context), self.preset, rig_context(context).scene)
        self.report({"INFO"}, f"The table holds {len(mapping.bones)} body parts ({mapping.kind}).")
        return {"FINISHED"}


class HEFT_OT_save_bones(AsksName, OfArmature, Operator):
    """Save the table of bones, for other armatures with the same names"""

    bl_idname = "heft.save_bones"
    bl_label = "Save Table of Bones"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        return has_armature(cls, context)

    @tells_refusals
    def execute(self, context: Context) -> OperatorResult:
        save_table(self.rig(context), self.name)
        self.report({"INFO"}, f"Saved the table of bones '{self.name}'.")
        return {"FINISHED"}


class HEFT_OT_remove_bones(Operator):
    """Delete a table of bones that you saved"""

    bl_idname = "heft.remove_bones"
    bl_label = "Remove Table of Bones"
    bl_options = {"REGISTER"}

    preset: EnumProperty(name="Table", items=preset_items(table_keys, only_own=True))

    @tells_refusals
    def execute(self, context: Context) -> OperatorResult:
        self.report({"INFO"}, f"Removed the table of bones '{FILES.remove(self.preset)}'.")
        return {"FINISHED"}


CLASSES = (HEFT_OT_load_bones, HEFT_OT_save_bones, HEFT_OT_remove_bones)
