"""A batch on this machine: so many items at a time, each in a process of its own."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait

from ...base.errors import Cancelled
from .folder import Record
from .run_item import LOOK_S, Task, carry_out

Tell = Callable[[Record], None]


def run_here(tasks: Sequence[Task], jobs: int, tell: Tell) -> None:
    """Carry out all tasks; each record is told as soon as it is there. Ctrl-C ends the children first."""
    waiting: queue.SimpleQueue[Task] = queue.SimpleQueue()
    for task in tasks:
        waiting.put(task)
    stop, lock = threading.Event(), threading.Lock()

    def work() -> None:
        while not stop.is_set():
            try:
                record = carry_out(waiting.get_nowait(), stop.is_set)
            except (queue.Empty, Cancelled):
                return
            with lock:
                tell(record)

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
