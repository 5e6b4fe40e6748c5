"""The sub-panel for rigs with controls."""

from __future__ import annotations

from bpy.types import Context, Panel

from ..addon.blender_types import rig_context
from .main import ArmatureTab


class HEFT_PT_control_rig(ArmatureTab, Panel):
    bl_idname = "HEFT_PT_control_rig"
    bl_parent_id = "HEFT_PT_main"
    bl_label = "Control Rig"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        """Only rigs with constraints have controls."""
        if not super().poll(context):
            return False
        return any(bone.constraints for bone in rig_context(context).object.pose.bones)

    def draw(self, context: Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.prop(rig_context(context).object.heft_controls, "limbs")


CLASSES = (HEFT_PT_control_rig,)
