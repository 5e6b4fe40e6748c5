"""What this process has started."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from pathlib import Path


def children() -> set[int]:
    """Return the processes that this one has started and that still exist, also those that ended unread."""
    return {int(number) for task in Path("/proc/self/task").iterdir() for number in _children_of(task)}


def _children_of(task: Path) -> Iterator[str]:
    """A thread may end between the listing and the reading; the kernel then gives its children to another."""
    try:
        yield from (task / "children").read_text().split()
    except (FileNotFoundError, ProcessLookupError):
        return


def processor_of_children() -> float:
    """Return the processor time of all processes that this one has started and that have ended [s]."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
