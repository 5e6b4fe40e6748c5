"""Clicks on buttons of the sidebar, by where they are."""

from __future__ import annotations

import bpy

from .figure import progress
from .window import Steps, Window, wait_until

# Places in the sidebar, from its upper left corner, at an interface scale of 1 [pixels]: before a bake, and
# while a mesh of a character is active.
SIMULATE_BUTTON = (120, 48)
SELECT_BUTTON = (120, 70)


def click_sidebar(window: Window, position: tuple[int, int]) -> Steps:
    """Click so many pixels right of and below the sidebar's upper left corner."""
    sidebar, scale = window.region("UI"), bpy.context.preferences.system.ui_scale
    x = sidebar.x + round(position[0] * scale)
    y = sidebar.y + sidebar.height - round(position[1] * scale)
    yield from window.click(x, y)


def click_simulate(window: Window) -> Steps:
    """Press the button with the mouse; returns as soon as the panel says that it runs."""
    yield from click_sidebar(window, SIMULATE_BUTTON)
    yield from wait_until(lambda: progress().running, 3.0, "the start of the simulation after the click")
