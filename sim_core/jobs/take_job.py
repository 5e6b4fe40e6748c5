"""Take jobs: jobs and the log of their live session in, the result of the take out, as that of a bake."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..bake.monitor import Monitor
from ..base.files import refuse_unwritable
from ..base.worker_process import EventWriter
from ..live.take import replay
from ..result.result import save_result
from .live_job import LiveJob, Played, load_live, load_played, save_live, save_played, stage_for

LOG_SUFFIX = ".log.json"


@dataclass(frozen=True, eq=False)
class TakeJob:
    """What was played live, and what was done to it and came of its stream."""

    live: LiveJob
    played: Played


def save_take(take: TakeJob, path: Path) -> None:
    """Write the files of a take; the first job, for which the worker waits, comes last."""
    save_played(take.played, path.with_suffix(LOG_SUFFIX))
    save_live(take.live, path)


def run_jobs(job_paths: Sequence[Path], result_paths: Sequence[Path], events: EventWriter) -> None:
    """Repeat a live session and write the result of what was recorded."""
    path = result_paths[0]
    live, played = load_live(job_paths[0]), load_played(job_paths[0].with_suffix(LOG_SUFFIX))
    refuse_unwritable(path)
    stage = stage_for(live, played.heard)
    try:
        result = replay(stage, played.log, Monitor(events.progress))
    finally:
        stage.library.close()
    if played.heard is not None and live.stream is not None:
        result = replace(result, meta=result.meta.with_notes(live.stream.note))
    for note in result.meta.notes:
        events.send("message", text=note)
    save_result(result, path)
