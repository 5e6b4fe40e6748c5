"""A layout that draws nothing, but knows how many rows a panel has, what would be cut off, and tooltips."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import blf
import bpy

TABS = 30.0
PANEL_MARGIN = 20.0
ICON = 22.0
FONT_SIZE = 11.0
SPLIT = 0.4
"""Share of the width that the name of a property has beside its value."""
BORDER = 12.0
"""Of a button or a menu about its text [pixels]."""


class RecordedLayout:
    """Stands in for a layout; rows are counted as they stand below each other."""

    def __init__(self, across: bool = False, factor: float | None = None) -> None:
        self.across, self.factor = across, factor
        self.parts: list[RecordedLayout] = []
        self.rows, self.text, self.icon, self.share, self.border = 0, "", False, 1.0, 0.0
        self.use_property_split = False
        self.without_tooltip: list[str] = []

    def _layout(self, across: bool, factor: float | None = None) -> RecordedLayout:
        part = RecordedLayout(across, factor)
        part.use_property_split = self.use_property_split
        self.parts.append(part)
        return part

    def _leaf(self, text: str, icon: str = "NONE", rows: int = 1, border: float = 0.0) -> RecordedLayout:
        part = self._layout(False)
        part.rows, part.text, part.icon, part.border = rows, text, icon != "NONE", border
        return part

    def column(self, **_: Any) -> RecordedLayout:
        return self._layout(False)

    def box(self) -> RecordedLayout:
        return self._layout(False)

    def grid_flow(self, columns: int = 1, **_: Any) -> RecordedLayout:
        return _Grid(self._layout(False), columns)

    def row(self, **_: Any) -> RecordedLayout:
        return self._layout(True)

    def split(self, factor: float | None = None, **_: Any) -> RecordedLayout:
        return self._layout(True, factor)

    def separator(self, **_: Any) -> None:
        pass

    def label(self, text: str = "", icon: str = "NONE") -> None:
        self._leaf(text, icon)

    def progress(self, text: str = "", **_: Any) -> None:
        self._leaf(text)

    def prop(self, data: Any, name: str, text: str | None = None, expand: bool = False, **_: Any) -> None:
        known = data.bl_rna.properties[name]
        shown = known.name if text is None else text
        beside = self.use_property_split and known.type != "BOOLEAN"
        leaf = self._leaf("" if expand else shown, border=0.0 if beside else BORDER)
        leaf.share = SPLIT if beside else 1.0
        if not known.description:
            self.without_tooltip.append(f"{known.name} ({name})")

    def prop_search(self, data: Any, name: str, *_: Any, text: str | None = None, **__: Any) -> None:
        self.prop(data, name, text=text)

    def operator(self, name: str, text: str | None = None, icon: str = "NONE", **_: Any) -> Any:
        group, _dot, own = name.partition(".")
        known = getattr(getattr(bpy.ops, group), own).get_rna_type()
        self._leaf(known.name if text is None else text, icon, border=BORDER)
        if not known.description:
            self.without_tooltip.append(name)
        return SimpleNamespace()

    def operator_menu_enum(self, name: str, _property: str, text: str | None = None, **_: Any) -> Any:
        return self.operator(name, text)

    def menu(self, _name: str, text: str = "", **_: Any) -> None:
        self._leaf(text, border=BORDER)

    def template_list(self, *_: Any, rows: int = 5, **__: Any) -> None:
        self._leaf("", rows=rows)

    def texts(self) -> Iterator[str]:
        """Yield all texts in order."""
        if self.text:
            yield self.text
        for part in self.parts:
            yield from part.texts()

    def height(self) -> int:
        """Return the number of rows."""
        heights = [part.height() for part in self.parts]
        below = max(heights, default=0) if self.across else sum(heights)
        return self.rows + below

    def missing_tooltips(self) -> list[str]:
        """Return names of controls without a tooltip."""
        return [*self.without_tooltip, *(name for part in self.parts for name in part.missing_tooltips())]

    def cut_off(self, width: float) -> Iterator[str]:
        """Yield the texts that are wider than their place, if this layout is so wide [pixels]."""
        room = width * self.share - (ICON if self.icon else 0.0) - self.border
        if self.text and text_width(self.text) > room:
            yield self.text
        for part, own_width in zip(self.parts, self._widths(width), strict=True):
            yield from part.cut_off(own_width)

    def _widths(self, width: float) -> list[float]:
        """Return the widths of the parts; buttons with only an icon are as wide as that."""
        if not self.across:
            return [width] * len(self.parts)
        if self.factor is not None:
            rest = (1.0 - self.factor) / max(1, len(self.parts) - 1)
            return [width * (self.factor if n == 0 else rest) for n in range(len(self.parts))]
        small = [part.icon and not part.text for part in self.parts]
        free = (width - ICON * sum(small)) / max(1, small.count(False))
        return [ICON if only_icon else free for only_icon in small]


class _Grid(RecordedLayout):
    """A grid in rows: every `columns` labels are one row."""

    def __init__(self, holder: RecordedLayout, columns: int) -> None:
        super().__init__()
        self._holder, self._columns, self._count = holder, columns, 0

    def label(self, text: str = "", icon: str = "NONE") -> None:
        if self._count % self._columns == 0:
            self._row = self._holder.row()
        self._count += 1
        self._row.label(text, icon)


def text_width(text: str) -> float:
    """Return the width of a text in the interface's font at a scale of 1 [pixels]."""
    blf.size(0, FONT_SIZE)
    return float(blf.dimensions(0, text)[0])


def recorded(panel: Any, context: Any) -> RecordedLayout:
    """Return what a panel draws."""
    layout = RecordedLayout()
    panel.draw(SimpleNamespace(layout=layout), context)
    return layout


def content_width(region: Any) -> float:
    """Return how wide the content of a sidebar's panels is, at a scale of 1 [pixels]."""
    return float(region.width / bpy.context.preferences.system.ui_scale - TABS - PANEL_MARGIN)
