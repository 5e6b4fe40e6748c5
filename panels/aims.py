"""The list of what the character shall strike."""

from __future__ import annotations

from typing import Any

from bpy.types import Context, Panel, UILayout, UIList

from ..addon.blender_types import rig_context
from .lists import Rows, chosen_row, draw_list
from .main import ArmatureTab


class HEFT_UL_aims(Rows, UIList):
    bl_idname = "HEFT_UL_aims"

    def draw_row(self, layout: UILayout, item: Any) -> None:
        layout.label(text=item.bone or "no bone", icon="BONE_DATA")
        layout.label(text=item.target.name if item.target else "no target", icon="EMPTY_AXIS")


class HEFT_PT_aims(ArmatureTab, Panel):
    bl_idname = "HEFT_PT_aims"
    bl_parent_id = "HEFT_PT_main"
    bl_label = "Aims"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: Context) -> None:
        layout, obj = self.layout, rig_context(context).object
        bake = obj.heft
        draw_list(layout, "HEFT_UL_aims", bake, "aims", "aim")
        aim = chosen_row(bake, "aims")
        if aim is None:
            return
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.prop_search(aim, "bone", obj.data, "bones")
        layout.prop(aim, "target")
        layout.prop(aim, "own_frame")
        if aim.own_frame:
            layout.prop(aim, "frame")
        layout.prop(aim, "speed")
        if aim.speed == 0.0:
            layout.label(text="0 strikes as fast as the motion")
        layout.prop(aim, "blend")


CLASSES = (HEFT_UL_aims, HEFT_PT_aims)
