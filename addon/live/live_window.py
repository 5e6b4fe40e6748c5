"""A live play in Blender's window: its keys and its mouse, and the 3D view that shows it and goes along."""

from __future__ import annotations

from collections.abc import Iterator

import bpy
from bpy.types import Area, Event, Region, RegionView3D, SpaceView3D

from .live_display import LiveDisplay, lines_of
from .live_keys import LiveKeys
from .live_mouse import LiveMouse
from .live_play import LivePlay
from .live_view import View, ViewAlong

OVER_THE_VIEW = ("UI", "TOOLS", "HEADER", "TOOL_HEADER")
"""Regions that cover a part of a 3D view, where the mouse is not for the play."""


class LiveWindow:
    """Takes the events of one play and shows it; `close` takes back all that it did to the view.

    area: the 3D view where the play was started; metres: those of a Blender unit
    """

    def __init__(self, play: LivePlay, area: Area, metres: float) -> None:
        self.play, self.area, self.metres = play, area, metres
        self.display, self.view_along = LiveDisplay(play, metres), ViewAlong(metres)
        self.keys, self.mouse = LiveKeys(play), LiveMouse(play, self.display)

    def take(self, event: Event) -> bool:
        """Do what an event asks for once the play is shown; return whether it was one of the play's."""
        return self.keys.take(event) or self.mouse.take(event, self._view_under(event))

    def show(self) -> None:
        """Show the latest frame and what is done, in all 3D views."""
        mouse, frame = self.mouse, self.play.frame
        self.display.lines = lines_of(self.play, mouse.mass, mouse.speed, mouse.grabbed)
        if self.keys.follows and frame is not None and (shown := self._shown()) is not None:
            self.view_along.follow(shown[1], frame)
        for area in _areas():
            if area.type == "VIEW_3D":
                area.tag_redraw()

    def close(self) -> None:
        """Show nothing any more; the view is where it was."""
        self.display.close()
        if (shown := self._shown()) is not None:
            self.view_along.put_back(shown[1])

    def _view_under(self, event: Event) -> View | None:
        """Return the 3D view if the mouse is over it, and over none of its panels."""
        if (shown := self._shown()) is None:
            return None
        area, space = shown
        if any(_inside(own, event) for own in area.regions if own.type in OVER_THE_VIEW):
            return None
        window = next((own for own in area.regions if own.type == "WINDOW"), None)
        return View(window, space, self.metres) if window is not None and _inside(window, event) else None

    def _shown(self) -> tuple[Area, RegionView3D] | None:
        """Return the area of the play and its view, unless it was closed or shows something else now."""
        area = next((area for area in _areas() if area == self.area), None)
        space = None if area is None else area.spaces.active
        if area is None or not isinstance(space, SpaceView3D) or space.region_3d is None:
            return None
        return area, space.region_3d


def _areas() -> Iterator[Area]:
    """Yield the areas of all windows."""
    for window in bpy.context.window_manager.windows:
        yield from window.screen.areas


def _inside(region: Region, event: Event) -> bool:
    x, y = event.mouse_x - region.x, event.mouse_y - region.y
    return region.width > 1 and 0 <= x < region.width and 0 <= y < region.height
