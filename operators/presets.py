"""Operators of setting presets."""

from __future__ import annotations

from typing import Any

from bpy.props import EnumProperty, StringProperty
from bpy.types import Context, Operator

from ..addon.blender.blender_types import OperatorResult, rig_context
from ..addon.presets.setting_presets import load_preset, loaded_preset, remove_preset, save_preset
from ..addon.presets.user_files import USER_PREFIX
from .shared import AsksName, OnArmature, has_armature, reports_errors

_GROUPS = (("characters", "Character", ""), ("motions", "Motion", ""), ("reactions", "Reaction", ""))


class HEFT_OT_load_preset(OnArmature, Operator):
    """Load this preset; settings of its group that it does not name are reset"""

    bl_idname = "heft.load_preset"
    bl_label = "Load Preset"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    group: EnumProperty(name="Group", items=_GROUPS, options={"HIDDEN"})
    key: StringProperty(options={"HIDDEN"})
    about: StringProperty(options={"HIDDEN", "SKIP_SAVE"})

    @classmethod
    def description(cls, _context: Context, properties: Any) -> str:
        return properties.about or cls.__doc__ or ""

    @reports_errors
    def execute(self, context: Context) -> OperatorResult:
        preset = load_preset(rig_context(context).object, self.group, self.key)
        self.report({"INFO"}, f"Loaded the preset '{preset.name}'.")
        return {"FINISHED"}


class HEFT_OT_save_preset(AsksName, OnArmature, Operator):
    """Save the settings as a preset of your own"""

    bl_idname = "heft.save_preset"
    bl_label = "Save Preset"
    bl_options = {"REGISTER", "INTERNAL"}

    group: EnumProperty(name="Group", items=_GROUPS, options={"HIDDEN"})

    @reports_errors
    def execute(self, context: Context) -> OperatorResult:
        save_preset(rig_context(context).object, self.group, self.name)
        self.report({"INFO"}, f"Saved the preset '{self.name}'.")
        return {"FINISHED"}


class HEFT_OT_remove_preset(Operator):
    """Delete the selected preset of your own; the settings stay as they are"""

    bl_idname = "heft.remove_preset"
    bl_label = "Remove Preset"
    bl_options = {"REGISTER", "INTERNAL"}

    group: EnumProperty(name="Group", items=_GROUPS, options={"HIDDEN"})

    @classmethod
    def poll(cls, context: Context) -> bool:
        if not has_armature(cls, context):
            return False
        cls.poll_message_set("Select a preset of your own first; built-in presets cannot be removed")
        obj = rig_context(context).object
        return any(loaded_preset(obj, group).startswith(USER_PREFIX) for group, _, _ in _GROUPS)

    @reports_errors
    def execute(self, context: Context) -> OperatorResult:
        name = remove_preset(rig_context(context).object, self.group)
        self.report({"INFO"}, f"Removed the preset '{name}'.")
        return {"FINISHED"}


CLASSES = (
    HEFT_OT_load_preset,
    HEFT_OT_save_preset,
    HEFT_OT_remove_preset,
)
