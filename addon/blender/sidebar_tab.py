"""Heft's tab in the sidebar of the 3D view: its name, and whether somebody looks at it."""

from __future__ import annotations

from collections.abc import Iterable

from bpy.types import Area, Object, SpaceView3D, Window

TAB = "Heft"


def tab_is_shown(windows: Iterable[Window]) -> bool:
    """Tell whether a sidebar shows Heft's tab in a window whose active object is an armature."""
    return any(
        _shows_tab(area)
        for window in windows
        if _is_armature(window.view_layer.objects.active)
        for area in window.screen.areas
    )


def _is_armature(obj: Object | None) -> bool:
    return obj is not None and obj.type == "ARMATURE"


def _shows_tab(area: Area) -> bool:
    space = area.spaces.active
    return (
        isinstance(space, SpaceView3D)
        and space.show_region_ui
        and any(region.active_panel_category == TAB for region in area.regions if region.type == "UI")
    )
