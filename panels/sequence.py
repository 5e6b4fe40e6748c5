"""The list of actions that are baked in sequence."""

from __future__ import annotations

from typing import Any

from bpy.types import UILayout, UIList

from ..addon.blender_types import ArmatureObject
from .lists import Rows


class HEFT_UL_clips(Rows, UIList):
    bl_idname = "HEFT_UL_clips"

    def draw_row(self, layout: UILayout, item: Any) -> None:
        layout.label(text=item.action.name if item.action else "Choose an action", icon="ACTION")
        if item.repeat != 1.0:
            layout.label(text=f"{item.repeat:g} times")


def draw_sequence(layout: UILayout, obj: ArmatureObject) -> None:
    bake = obj.heft
    row = layout.row()
    row.template_list("HEFT_UL_clips", "", bake, "sequence", bake, "sequence_index", rows=4)
    buttons = row.column(align=True)
    buttons.operator("heft.clip_add", text="", icon="ADD")
    buttons.operator("heft.clip_remove", text="", icon="REMOVE")
    buttons.separator()
    buttons.operator("heft.clip_move", text="", icon="TRIA_UP").direction = "UP"
    buttons.operator("heft.clip_move", text="", icon="TRIA_DOWN").direction = "DOWN"
    if 0 <= bake.sequence_index < len(bake.sequence):
        clip = bake.sequence[bake.sequence_index]
        layout.prop(clip, "action")
        column = layout.column(align=True)
        for name in ("frame_start", "frame_end", "scale", "repeat"):
            column.prop(clip, name)
        layout.prop(clip, "reverse")
    layout.operator("heft.clips_from_nla", icon="NLA")
    layout.prop(bake, "blend_seconds")


CLASSES = (HEFT_UL_clips,)
