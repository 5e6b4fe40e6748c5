"""Dials in plain words, and the raw values behind them."""

from __future__ import annotations

from bpy.types import Context, Panel

from ..addon.blender_types import rig_context
from .main import ArmatureTab
from .presets import draw_presets
from .text import draw_text


class HEFT_PT_dials(ArmatureTab, Panel):
    bl_idname = "HEFT_PT_dials"
    bl_parent_id = "HEFT_PT_main"
    bl_label = "Dials"

    def draw(self, context: Context) -> None:
        layout, obj = self.layout, rig_context(context).object
        layout.use_property_split = True
        layout.use_property_decorate = False
        dials = obj.heft.dials
        draw_presets(layout, obj, "motions")
        column = layout.column(align=True)
        column.prop(dials, "stiffness")
        column.prop(dials, "balance_weight")
        draw_presets(layout, obj, "reactions")
        column = layout.column(align=True)
        column.prop(dials, "softness")
        column.prop(dials, "alertness")
        column = layout.column(align=True)
        column.prop(dials, "effort")
        column.prop(dials, "weight")


class HEFT_PT_advanced(ArmatureTab, Panel):
    bl_idname = "HEFT_PT_advanced"
    bl_parent_id = "HEFT_PT_dials"
    bl_label = "Advanced"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: Context) -> None:
        layout, bake = self.layout, rig_context(context).object.heft
        layout.use_property_split = True
        layout.use_property_decorate = False
        column = layout.column(align=True)
        column.prop(bake.dials, "tracking_gain")
        column.prop(bake.dials, "springs")
        draw_text(context, layout, "0 takes what Stiffness gives")
        layout.prop(bake.dials, "recovery_s")
        layout.prop(bake, "correction")


CLASSES = (HEFT_PT_dials, HEFT_PT_advanced)
