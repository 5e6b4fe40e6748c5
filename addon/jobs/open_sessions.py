"""Jobs that exist, whoever runs them: they stop before Blender frees what they hold of its data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakSet

if TYPE_CHECKING:
    from .job_session import JobSession

OPEN: WeakSet[JobSession[Any, Any]] = WeakSet()
"""All jobs that exist."""


def _leave_file(*_: object) -> None:
    for session in list(OPEN):
        session.leave_file()


def _leave_state(*_: object) -> None:
    for session in list(OPEN):
        session.leave_state()


HANDLERS = {"load_pre": _leave_file, "undo_pre": _leave_state, "redo_pre": _leave_state}
