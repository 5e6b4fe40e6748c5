"""Jobs of single batch items: each is baked by a worker and gets a record when it is finished."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from ...base.worker_process import EventWriter
from .. import bake_command
from .bake_arguments import bake_options
from .batch_folder import FELL, UP, ItemRecord, digest_of_results, save_record
from .run_item import load_task


def run_jobs(job_paths: Sequence[Path], result_paths: Sequence[Path], events: EventWriter) -> None:
    """Bake each item."""
    for task_path, result_path in zip(job_paths, result_paths, strict=True):
        task = load_task(task_path)
        _note(task.folder.log(task.name), "started")
        began, busy = time.monotonic(), time.process_time()
        metrics = bake_command.run(bake_options(task.options, result_path))
        characters = (metrics, *metrics.get("others", {}).values())
        fell = any(character["fell_at"] is not None for character in characters)
        record = ItemRecord(
            task.name,
            task.digest,
            FELL if fell else UP,
            metrics=metrics,
            seconds=time.monotonic() - began,
            cpu_seconds=time.process_time() - busy,
            host=platform.node(),
            files=digest_of_results(metrics, task.folder),
        )
        # Written last, because an item with a record is finished.
        save_record(record, task.folder)
        _note(task.folder.log(task.name), "finished")


def _note(log: Path, what: str) -> None:
    """Append a line with time, machine, process and event, so that every start can be counted."""
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S")
    with log.open("a", encoding="utf-8") as file:
        file.write(f"{now} {platform.node()} {os.getpid()} {what}\n")
