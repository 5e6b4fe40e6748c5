"""Jobs that exist, whoever runs them: they stop before Blender frees what they hold of its data."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

import bpy
from bpy.app.handlers import persistent

if TYPE_CHECKING:
    from .job_session import JobSession

OPEN: WeakSet[JobSession[Any, Any]] = WeakSet()
"""All jobs that exist."""


@persistent
def _leave_file(*_: object) -> None:
    for session in list(OPEN):
        session.leave_file()


@persistent
def _leave_state(*_: object) -> None:
    for session in list(OPEN):
        session.leave_state()


def _handlers() -> Iterator[tuple[list[Any], Callable[..., None]]]:
    """Yield Blender's lists of handlers, each with the one of jobs."""
    yield bpy.app.handlers.load_pre, _leave_file
    yield bpy.app.handlers.undo_pre, _leave_state
    yield bpy.app.handlers.redo_pre, _leave_state


def register() -> None:
    """Stop jobs before another file replaces the present one, or another state of it what they hold."""
    for handlers, own in _handlers():
        handlers.append(own)


def unregister() -> None:
    """Stop doing so."""
    for handlers, own in _handlers():
        if own in handlers:
            handlers.remove(own)
