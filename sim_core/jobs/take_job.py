"""Take jobs: a job and the log of its live session in, the result of the take out, as that of a bake."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..bake.monitor import Monitor
from ..base.files import refuse_unwritable
from ..base.worker_process import EventWriter
from ..live.commands import CommandLog, load_log, save_log
from ..live.repeated import stage_of
from ..live.take import replay
from ..result.result import save_result
from ..scenario.job import Job, load_job, save_job

LOG_SUFFIX = ".log.json"


@dataclass(frozen=True, eq=False)
class TakeJob:
    """A job that was played live, and what was done to it."""

    job: Job
    log: CommandLog


def save_take(take: TakeJob, path: Path) -> None:
    """Write the files of a take; the job, for which the worker waits, comes last."""
    save_log(take.log, path.with_suffix(LOG_SUFFIX))
    save_job(take.job, path)


def run_jobs(job_paths: Sequence[Path], result_paths: Sequence[Path], events: EventWriter) -> None:
    """Repeat a live session and write the result of what was recorded."""
    path = result_paths[0]
    job, log = load_job(job_paths[0]), load_log(job_paths[0].with_suffix(LOG_SUFFIX))
    refuse_unwritable(path)
    stage = stage_of(job)
    try:
        result = replay(stage, log, Monitor(events.progress))
    finally:
        stage.library.close()
    for note in result.meta.notes:
        events.send("message", text=note)
    save_result(result, path)
