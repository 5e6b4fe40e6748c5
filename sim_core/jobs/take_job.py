"""Take jobs: jobs and the log of their live session in, the result of the take out, as that of a bake."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..bake.monitor import Monitor
from ..base.files import refuse_unwritable
from ..base.worker_process import EventWriter
from ..live.commands import CommandLog, load_log, save_log
from ..live.take import replay
from ..result.result import save_result
from .live_job import LiveJob, load_live, save_live, stage_for

LOG_SUFFIX = ".log.json"


@dataclass(frozen=True, eq=False)
class TakeJob:
    """What was played live, and what was done to it."""

    played: LiveJob
    log: CommandLog


def save_take(take: TakeJob, path: Path) -> None:
    """Write the files of a take; the first job, for which the worker waits, comes last."""
    save_log(take.log, path.with_suffix(LOG_SUFFIX))
    save_live(take.played, path)


def run_jobs(job_paths: Sequence[Path], result_paths: Sequence[Path], events: EventWriter) -> None:
    """Repeat a live session and write the result of what was recorded."""
    path = result_paths[0]
    played, log = load_live(job_paths[0]), load_log(job_paths[0].with_suffix(LOG_SUFFIX))
    refuse_unwritable(path)
    stage = stage_for(played)
    try:
        result = replay(stage, log, Monitor(events.progress))
    finally:
        stage.library.close()
    for note in result.meta.notes:
        events.send("message", text=note)
    save_result(result, path)
