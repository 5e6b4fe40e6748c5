"""Functions that Blender calls when a file is opened or saved, or another state of it is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import bpy

Handlers = Mapping[str, Callable[..., None]]
"""Name of a list of `bpy.app.handlers` -> function."""


def add_handlers(handlers: Iterable[Handlers]) -> None:
    """Let Blender call functions, also after another file was opened."""
    for own in handlers:
        for name, function in own.items():
            getattr(bpy.app.handlers, name).append(bpy.app.handlers.persistent(function))


def remove_handlers(handlers: Iterable[Handlers]) -> None:
    """Let Blender call them no more; what was never added is left out."""
    for own in handlers:
        for name, function in own.items():
            called = getattr(bpy.app.handlers, name)
            if function in called:
                called.remove(function)
