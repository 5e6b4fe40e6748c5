"""Chains of bones that are simulated as soft parts, drawn in the panel of parts."""

from __future__ import annotations

from typing import Any

from bpy.types import UILayout, UIList

from ..addon.blender.blender_types import ArmatureObject
from .sidebar import Rows, chosen_row


class HEFT_UL_soft(Rows, UIList):
    """The chains that were found."""

    bl_idname = "HEFT_UL_soft"

    def draw_row(self, layout: UILayout, item: Any) -> None:
        layout.prop(item, "use", text="")
        row = layout.split(factor=0.65)
        row.label(text=item.name)
        row.label(text=role_label(item))


def role_label(chain: Any) -> str:
    """Return the name of a chain's kind for the panel."""
    return str(chain.bl_rna.properties["role"].enum_items[chain.role].name)


def draw_soft_parts(layout: UILayout, obj: ArmatureObject) -> None:
    """Draw the list of chains and the dials of the selected one."""
    soft = obj.heft_soft
    layout.operator("heft.find_soft", icon="VIEWZOOM")
    if not soft.chains:
        return
    layout.template_list("HEFT_UL_soft", "", soft, "chains", soft, "chains_index", rows=4)
    chosen = chosen_row(soft, "chains")
    if chosen is not None:
        column = layout.column(align=True)
        for name in ("role", "stiffness", "damping", "collides"):
            column.prop(chosen, name)


CLASSES = (HEFT_UL_soft,)
