"""Running of batch items in child processes on this machine; each gets a record in any case.

The task of an item is plain JSON with file names, so that it can be sent to another machine.
"""

from __future__ import annotations

import os
import platform
import queue
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ...base.child_process import ChildProcess, Ended
from ...base.errors import Cancelled, HeftError, SimulationError
from ...base.files import write_text_atomically
from ...base.json_files import dataclass_from_json, parse_json_object, read_json_file, to_json
from ...base.worker_command import child_environment, worker_command
from .bake_arguments import bake_options
from .batch_folder import FAILED, BatchFolder, ItemRecord, finished, load_record, record_to_json, save_record


@dataclass(frozen=True)
class ItemTask:
    """An item, the folders of its files and results, and its time limit.

    start, out: absolute folders: of the names in the options, and of the results
    limit_s: time after which the item is stopped [s]
    """

    name: str
    options: Mapping[str, Any]
    digest: str
    start: str
    out: str
    limit_s: float

    @property
    def folder(self) -> BatchFolder:
        """The folder of the batch."""
        return BatchFolder(Path(self.out))

    def as_json(self) -> str:
        """Return the task as JSON text."""
        return to_json(asdict(self))


def task_from_json(text: str) -> ItemTask:
    """Return a task from JSON text."""
    task: ItemTask = dataclass_from_json(ItemTask, parse_json_object(text, "The task"), "The task")
    return task


def load_task(path: Path) -> ItemTask:
    """Read a task from its file."""
    task: ItemTask = dataclass_from_json(ItemTask, read_json_file(path, "task"), f"The task '{path}'")
    return task


LOOK_S = 0.2
"""How often a stop is checked for [s]."""


def run_item(task: ItemTask, stopped: Callable[[], bool] = lambda: False) -> ItemRecord:
    """Run an item; return its record, which is also on disk; raise Cancelled if it was stopped."""
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
        record = ItemRecord(
            task.name, task.digest, FAILED, str(problem), seconds=seconds, host=platform.node()
        )
        save_record(record, task.folder)
        return record


def run_item_json(text: str) -> str:
    """Run a task given as JSON text; return its record as JSON text."""
    task = task_from_json(text)
    task.folder.create()
    return record_to_json(run_item(task))


def _bake(task: ItemTask, stopped: Callable[[], bool]) -> None:
    task_file = task.folder.task(task.name)
    write_text_atomically(task_file, task.as_json() + "\n")
    task.folder.record(task.name).unlink(missing_ok=True)
    command = [*worker_command("batch-item"), str(task_file), str(task.folder.result(task.name))]
    advice = "run the batch again to try it again"
    child = ChildProcess(command, Path(task.start), child_environment(os.environ), "bake", advice)
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


RecordCallback = Callable[[ItemRecord], None]
"""Called with the record of each finished item."""


def run_here(tasks: Sequence[ItemTask], jobs: int, on_record: RecordCallback) -> None:
    """Run all tasks, passing on each record as soon as it exists; Ctrl-C stops the child processes first."""
    waiting: queue.SimpleQueue[ItemTask] = queue.SimpleQueue()
    for task in tasks:
        waiting.put(task)
    stop, lock = threading.Event(), threading.Lock()

    def work() -> None:
        while not stop.is_set():
            try:
                record = run_item(waiting.get_nowait(), stop.is_set)
            except (queue.Empty, Cancelled):
                return
            with lock:
                on_record(record)

    with ThreadPoolExecutor(jobs) as threads:
        working = [threads.submit(work) for _ in range(jobs)]
        try:
            # By short waits, because a long one can not be interrupted everywhere.
            while wait(working, timeout=LOOK_S).not_done:
                pass
        finally:
            stop.set()
    for future in working:
        future.result()  # tells of an error in the batch itself
