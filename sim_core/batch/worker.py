"""The child process of an item: `python -m sim_core.batch.worker TASK RESULT`; lines as in `worker`."""

from __future__ import annotations

import os
import platform
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from ..worker import Lines, main


def bake_item(task_paths: Sequence[Path], result_paths: Sequence[Path], lines: Lines) -> None:
    # Imported here, because they load numpy, and threads must be limited before.
    from ..commands import bake
    from .arguments import bake_options
    from .record import FELL, UP, Record, save_record
    from .task import load_task

    for task_path, result_path in zip(task_paths, result_paths, strict=True):
        task = load_task(task_path)
        _note(task.folder.log(task.name), "started")
        began = time.monotonic()
        metrics = bake.run(bake_options(task.options, result_path))
        people = (metrics, *metrics.get("others", {}).values())
        fell = any(person["fell_at"] is not None for person in people)
        seconds = time.monotonic() - began
        state = FELL if fell else UP
        record = Record(task.name, task.digest, state, None, metrics, seconds, platform.node())
        # Last, and all at once: an item with a record is finished.
        save_record(record, task.folder)
        _note(task.folder.log(task.name), "finished")


def _note(log: Path, what: str) -> None:
    """One line: when, where, what. Every start is here, so that it can be counted."""
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S")
    with log.open("a", encoding="utf-8") as file:
        file.write(f"{now} {platform.node()} {os.getpid()} {what}\n")


if __name__ == "__main__":
    sys.exit(main(bake_item))
