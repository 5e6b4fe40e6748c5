"""Buttons, fields and panels of the sidebar, found with the mouse: Blender says what is under it.

A control is named by a part of its Python command (`heft.simulate`) or of its data path (`heft.quality`).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import bpy

from .figure import progress
from .window import TABS, TICK_S, Steps, Window, wait_until

STEP = 6
"""Distance of two heights at which is looked [pixels, at an interface scale of 1]; buttons are 20 high."""
ACROSS = (0.6, 0.85, 0.3, 0.95)
"""Shares of the width at which is looked: whole rows, right and left halves, and small buttons at the end."""
HEADER, TO_FIRST_HEADER = 26, 32
"""Distance of two headers, and of the first one from the control above it [pixels, at a scale of 1]."""
SHOWN_S = 0.6
"""Panels slide to their new positions for so long [s]."""
DIGITS = ("ZERO", "ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE")
ANSWER_S = 8.0
"""Longest time until a click has done its work [s]."""
CLICKS = 3
KEYS = {".": "PERIOD"} | {str(number): key for number, key in enumerate(DIGITS)}
"""Names of keys by what they type."""

Place = tuple[int, int]


def find_control(window: Window, name: str) -> Steps:
    """Move the mouse to the middle of a control, and return where that is [pixels]."""
    for share in ACROSS:
        found: list[Place] = []
        for place in _places(window, share):
            yield from window.hover(*place)
            if name in under_mouse(window):
                found.append(place)
            elif found:
                break
        if found:
            middle = found[len(found) // 2]
            yield from window.hover(*middle)
            return middle
    raise AssertionError(f"the sidebar shows no control '{name}'")


def _places(window: Window, share: float) -> list[Place]:
    sidebar, scale = window.region("UI"), bpy.context.preferences.system.ui_scale
    x = sidebar.x + round(share * (sidebar.width - TABS * scale))
    heights = range(sidebar.y + sidebar.height - 8, sidebar.y + 4, -round(STEP * scale))
    return [(x, y) for y in heights]


def under_mouse(window: Window) -> str:
    """Return the Python command of the button or the data path of the field; empty if there is neither."""
    manager = bpy.context.window_manager
    manager.clipboard = ""
    with window.sidebar_context():
        for copy in (bpy.ops.ui.copy_python_command_button, bpy.ops.ui.copy_data_path_button):
            if copy.poll():
                copy()
    return str(manager.clipboard)


def click_control(window: Window, name: str, happened: Callable[[], bool]) -> Steps:
    """Press a button, until what it does has happened; return the time of the click that did it [s].

    Blender takes no click on a button that is drawn anew at that moment, so it is pressed again.
    """
    place = yield from find_control(window, name)
    for _ in range(CLICKS):
        at_s = time.monotonic()
        yield from window.click(*place)
        while not happened() and time.monotonic() < at_s + ANSWER_S:
            yield TICK_S
        if happened():
            return at_s
        yield from window.hover(window.region("UI").x - 50, place[1])
    raise AssertionError(f"'{name}' does nothing when it is pressed")


def click_simulate(window: Window) -> Steps:
    """Press Simulate; return when it was pressed [s], as soon as the panel says that it runs."""
    return (yield from click_control(window, "heft.simulate", lambda: progress().running))


def type_number(window: Window, name: str, number: float, is_there: Callable[[], bool]) -> Steps:
    """Type a number into a field, until it is there."""
    x, y = yield from find_control(window, name)
    yield from _key(window, "RET", x, y)
    yield from _type(window, f"{number:g}", x, y)
    yield from _key(window, "RET", x, y)
    yield from wait_until(is_there, ANSWER_S, f"the number in '{name}'")


def step_to(window: Window, name: str, is_chosen: Callable[[], bool]) -> Steps:
    """Turn the wheel over a menu with Ctrl held, which steps through its choices, until one is chosen."""
    x, y = yield from find_control(window, name)
    for wheel in ("WHEELDOWNMOUSE", "WHEELUPMOUSE"):
        for _ in range(12):
            if is_chosen():
                return
            window.window.event_simulate(type=wheel, value="PRESS", x=x, y=y, ctrl=True)
            yield 0.1
    raise AssertionError(f"'{name}' has no such choice")


def click_choice(window: Window, name: str, is_chosen: Callable[[], bool]) -> Steps:
    """Press the one of several buttons in a row that chooses what is wanted."""
    _, y = yield from find_control(window, name)
    for share in sorted(ACROSS):
        yield from window.click(_places(window, share)[0][0], y)
        yield 0.2
        if is_chosen():
            return
    raise AssertionError(f"'{name}' has no such choice")


def choose_in_menu(window: Window, x: int, y: int, down: int) -> Steps:
    """Open a menu with a click, and choose an entry with the arrow keys."""
    yield from window.click(x, y)
    yield SHOWN_S
    for _ in range(down):
        yield from _key(window, "DOWN_ARROW", x, y)
    yield from _key(window, "RET", x, y)
    yield 0.3


def click_header(window: Window, panel: Any, below: str, index: int = 0) -> Steps:
    """Open a folded panel: the header with this index below a control, from 0; return where its header is.

    One line of text may stand between the control and the headers.
    """
    x, y = yield from find_control(window, below)
    scale = bpy.context.preferences.system.ui_scale
    sidebar = window.region("UI")
    for rows in (0, 1):
        place = sidebar.x + sidebar.width // 3, y - round(scale * (TO_FIRST_HEADER + HEADER * (index + rows)))
        if (yield from _opens(window, panel, place)):
            return place
        yield from window.click(*place)  # as it was
        yield SHOWN_S
    raise AssertionError(f"there is no header of '{panel.bl_label}' below '{below}'")


def _opens(window: Window, panel: Any, place: Place) -> Steps:
    drawn: list[str] = []
    draw = panel.draw

    def counted(self: Any, context: Any) -> None:
        drawn.append(panel.bl_label)
        draw(self, context)

    with patch.object(panel, "draw", counted):
        yield from window.click(*place)
        yield SHOWN_S
        window.region("UI").tag_redraw()
        yield 0.2
    return bool(drawn)


def _type(window: Window, text: str, x: int, y: int) -> Steps:
    for letter in text:
        window.window.event_simulate(type=KEYS[letter], value="PRESS", x=x, y=y, unicode=letter)
        window.window.event_simulate(type=KEYS[letter], value="RELEASE", x=x, y=y)
        yield 0.05


def _key(window: Window, key: str, x: int, y: int) -> Steps:
    for value in ("PRESS", "RELEASE"):
        window.window.event_simulate(type=key, value=value, x=x, y=y)
        yield 0.1
