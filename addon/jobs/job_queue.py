"""The queue of jobs: the first one runs, the others wait."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from bpy.types import Object

from .source_state import ObjectHandle

if TYPE_CHECKING:
    from .job_session import JobSession

    Session = JobSession[Any, Any]
else:
    Session = Any  # Blender looks up what the annotations of operators name


class JobQueue:
    """Runs one job at a time, because each moves the scene's current frame and uses a processor.

    last_words: of a job that ended with its file; Blender takes its button away before it can report
    """

    def __init__(self) -> None:
        self._sessions: list[Session] = []
        self.last_words = ""

    def __len__(self) -> int:
        return len(self._sessions)

    def __iter__(self) -> Iterator[Session]:
        return iter(tuple(self._sessions))

    @property
    def running(self) -> Session | None:
        """The running job, or None."""
        return self._sessions[0] if self._sessions else None

    @property
    def waiting(self) -> tuple[Session, ...]:
        """The jobs that wait, in order."""
        return tuple(self._sessions[1:])

    def add(self, session: Session) -> None:
        """Add a job to the end of the queue."""
        self._sessions.append(session)
        self.last_words = ""

    def remove(self, session: Session) -> None:
        """Stop a running job or remove a waiting one; a job that is not in the queue is only stopped."""
        if session in self._sessions:
            self._sessions.remove(session)
        session.cancel()

    def clear(self) -> None:
        """Stop and remove all jobs."""
        while self._sessions:
            self.remove(self._sessions[-1])

    def busy(self, objects: Sequence[Object]) -> str:
        """Return the name of the first of these objects that a job uses, or an empty string."""
        numbers = {kept.number for session in self._sessions for kept in session.objects}
        return next((kept.name for kept in map(ObjectHandle.of, objects) if kept.number in numbers), "")


QUEUE = JobQueue()
