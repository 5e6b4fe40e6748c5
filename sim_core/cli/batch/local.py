"""A batch on this machine: several items at a time, each in a process of its own."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait

from ...base.errors import Cancelled
from .batch_folder import ItemRecord
from .run_item import LOOK_S, ItemTask, run_item

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
