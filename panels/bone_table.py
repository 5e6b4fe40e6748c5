"""The table of an armature's bones, wherever it is shown."""

from __future__ import annotations

from typing import Any

from bpy.types import Context, UILayout

from ..addon.blender_types import ArmatureObject
from .text import draw_text


def draw_bone_table(context: Context, layout: UILayout, obj: ArmatureObject) -> None:
    """All rows, and what can be done with them."""
    armature = obj.data
    row = layout.row(align=True)
    _for(row.operator("heft.recognise", text="Recognise", icon="VIEWZOOM"), obj)
    # A menu cannot be told whose table it fills: it is the active armature's.
    if obj == context.object:
        row.operator_menu_enum("heft.load_bones", "preset", text="Load")
    if not armature.heft.rows:
        draw_text(context, layout, "Press Recognise to fill the table", "INFO")
        return
    column = layout.column(align=True)
    for number, entry in enumerate(armature.heft.rows):
        line = column.split(factor=0.35)
        line.label(text=_part_name(entry.slot))
        fields = line.row(align=True)
        fields.prop_search(entry, "bone", armature, "bones", text="")
        add = fields.operator("heft.add_bone", text="", icon="ADD")
        add.row = number
        _for(add, obj)
    row = layout.row(align=True)
    _for(row.operator("heft.save_bones", text="Save", icon="FILE_TICK"), obj)
    row.operator_menu_enum("heft.remove_bones", "preset", text="Remove")
    _for(row.operator("heft.clear_mapping", text="Clear", icon="X"), obj)


def _for(button: Any, obj: ArmatureObject) -> None:
    button.armature = obj.name


def _part_name(slot: str) -> str:
    """Body parts as words: 'upper_arm.L' -> 'Upper Arm L'."""
    return slot.replace("_", " ").replace(".", " ").title()
