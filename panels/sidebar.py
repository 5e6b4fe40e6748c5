"""What all panels share: their tab in the sidebar, wrapped text, and lists."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from bpy.types import Context, UILayout

from ..addon.blender.property_groups import HeftNote
from ..addon.blender.sidebar_tab import TAB


class SidebarTab:
    """Puts a panel into the Heft tab of the sidebar."""

    bl_space_type: Any = "VIEW_3D"
    bl_region_type: Any = "UI"
    bl_category = TAB

    if TYPE_CHECKING:
        # Blender sets it before it draws.
        layout: UILayout


class ArmatureTab(SidebarTab):
    """A panel that is shown while an armature is active."""

    @classmethod
    def poll(cls, context: Context) -> bool:
        return context.object is not None and context.object.type == "ARMATURE"


CHARACTER_WIDTH = 6.0
"""Approximate width of the interface's letters at a scale of 1 [pixels]."""

MARGIN_WIDTH = 64
"""Width of the sidebar besides its text: tabs, borders and an icon [pixels]."""


ICON_WIDTH = 24
"""Width of a button with only an icon beside a text [pixels]."""


TOGETHER = re.compile(r"(?<=\d) (?=[A-Za-z]{1,3}\b)|(?<=\bframe) (?=\d)")
"""Spaces at which a line does not end: between a figure and its unit, and in the name of a frame."""
NO_BREAK = "\xa0"


MOST_ROWS = 16
"""Rows of sentences that one panel shows; the rest is in Blender's Info editor."""


def draw_text(context: Context, layout: UILayout, text: str, icon: Any = "NONE", beside: int = 0) -> None:
    """Draw a sentence over as many lines as it needs, because labels do not wrap.

    beside: width of what stands right of it [pixels]
    """
    column = layout.column(align=True)
    for number, line in enumerate(wrapped(context, text, beside)):
        column.label(text=line, icon=icon if number == 0 or icon == "NONE" else "BLANK1")


def wrapped(context: Context, text: str, beside: int = 0) -> list[str]:
    """Return the lines of a sentence at the width of the sidebar; figures stay with their units."""
    width = context.region.width / context.preferences.system.ui_scale
    letters = max(int((width - MARGIN_WIDTH - beside) / CHARACTER_WIDTH), 16)
    lines = textwrap.wrap(TOGETHER.sub(NO_BREAK, text), letters)
    return [line.replace(NO_BREAK, " ") for line in lines]


def beginning(text: str, letters: int) -> str:
    """Return the first words of a text where there is no room for all; Blender would cut out its middle."""
    return textwrap.shorten(text, letters, placeholder="…")


def draw_notes(context: Context, layout: UILayout, notes: Iterable[HeftNote]) -> None:
    """Draw as many sentences as a panel has room for, and say how many there are besides."""
    rows, left = MOST_ROWS, list(notes)
    while left and (len(wrapped(context, left[0].text)) <= rows or rows == MOST_ROWS):
        note = left.pop(0)
        draw_text(context, layout, note.text, "INFO")
        rows -= len(wrapped(context, note.text))
    if left:
        layout.label(text=f"{len(left)} more in the Info editor", icon="BLANK1")


def draw_list(layout: UILayout, list_type: str, owner: Any, name: str, row: str, lines: int = 2) -> UILayout:
    """Draw the rows of an owner's collection with plus and minus; return the column of buttons.

    row: the middle of the operators' names: heft.ROW_add, heft.ROW_remove
    """
    row_layout = layout.row()
    row_layout.template_list(list_type, "", owner, name, owner, f"{name}_index", rows=lines)
    buttons = row_layout.column(align=True)
    buttons.operator(f"heft.{row}_add", text="", icon="ADD")
    buttons.operator(f"heft.{row}_remove", text="", icon="REMOVE")
    return buttons


def chosen_row(owner: Any, name: str) -> Any:
    """Return the selected row of an owner's collection, or None."""
    index, rows = getattr(owner, f"{name}_index"), getattr(owner, name)
    return rows[index] if 0 <= index < len(rows) else None


class Rows:
    """A list that draws each row by `draw_row`."""

    def draw_row(self, layout: UILayout, item: Any) -> None:
        """Draw one row."""
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
        """Draw one row; Blender calls this."""
        self.draw_row(layout.row(), item)
