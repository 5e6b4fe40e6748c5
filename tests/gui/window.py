"""What a user does with Blender's window: look, move the mouse, click, press keys, wait."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import bpy

SHARED = Path(sys.argv[-1])
OPTIONS: dict[str, Any] = json.loads((SHARED / "options.json").read_text("utf-8"))
"""What the outside asks for: `timing` lets slow steps fail, `patience` makes all waits longer, `pictures`
takes one of each panel, `walks` are files to import, `capture` is the tutorial's, `only` is
a regular expression of the names of the tests to run."""
TICK_S = 0.01
PICTURE_TIMEOUT_S = 20.0
TABS = 30
"""Width of the tabs at the sidebar's right, at an interface scale of 1 [pixels]."""

# A test yields how long to wait [s] before it goes on, and returns a word on what it measured.
Steps = Generator[float, None, Any]


def write_log(outcome: str, text: str) -> None:
    """One line for the outside."""
    with (SHARED / "log.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps({"outcome": outcome, "text": text}) + "\n")


def wait_until(true: Callable[[], bool], seconds: float, what: str) -> Steps:
    """Until it is true; returns how long that took [s], fails when it takes too long."""
    start = time.monotonic()
    while not true():
        if time.monotonic() - start > seconds * OPTIONS["patience"]:
            raise AssertionError(f"{what} did not happen within {seconds:g} s")
        yield TICK_S
    return time.monotonic() - start


def picture(name: str, area: list[int] | None = None) -> Steps:
    """Ask the outside for a picture of the screen or a part of it, and wait for it."""
    yield 1.0  # panels slide to their new positions
    unseen = SHARED / f"{name}.part"
    unseen.write_text(json.dumps(area), "utf-8")
    unseen.rename(SHARED / f"{name}.wanted")
    yield from wait_until((SHARED / f"{name}.taken").exists, PICTURE_TIMEOUT_S, f"the picture {name}")


class Gaps:
    """The longest time [s] in which Blender's event loop did not come round, while the `with` block runs."""

    def __enter__(self) -> Gaps:
        self.longest_s, self._last, self._on = 0.0, time.monotonic(), True
        bpy.app.timers.register(self._tick)
        return self

    def __exit__(self, *_: object) -> None:
        self._on = False

    def _tick(self) -> float | None:
        now = time.monotonic()
        self.longest_s, self._last = max(self.longest_s, now - self._last), now
        return TICK_S if self._on else None


class Window:
    """The first window and its largest 3D view, looked up anew each time: undo and loading replace them."""

    @property
    def window(self) -> Any:
        return bpy.context.window_manager.windows[0]

    @property
    def view(self) -> Any:
        views = [area for area in self.window.screen.areas if area.type == "VIEW_3D"]
        return max(views, key=lambda area: area.width)

    def region(self, kind: str) -> Any:
        return next(region for region in self.view.regions if region.type == kind)

    def sidebar_without_tabs(self) -> list[int]:
        """Its width, height and upper left corner, from the screen's upper left one [pixels]."""
        region, tabs = self.region("UI"), round(TABS * bpy.context.preferences.system.ui_scale)
        return [region.width - tabs, region.height, region.x, self.window.height - region.y - region.height]

    def context(self) -> Any:
        """Return the context for operators that need a region."""
        return bpy.context.temp_override(
            window=self.window, area=self.view, region=self.region("WINDOW"), screen=self.window.screen
        )

    def sidebar_context(self) -> Any:
        """Return the context of the sidebar, for its panels and controls."""
        return bpy.context.temp_override(
            window=self.window, area=self.view, region=self.region("UI"), screen=self.window.screen
        )

    def open_sidebar(self, tab: str) -> Steps:
        self.view.spaces.active.show_region_ui = True
        yield 0.5  # tabs exist only after the sidebar was drawn
        self.region("UI").active_panel_category = tab
        yield 0.5

    def hover(self, x: int, y: int) -> Steps:
        self.window.event_simulate(type="MOUSEMOVE", value="NOTHING", x=x, y=y)
        yield 0.03

    def click(self, x: int, y: int) -> Steps:
        for near in (3, 0):  # a button lights up when the mouse moves over it, and only then takes a click
            self.window.event_simulate(type="MOUSEMOVE", value="NOTHING", x=x + near, y=y)
            yield 0.1
        for value in ("PRESS", "RELEASE"):
            self.window.event_simulate(type="LEFTMOUSE", value=value, x=x, y=y)
            yield 0.02

    def redraw_s(self) -> float:
        """How long Blender itself takes to show another frame here [s]; the longest of three."""
        times, scene = [], bpy.context.scene
        frame = scene.frame_current
        for shown in (frame + 2, frame + 1, frame):
            start = time.monotonic()
            scene.frame_set(shown)
            with self.context():
                bpy.ops.wm.redraw_timer(type="DRAW_WIN_SWAP", iterations=1)
            times.append(time.monotonic() - start)
        return max(times)

    def press(self, key: str, **modifiers: bool) -> None:
        """A key, with the mouse over the 3D view."""
        region = self.region("WINDOW")
        x, y = region.x + region.width // 3, region.y + region.height // 2
        self.window.event_simulate(type="MOUSEMOVE", value="NOTHING", x=x, y=y)
        for value in ("PRESS", "RELEASE"):
            self.window.event_simulate(type=key, value=value, x=x, y=y, **modifiers)


def run_in_window(steps: Generator[float, None, Any]) -> None:
    """Take the steps one by one from a timer, so that the window lives on, and quit Blender after them."""
    bpy.context.preferences.view.show_splash = False
    # Software OpenGL takes a second for each anti-aliased picture of the 3D view.
    bpy.context.preferences.system.viewport_aa = "OFF"

    def tick() -> float | None:
        try:
            return next(steps)
        except StopIteration:
            bpy.ops.wm.quit_blender()
            return None

    bpy.app.timers.register(tick, first_interval=1.5, persistent=True)
