"""Source against result."""

from __future__ import annotations

from bpy.types import Context, Panel

from ..addon.blender_types import rig_context
from ..addon.compare.show import can_mix
from ..addon.compare.sources import shows_result
from .main import ArmatureTab


class HEFT_PT_compare(ArmatureTab, Panel):
    bl_idname = "HEFT_PT_compare"
    bl_parent_id = "HEFT_PT_main"
    bl_label = "Compare"

    @classmethod
    def poll(cls, context: Context) -> bool:
        return super().poll(context) and rig_context(context).object.heft.baked_action is not None

    def draw(self, context: Context) -> None:
        layout, obj = self.layout, rig_context(context).object
        shown = shows_result(obj)
        layout.operator(
            "heft.toggle_source",
            text="Show Source" if shown else "Show Result",
            icon="LOOP_BACK" if shown else "LOOP_FORWARDS",
        )
        row = layout.row()
        row.enabled, row.active = can_mix(obj), shown
        row.prop(obj.heft_compare, "share", slider=True, text="Result" if shown else "Result, not shown")
        row = layout.row(align=True)
        row.operator("heft.apply_result", icon="CHECKMARK")
        row.operator("heft.discard_result", icon="TRASH")


CLASSES = (HEFT_PT_compare,)
