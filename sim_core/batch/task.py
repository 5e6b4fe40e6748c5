"""One item on its way to whoever carries it out: plain JSON and names of files, no Python objects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..json_text import made, object_from_json, object_in_file, to_json
from .folder import BatchFolder


@dataclass(frozen=True)
class Task:
    """An item, where its files and its results are, and how long it may take.

    start, out: absolute names of folders: where names in the options start from, and where results go
    limit_s: after which it is stopped [s]
    """

    name: str
    options: Mapping[str, Any]
    digest: str
    start: str
    out: str
    limit_s: float

    @property
    def folder(self) -> BatchFolder:
        return BatchFolder(Path(self.out))

    def as_json(self) -> str:
        return to_json(asdict(self))


def task_from_json(text: str) -> Task:
    task: Task = made(Task, object_from_json(text, "The task"), "The task")
    return task


def load_task(path: Path) -> Task:
    task: Task = made(Task, object_in_file(path, "task"), f"The task '{path}'")
    return task
