"""The list of actions that are baked in sequence."""

from __future__ import annotations

from typing import Any

from bpy.types import UILayout, UIList

from ..addon.blender_types import ArmatureObject
from .lists import Rows, chosen_row, draw_list


class HEFT_UL_clips(Rows, UIList):
    bl_idname = "HEFT_UL_clips"

    def draw_row(self, layout: UILayout, item: Any) -> None:
        layout.label(text=item.action.name if item.action else "Choose an action", icon="ACTION")
        if item.repeat != 1.0:
            layout.label(text=f"{item.repeat:g} times")


def draw_sequence(layout: UILayout, obj: ArmatureObject) -> None:
    bake = obj.heft
    buttons = draw_list(layout, "HEFT_UL_clips", bake, "sequence", "clip", lines=4)
    buttons.separator()
    buttons.operator("heft.clip_move", text="", icon="TRIA_UP").direction = "UP"
    buttons.operator("heft.clip_move", text="", icon="TRIA_DOWN").direction = "DOWN"
    clip = chosen_row(bake, "sequence")
    if clip is not None:
        layout.prop(clip, "action")
        column = layout.column(align=True)
        for name in ("frame_start", "frame_end", "scale", "repeat"):
            column.prop(clip, name)
        layout.prop(clip, "reverse")
    layout.operator("heft.clips_from_nla", icon="NLA")
    layout.prop(bake, "blend_seconds")


CLASSES = (HEFT_UL_clips,)
