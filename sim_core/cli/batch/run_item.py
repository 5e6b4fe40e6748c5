"""One item on its way to whoever carries it out: plain JSON and names of files, no Python objects.

Carries out one item in a child process; whatever happens to the child, a record says what became of it.
"""

from __future__ import annotations

import os
import platform
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ...base.child_process import ChildProcess, Ended
from ...base.errors import Cancelled, HeftError, SimulationError
from ...base.files import write_text_atomically
from ...base.json_files import dataclass_from_json, parse_json_object, read_json_file, to_json
from .arguments import bake_options
from .folder import FAILED, BatchFolder, Record, finished, load_record, record_to_json, save_record


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
    task: Task = dataclass_from_json(Task, parse_json_object(text, "The task"), "The task")
    return task


def load_task(path: Path) -> Task:
    task: Task = dataclass_from_json(Task, read_json_file(path, "task"), f"The task '{path}'")
    return task


PACKAGE = Path(__file__).resolve().parents[2]
LOOK_S = 0.2
"""How often is looked whether the work shall stop [s]."""


def carry_out(task: Task, stopped: Callable[[], bool] = lambda: False) -> Record:
    """The item's record, which is on disk too; raises Cancelled when it was stopped on the way."""
    done = finished(task.name, task.digest, task.folder)
    if done is not None:
        return done  # another machine did it, and was lost before it could say so
    began = time.monotonic()
    try:
        # Looked at here first: for an option that is wrong no process need be started.
        bake_options(task.options, task.folder.result(task.name))
        _bake(task, stopped)
        return load_record(task.name, task.folder)
    except Cancelled:
        raise
    except HeftError as problem:
        seconds = time.monotonic() - began
        record = Record(task.name, task.digest, FAILED, str(problem), seconds=seconds, host=platform.node())
        save_record(record, task.folder)
        return record


def carry_out_json(text: str) -> str:
    """The same for a machine that is sent a text and answers with one."""
    task = task_from_json(text)
    task.folder.create()
    return record_to_json(carry_out(task))


def _bake(task: Task, stopped: Callable[[], bool]) -> None:
    task_file = task.folder.task(task.name)
    write_text_atomically(task_file, task.as_json() + "\n")
    task.folder.record(task.name).unlink(missing_ok=True)
    worker = [sys.executable, "-m", f"{PACKAGE.name}.worker", "batch-item"]
    command = [*worker, str(task_file), str(task.folder.result(task.name))]
    advice = "run the batch again to try it again"
    child = ChildProcess(command, Path(task.start), _environment(os.environ), "bake", advice)
    end = time.monotonic() + task.limit_s
    try:
        while not isinstance(event := child.wait(LOOK_S), Ended):
            if stopped():
                raise Cancelled("The batch was stopped.")
            if time.monotonic() > end:
                raise SimulationError(
                    f"The bake took longer than {task.limit_s:g} s and was stopped; raise --item-seconds."
                )
    finally:
        child.stop()
    if event.error is not None:
        raise event.error


def _environment(own: Mapping[str, str]) -> dict[str, str]:
    """With the package where the child can find it, whatever its working folder is."""
    path = os.pathsep.join(filter(None, (str(PACKAGE.parent), own.get("PYTHONPATH"))))
    return {**own, "PYTHONPATH": path}
