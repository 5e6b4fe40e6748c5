"""Functions that Blender calls when a file is opened or saved, or another state of it is shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import bpy

Handlers = Mapping[str, Callable[..., None]]
"""Name of a list of `bpy.app.handlers` -> function; those that outlive a file are persistent."""


def add_handlers(own: Handlers) -> None:
    """Let Blender call functions."""
    for name, function in own.items():
        getattr(bpy.app.handlers, name).append(function)


def remove_handlers(own: Handlers) -> None:
    """Let Blender call them no more; what was never added is left out."""
    for name, function in own.items():
        called = getattr(bpy.app.handlers, name)
        if function in called:
            called.remove(function)
