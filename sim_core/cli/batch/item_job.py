"""One item of a batch: baked by the worker, with a record when it is finished."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from ...base.worker_process import EventWriter
from .. import bake
from .arguments import bake_options
from .folder import FELL, UP, Record, save_record
from .run_item import load_task


def run_jobs(job_paths: Sequence[Path], result_paths: Sequence[Path], events: EventWriter) -> None:
    """Bake each item; the worker's task for jobs of this kind."""
    for task_path, result_path in zip(job_paths, result_paths, strict=True):
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
