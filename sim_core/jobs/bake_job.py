"""Bake jobs: the job files of one or more characters, and one result file for each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..bake.pipeline import bake_together
from ..base.files import refuse_unwritable
from ..base.worker_process import EventWriter
from ..result.result import save_result
from ..scenario.job import load_job


def run_jobs(job_paths: Sequence[Path], result_paths: Sequence[Path], events: EventWriter) -> None:
    """Bake all jobs in one simulation."""
    jobs = [load_job(path) for path in job_paths]
    for path in result_paths:
        refuse_unwritable(path)
    for result, path in zip(bake_together(jobs, events.progress), result_paths, strict=True):
        for note in result.meta.notes:
            events.send("message", text=note)
        save_result(result, path)
