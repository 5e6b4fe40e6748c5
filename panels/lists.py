"""What Heft's lists have in common."""

from __future__ import annotations

from typing import Any

from bpy.types import Context, UILayout


def draw_list(layout: UILayout, list_type: str, owner: Any, name: str, row: str, lines: int = 2) -> UILayout:
    """The rows of an owner's collection with plus and minus; the column of buttons.

    row: the middle of the operators' names: heft.ROW_add, heft.ROW_remove
    """
    place = layout.row()
    place.template_list(list_type, "", owner, name, owner, f"{name}_index", rows=lines)
    buttons = place.column(align=True)
    buttons.operator(f"heft.{row}_add", text="", icon="ADD")
    buttons.operator(f"heft.{row}_remove", text="", icon="REMOVE")
    return buttons


def chosen_row(owner: Any, name: str) -> Any:
    """The chosen row of an owner's collection, or None."""
    index, rows = getattr(owner, f"{name}_index"), getattr(owner, name)
    return rows[index] if 0 <= index < len(rows) else None


class Rows:
    """A list whose rows are drawn by their own entries."""

    def draw_row(self, layout: UILayout, item: Any) -> None:
        raise NotImplementedError

    def draw_item(
        self,
        context: Context,
        layout: UILayout,
        data: Any,
        item: Any,
        icon: int,
        active_data: Any,
        active_property: str,
        index: int = 0,
        flt_flag: int = 0,
    ) -> None:
        self.draw_row(layout.row(), item)
