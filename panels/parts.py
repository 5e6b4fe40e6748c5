"""Which part of the body and of the frames is simulated."""

from __future__ import annotations

from bpy.types import Context, Panel

from ..addon.blender_types import rig_context
from .main import ArmatureTab, draw_text


class HEFT_PT_parts(ArmatureTab, Panel):
    bl_idname = "HEFT_PT_parts"
    bl_parent_id = "HEFT_PT_main"
    bl_label = "Parts"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: Context) -> None:
        layout, parts = self.layout, rig_context(context).object.heft_parts
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.prop(parts, "only")
        if parts.only == "upper":
            draw_text(context, layout, "Hips and legs follow the animation; no forces carry them", "INFO")
        layout.prop(parts, "loop")
        column = layout.column(align=True)
        column.prop(parts, "blend_in")
        column.prop(parts, "blend_out")
        if parts.blend_in or parts.blend_out:
            draw_text(context, layout, "Blended frames are a mix that no forces explain", "INFO")


CLASSES = (HEFT_PT_parts,)
