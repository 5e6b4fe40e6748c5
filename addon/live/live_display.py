"""What a live play shows in the 3D view: lines of text, the balls, and the spring that pulls."""

from __future__ import annotations

from typing import Any

import blf
import bpy
import numpy as np
from bpy.types import SpaceView3D

from ...sim_core.base.conventions import FloatArray
from ...sim_core.live.frames import STATES
from ..overlay.draw import draw_lines
from ..overlay.picture import theme_palette
from ..overlay.sticks import Sticks
from ..reading.rig_reader import require_armature
from .live_play import LivePlay

SIDES = 24
"""Sides of the circles that show a ball."""
LEFT, BOTTOM, LINE = 20, 30, 1.5
"""Place of the lowest line of text [pixels], and the distance of lines in heights of text."""
MOUSE = "Drag a part: pull it    Click: throw a ball    Ctrl Wheel: mass    Shift Wheel: speed"
KEYS = "Space: pause    Period: one frame    + -: speed of time    F: view follows    R: record    Esc: end"
AGAIN = "Backspace: start again"
STEERING = "Arrows: walk, turn left and right, stop"


def lines_of(play: LivePlay, mass: float, speed: float, grabbed: str) -> tuple[str, ...]:
    """Return the lines of text, from the top."""
    frame = play.frame
    if frame is None:
        return (f"{play.progress.stage} ...", "Esc: end")
    own = frame.numbers
    state = "is paused" if play.paused else STATES[own.state]
    pulled = f"    pull at {grabbed} {own.pull_n:.0f} N" if grabbed else ""
    mark = "    RECORDING" if play.recording else "    take recorded" if play.recorded else ""
    return (
        f"{own.time_s:.1f} s at {own.speed:.2f} x real time    assist {own.assist_n:.0f} N{pulled}{mark}",
        f"The character {state}    ball {mass:g} kg, {speed:.0f} m/s",
        *((STEERING,) if play.steered else ()),
        f"{MOUSE}    {AGAIN}" if play.can_restart else MOUSE,
        KEYS,
    )


class LiveDisplay:
    """Draws one play; `close` removes it from the views."""

    def __init__(self, play: LivePlay, metres: float) -> None:
        self.play, self.metres = play, metres
        self.lines: tuple[str, ...] = ()
        self.pulled: tuple[int, FloatArray] | None = None  # row of the bone that is pulled, and where to [m]
        self._sticks: Sticks | None = None
        draw: Any = SpaceView3D.draw_handler_add
        self._handlers = [draw(self._draw_text, (), "WINDOW", "POST_PIXEL")]
        self._handlers.append(draw(self._draw_lines, (), "WINDOW", "POST_VIEW"))

    def close(self) -> None:
        """Draw no more."""
        while self._handlers:
            SpaceView3D.draw_handler_remove(self._handlers.pop(), "WINDOW")

    def _draw_text(self) -> None:
        size = 13.0 * bpy.context.preferences.system.ui_scale
        blf.size(0, size)
        blf.enable(0, blf.SHADOW)
        blf.shadow(0, 5, 0.0, 0.0, 0.0, 0.9)
        for row, text in enumerate(reversed(self.lines)):
            blf.color(0, 1.0, 1.0, 1.0, 1.0)
            blf.position(0, LEFT, BOTTOM + LINE * size * row, 0)
            blf.draw(0, text)
        blf.disable(0, blf.SHADOW)

    def _draw_lines(self) -> None:
        palette = theme_palette()
        draw_lines(self.performer(), palette.ghost)
        draw_lines(self.spring() / self.metres, palette.assist)
        draw_lines(self._balls() / self.metres, palette.force)

    def spring(self) -> FloatArray:
        """Return the ends (2, 3) of the spring that pulls, the first where the bone is [m]; or nothing."""
        frame = self.play.frame
        if self.pulled is None or frame is None:
            return np.zeros((0, 3))
        row, target = self.pulled
        return np.array([frame.bones[row, :3], target], dtype=np.float64)

    def performer(self) -> FloatArray:
        """Return the ends (2 N, 3) of the sticks of the performer who is followed [Blender units]."""
        frame, reader, found = self.play.frame, self.play.reader, self.play.objects[0].find()
        if self.play.stream is None or frame is None or reader is None or found is None:
            return np.zeros((0, 3))
        obj = require_armature(found)
        if not obj.heft_stream.show_performer:
            return np.zeros((0, 3))
        if self._sticks is None:
            self._sticks = Sticks.of(obj, self.play.prepared.sampled.skeleton, reader.names.bones)
        source = frame.source[None].astype(np.float64)
        return self._sticks.turned_ghost(source[..., :3] / self.metres, source[..., 3:]).sticks(0)

    def _balls(self) -> FloatArray:
        """Return the ends (2 N, 3) of the lines of three circles around each ball that was thrown [m]."""
        frame, reader = self.play.frame, self.play.reader
        if frame is None or reader is None:
            return np.zeros((0, 3))
        angle = np.arange(SIDES + 1) * 2.0 * np.pi / SIDES
        circle = np.stack([np.cos(angle), np.sin(angle), np.zeros(SIDES + 1)], axis=1)
        rings = np.concatenate([np.repeat(circle, 2, axis=0)[1:-1][:, turn] for turn in _TURNS])
        lowest = float(frame.bones[:, 2].min()) - 1.0  # those that wait are far below
        shown = [
            rings * radius + pose[:3]
            for pose, radius in zip(frame.props, reader.names.radii, strict=True)
            if radius > 0.0 and pose[2] > lowest
        ]
        return np.concatenate(shown).astype(np.float64) if shown else np.zeros((0, 3))


_TURNS = ([0, 1, 2], [2, 0, 1], [1, 2, 0])
"""Orders of the axes of three circles."""
