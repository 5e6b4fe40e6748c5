"""What a process holds: memory, open handles, threads, and files in its temporary folder."""

from __future__ import annotations

import gc
import os
import tempfile
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from bench.common.processes import children

FLAT_MB = 20.0
"""Growth of memory from the first to the last quarter of a run that is not a leak [MB]."""


@dataclass(frozen=True)
class Usage:
    """Memory in use [MB], and numbers of handles, threads, child processes and temporary files."""

    memory_mb: float
    handles: int
    threads: int
    children: int
    files: int


def usage(*folders: str) -> Usage:
    """Return what this process holds now; folders: for temporary files, besides the usual one."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return Usage(
        pages * os.sysconf("SC_PAGE_SIZE") / 1e6,
        len(os.listdir("/proc/self/fd")),
        max(len(os.listdir("/proc/self/task")), threading.active_count()),
        len(children()),
        sum(len(os.listdir(folder)) for folder in {tempfile.gettempdir(), *folders}),
    )


def repeat(work: Callable[[int], object], count: int, *folders: str) -> list[Usage]:
    """Do something many times; return what is held after each; folders: as of `usage`."""
    held = []
    for number in range(count):
        work(number)
        held.append(usage(*folders))
    return held


def growth(held: Sequence[Usage]) -> dict[str, float]:
    """Return by how much the least of each figure rises from the second quarter of a run to the last.

    The first quarter fills caches, and the least leaves out what is freed a moment later.
    """
    quarter = max(len(held) // 4, 1)
    first, last = held[quarter : 2 * quarter] or held[:1], held[-quarter:]
    names = [each.name for each in fields(Usage)]
    return {
        name: min(getattr(one, name) for one in last) - min(getattr(one, name) for one in first)
        for name in names
    }


def leaks(held: Sequence[Usage]) -> list[str]:
    """Return what rose in a run and should not have."""
    rise = growth(held)
    limits = {"memory_mb": FLAT_MB}
    return [f"{name} rose by {by:g}" for name, by in rise.items() if by > limits.get(name, 0.0)]
