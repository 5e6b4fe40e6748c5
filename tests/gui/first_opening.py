"""What one sees first: open panels and rows are counted, and the button stands on top."""

from __future__ import annotations

from typing import Any

import bpy

from .recorded_layout import content_width, recorded
from .window import Steps, Window

MOST_HEADERS, MOST_OPEN = 13, 6
MOST_ROWS_IN_ALL = 30
"""What a sidebar shows at 1080 lines without scrolling: 800 pixels, at 22 a row and some for headers."""
MOST_ROWS = 19


def what_one_sees_first(window: Window) -> Steps:
    """Few headers, few rows, and in the open ones: the button, its source, its quality, the result."""
    yield 0.3
    headers = visible_headers(window)
    opened = [panel for panel in headers if is_open(panel)]
    rows = sum(in_sidebar(window, panel).height() for panel in opened)
    found = f"{len(headers)} headers, {len(opened)} open, {rows} rows"
    assert len(headers) <= MOST_HEADERS and len(opened) <= MOST_OPEN, found
    assert rows + len(headers) <= MOST_ROWS_IN_ALL, found
    return found


def panels() -> list[Any]:
    """All of Heft's panels that are registered, by name."""
    found = {name: getattr(bpy.types, name) for name in dir(bpy.types) if name.startswith("HEFT_PT_")}
    return [found[name] for name in sorted(found)]


def faults_of(window: Window, panel: Any) -> list[str]:
    """What is wrong with a panel that is shown now: too long, cut off, without tooltips."""
    layout = in_sidebar(window, panel)
    found = [f"{layout.height()} rows"] if layout.height() > MOST_ROWS else []
    found += [f"'{text}' is cut off" for text in layout.cut_off(content_width(window.region("UI")))]
    found += [f"{name} has no tooltip" for name in layout.missing_tooltips()]
    return [f"{panel.bl_label}: {fault}" for fault in found]


def in_sidebar(window: Window, panel: Any) -> Any:
    """What a panel draws at the sidebar's width."""
    with window.sidebar_context():
        return recorded(panel, bpy.context)


def visible_headers(window: Window) -> list[Any]:
    """The panels whose header is there when the tab is opened for the first time."""
    by_name = {panel.bl_idname: panel for panel in panels()}
    with window.context():
        shown = [p for p in by_name.values() if not hasattr(p, "poll") or p.poll(bpy.context)]
    return [panel for panel in shown if all(is_open(above) for above in parents(panel, by_name))]


def parents(panel: Any, by_name: dict[str, Any]) -> list[Any]:
    """The panels in which a panel stands."""
    name = getattr(panel, "bl_parent_id", "")
    return [by_name[name], *parents(by_name[name], by_name)] if name else []


def is_open(panel: Any) -> bool:
    """Whether a panel is open at first."""
    return "DEFAULT_CLOSED" not in getattr(panel, "bl_options", set())
