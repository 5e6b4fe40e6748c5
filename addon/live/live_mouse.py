"""The mouse of a live play: a drag pulls a part, a click throws a ball, the wheel chooses the ball."""

from __future__ import annotations

import numpy as np
from bpy.types import Event

from ...sim_core.live.commands import Release
from .live_display import LiveDisplay
from .live_play import LivePlay
from .live_view import View, bone_under, grab, next_mass, next_speed, pull, throw

DRAG_PIXELS = 4
"""From this way on, the mouse drags and does not click [pixels]."""


class LiveMouse:
    """Does what the mouse asks for; mass [kg] and speed [m/s] are those of the next ball."""

    def __init__(self, play: LivePlay, display: LiveDisplay) -> None:
        self.play, self.display = play, display
        self.mass, self.speed = 2.0, 8.0
        self._pressed: tuple[int, int] | None = None  # where the button went down [pixels]
        self._row: int | None = None  # of the bone that was under the mouse then
        self._held: int | None = None  # row of the bone that is pulled

    @property
    def grabbed(self) -> str:
        """Name of the bone that is pulled, or nothing."""
        reader = self.play.reader
        return "" if self._held is None or reader is None else reader.names.bones[self._held]

    def take(self, event: Event, view: View | None) -> bool:
        """Pull and throw; return whether the event was one of the play's.

        view: the 3D view that the mouse is over, if it is over one
        """
        if event.type in ("WHEELUPMOUSE", "WHEELDOWNMOUSE") and view is not None:
            steps = 1 if event.type == "WHEELUPMOUSE" else -1
            if event.ctrl:
                self.mass = next_mass(self.mass, steps)
            elif event.shift:
                self.speed = next_speed(self.speed, steps)
            return bool(event.ctrl or event.shift)
        if event.type == "LEFTMOUSE" and event.value == "PRESS" and view is not None:
            self._pressed, frame = (event.mouse_x, event.mouse_y), self.play.frame
            assert frame is not None
            self._row = bone_under(view, frame, _pixel(view, event))
            return True
        if self._pressed is None:
            return False
        if event.type == "MOUSEMOVE":
            self._drag(view, event)
            return True
        if event.type == "LEFTMOUSE" and event.value == "RELEASE":
            self._let_go(view, event)
            return True
        return False

    def _drag(self, view: View | None, event: Event) -> None:
        frame, reader = self.play.frame, self.play.reader
        if view is None or self._row is None or self._pressed is None or frame is None or reader is None:
            return
        moved = abs(event.mouse_x - self._pressed[0]) + abs(event.mouse_y - self._pressed[1])
        if self._held is None and moved < DRAG_PIXELS:
            return
        wanted = pull(view, frame, self._row, _pixel(view, event))
        if self._held is None:
            self._held = self._row
            self.play.send(grab(reader.names, frame, self._row, np.array(wanted.target)))
        self.play.send(wanted)
        self.display.pulled = self._row, np.array(wanted.target, dtype=np.float64)

    def _let_go(self, view: View | None, event: Event) -> None:
        frame = self.play.frame
        if self._held is not None:
            self.play.send(Release())
        elif view is not None and frame is not None:
            self.play.send(throw(view, frame, _pixel(view, event), self.mass, self.speed))
        self._pressed = self._row = self._held = None
        self.display.pulled = None


def _pixel(view: View, event: Event) -> tuple[float, float]:
    return event.mouse_x - view.region.x, event.mouse_y - view.region.y
