"""Which keys a bake writes."""

from __future__ import annotations

from bpy.types import Context, Panel

from ..addon.blender_types import rig_context
from .main import ArmatureTab
from .text import draw_text


class HEFT_PT_keys(ArmatureTab, Panel):
    bl_idname = "HEFT_PT_keys"
    bl_parent_id = "HEFT_PT_main"
    bl_label = "Keys"

    def draw(self, context: Context) -> None:
        layout, keys = self.layout, rig_context(context).object.heft_keys
        layout.use_property_split = True
        layout.use_property_decorate = False
        row = layout.row()
        row.use_property_split = False  # the panel's title is label enough
        row.prop(keys, "mode", expand=True)
        if keys.mode == "FEW":
            column = layout.column(align=True)
            column.prop(keys, "degrees")
            column.prop(keys, "millimetres")
        if keys.count:
            text = f"Last bake: {keys.count} keys, {keys.count / keys.every_frame:.0%} of every frame"
            draw_text(context, layout, text, "KEYFRAME")
            reached = f"{keys.reached_degrees:.2f}° and {keys.reached_millimetres:.1f} mm off at most"
            draw_text(context, layout, reached, "BLANK1")


CLASSES = (HEFT_PT_keys,)
