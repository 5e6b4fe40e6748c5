"""Worker processes: each runs the items of one task, one after the other."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
import time as clock
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass

from .cache import Cache, Item, Outcome
from .clips import ROOT

ITEM_SECONDS = 1800.0
"""An item that takes longer is given up [s]."""


@dataclass
class Budget:
    """Wall time that may be used; items that have started are finished."""

    minutes: float | None
    stopped: bool = False

    def __post_init__(self) -> None:
        self._started = clock.monotonic()

    @property
    def elapsed_s(self) -> float:
        """Return the time since the start [s]."""
        return clock.monotonic() - self._started

    @property
    def over(self) -> bool:
        """Whether no further item may start."""
        return self.stopped or self.minutes is not None and self.elapsed_s > 60.0 * self.minutes


class _Worker:
    """A child process that gets items and returns outcomes as JSON lines."""

    def __init__(self, benchmark: str) -> None:
        command = [sys.executable, "-m", "bench.common.worker", benchmark]
        environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        # A session of its own: Ctrl-C reaches this process only, which lets running items finish.
        self.process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=environment,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )

    def ask(self, item: Item) -> Outcome:
        assert self.process.stdin is not None and self.process.stdout is not None
        late = threading.Timer(ITEM_SECONDS, self.process.kill)
        late.start()
        try:
            self.process.stdin.write(json.dumps(item) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        finally:
            late.cancel()
        if line:
            return dict(json.loads(line))
        status = self.process.wait()
        return {"error": f"The worker process ended with status {status}.", "lost": True}

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                stream.close()


def run_tasks(
    benchmark: str,
    tasks: list[list[Item]],
    cache: Cache,
    jobs: int,
    budget: Budget,
    describe: Callable[[Item], str],
) -> None:
    """Run the items that the cache does not have, in the order of the tasks, until the budget is over.

    benchmark: the folder whose `trials.run_item` makes an outcome of an item
    describe: makes the text that is printed for an item
    """
    waiting: queue.SimpleQueue[list[Item]] = queue.SimpleQueue()
    left = [cache.missing(task) for task in tasks]
    total = sum(len(task) for task in left)
    done = 0
    for task in left:
        if task:
            waiting.put(task)
    lock = threading.Lock()

    def note(item: Item, outcome: Outcome) -> None:
        nonlocal done
        cache.add(item, outcome)
        with lock:
            done += 1
            message = outcome.get("error") or outcome["message"]
            print(f"[{done}/{total}, {budget.elapsed_s:.0f} s] {describe(item)}: {message}", flush=True)

    def work() -> None:
        while not budget.over:
            try:
                task = waiting.get_nowait()
            except queue.Empty:
                return
            _run_task(benchmark, task, note, budget)

    with ThreadPoolExecutor(max(jobs, 1)) as threads:
        working = [threads.submit(work) for _ in range(max(jobs, 1))]
        try:
            wait(working)
        except KeyboardInterrupt:
            budget.stopped = True
            print("Stopping after the items that run ...", flush=True)
    for future in working:
        future.result()  # tells of an error in the benchmark itself


def _run_task(
    benchmark: str, task: list[Item], note: Callable[[Item, Outcome], None], budget: Budget
) -> None:
    worker = _Worker(benchmark)
    try:
        for item in task:
            if budget.over:
                return
            if not worker.alive:
                worker.close()
                worker = _Worker(benchmark)
            note(item, worker.ask(item))
    finally:
        worker.close()
