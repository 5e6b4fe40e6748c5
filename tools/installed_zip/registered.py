"""What is registered in this Blender, as text that can be compared."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import bpy

BUILT_IN = ("bpy.types", "bpy_types", "_bpy_types")


def registered() -> set[str]:
    """Return a line for each class, property, handler, key and menu entry that Python code registered."""
    lines: set[str] = set()
    for part in (_classes, _properties, _handlers, _keys, _menu_entries, _threads):
        lines |= set(part())
    return lines


def _all_subclasses(cls: type) -> Iterator[type]:
    children: list[type] = type.__subclasses__(cls)
    for child in children:
        yield child
        yield from _all_subclasses(child)


def _classes() -> Iterator[str]:
    for cls in _all_subclasses(bpy.types.bpy_struct):
        # Blender makes Python faces of its own types when they are first looked at.
        if cls.__module__ not in BUILT_IN and getattr(cls, "is_registered", False):
            yield f"class {cls.__module__}.{cls.__name__}"


def _properties() -> Iterator[str]:
    for name in dir(bpy.types):
        rna = getattr(getattr(bpy.types, name), "bl_rna", None)
        for prop in rna.properties.keys() if rna else ():
            yield f"property {name}.{prop}"


def _handlers() -> Iterator[str]:
    for name in dir(bpy.app.handlers):
        functions = getattr(bpy.app.handlers, name)
        if isinstance(functions, list):
            for function in functions:
                yield f"handler {name} {function.__module__}.{function.__qualname__}"


def _keys() -> Iterator[str]:
    for config in bpy.context.window_manager.keyconfigs:
        for keymap in config.keymaps:
            for item in keymap.keymap_items:
                yield f"key {config.name} {keymap.name} {item.idname}"


def _menu_entries() -> Iterator[str]:
    for name in dir(bpy.types):
        draw = getattr(getattr(bpy.types, name), "draw", None)
        for function in getattr(draw, "_draw_funcs", ()):
            # The menu's own drawing joins the list with the first entry that is added.
            if function.__qualname__ != f"{name}.draw":
                yield f"entry in {name} {function.__module__}.{function.__qualname__}"


def _threads() -> Iterator[str]:
    for thread in threading.enumerate():
        yield f"thread {thread.name}"


class Watch:
    """Record of timers and commands: Blender has no list of them, so their registration is watched."""

    def __init__(self) -> None:
        self._timers: list[Callable[..., Any]] = []
        self._commands: dict[int, str] = {}
        self._watch_timers()
        self._watch_commands()

    def _watch_timers(self) -> None:
        register = bpy.app.timers.register

        def watched(function: Callable[..., Any], *rest: Any, **named: Any) -> None:
            self._timers.append(function)
            register(function, *rest, **named)

        bpy.app.timers.register = watched

    def _watch_commands(self) -> None:
        register, unregister = bpy.utils.register_cli_command, bpy.utils.unregister_cli_command

        def watched_register(name: str, execute: Callable[..., int]) -> object:
            handle = register(name, execute)
            self._commands[id(handle)] = name
            return handle

        def watched_unregister(handle: object) -> None:
            unregister(handle)
            self._commands.pop(id(handle), None)

        bpy.utils.register_cli_command = watched_register
        bpy.utils.unregister_cli_command = watched_unregister

    def commands(self) -> list[str]:
        """Return names of commands that are registered now, of those registered since the watch began."""
        return sorted(self._commands.values())

    def timers(self) -> list[str]:
        """Return timers that still wait, of those registered since the watch began."""
        return [f"{t.__module__}.{t.__qualname__}" for t in self._timers if bpy.app.timers.is_registered(t)]
