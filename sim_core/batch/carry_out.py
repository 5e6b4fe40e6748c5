"""Carries out one item in a child process; whatever happens to the child, a record says what became of it."""

from __future__ import annotations

import os
import platform
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from ..child import Child, Ended
from ..errors import Cancelled, HeftError, SimulationError
from ..files import write_text_atomically
from .arguments import bake_options
from .record import FAILED, Record, finished, load_record, record_to_json, save_record
from .task import Task, task_from_json

PACKAGE = Path(__file__).resolve().parents[1]
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
    module = f"{PACKAGE.name}.batch.worker"
    command = [sys.executable, "-m", module, str(task_file), str(task.folder.result(task.name))]
    advice = "run the batch again to try it again"
    child = Child(command, Path(task.start), _environment(os.environ), "bake", advice)
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
