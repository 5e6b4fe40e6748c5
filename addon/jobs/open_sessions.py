"""Jobs that exist, whoever runs them: they stop before Blender frees what they hold of its data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from bpy.app.handlers import persistent

from ..blender.handlers import add_handlers, remove_handlers

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


_HANDLERS = {"load_pre": _leave_file, "undo_pre": _leave_state, "redo_pre": _leave_state}


def register() -> None:
    """Stop jobs before another file replaces the present one, or another state of it what they hold."""
    add_handlers(_HANDLERS)


def unregister() -> None:
    """Stop doing so."""
    remove_handlers(_HANDLERS)
