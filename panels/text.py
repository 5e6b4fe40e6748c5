"""Sentences in panels."""

from __future__ import annotations

import textwrap
from typing import Any

from bpy.types import Context, UILayout

CHARACTER_WIDTH = 6.4
"""Of the interface's letters, about, at a scale of 1 [pixels]."""

MARGIN_WIDTH = 64
"""Of the sidebar without its text: tabs, borders and an icon [pixels]."""


def draw_text(context: Context, layout: UILayout, text: str, icon: Any = "NONE") -> None:
    """A sentence over as many lines as it needs: labels do not wrap."""
    width = context.region.width / context.preferences.system.ui_scale
    line_length = max(int((width - MARGIN_WIDTH) / CHARACTER_WIDTH), 16)
    column = layout.column(align=True)
    for number, line in enumerate(textwrap.wrap(text, line_length)):
        column.label(text=line, icon=icon if number == 0 or icon == "NONE" else "BLANK1")
