"""Live jobs: a job file in, frames in a mapped file while it plays, and the log of commands as the result.

Commands come as lines of JSON on standard input, one a line (live/commands.py). The wish to finish ends the
session, and the log is written. When standard input closes, the process ends at once.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..base.files import refuse_unwritable
from ..base.json_files import to_json
from ..base.progress import Progress
from ..base.worker_process import EventWriter, finish_is_wanted, received_lines
from ..following.perform import Performer, WallClock
from ..following.stream_choice import StreamChoice, load_choice, save_choice
from ..live.clock import Clock
from ..live.commands import CommandLog, Stop, command_to_dict, save_log
from ..live.frames import SUFFIX, FrameWriter
from ..live.repeated import live_setup, stage_of
from ..live.session import LiveSession
from ..scenario.job import Job, load_job, save_job

SWITCH_S = 0.0005
"""How soon the thread that prepares segments lets the simulation go on [s]."""
CAUGHT_UP_S = 2.0
"""How far a run that follows a stream may be late and still be brought to its time again [s]."""
STREAM_SUFFIX = ".stream.json"
_STOP = to_json(command_to_dict(Stop()))


@dataclass(frozen=True, eq=False)
class LiveJob:
    """A job that is played live; stream: what the character follows instead of its own motion."""

    job: Job
    stream: StreamChoice | None = None


def save_live(live: LiveJob, path: Path) -> None:
    """Write the files of a live job; the job, for which the worker waits, comes last."""
    if live.stream is not None:
        save_choice(live.stream, path.with_suffix(STREAM_SUFFIX))
    save_job(live.job, path)


def run_jobs(job_paths: Sequence[Path], result_paths: Sequence[Path], events: EventWriter) -> None:
    """Play the motion of a job until the parent ends it, or follow a stream with its character."""
    sys.setswitchinterval(SWITCH_S)
    job, path = load_job(job_paths[0]), result_paths[0]
    refuse_unwritable(path)
    events.progress(Progress("Preparing the motion", 0.0))
    stream = job_paths[0].with_suffix(STREAM_SUFFIX)
    if stream.exists():
        _follow(job, load_choice(stream), path, events)
        return
    stage = stage_of(job)
    try:
        _play(LiveSession(stage, _tell(events)), path, events)
    finally:
        stage.library.close()


def _follow(job: Job, choice: StreamChoice, path: Path, events: EventWriter) -> None:
    """Follow a stream; what a busy machine misses is caught up with, because the performer goes on."""
    mode, receiver = choice.mode, choice.listen()
    try:
        performer = Performer(live_setup(job), receiver, mode, WallClock())
        events.progress(Progress(f"Waiting for a performer on port {receiver.port}", 0.5))
        if performer.wait_for_stream(finish_is_wanted):
            session = LiveSession(performer.stage, _tell(events), Clock(give_up_s=CAUGHT_UP_S))
            _play(session, path, events)
        else:
            save_log(CommandLog(1), path)
    finally:
        receiver.close()


def _tell(events: EventWriter) -> Callable[[str], None]:
    return lambda text: events.send("message", text=text)


def _play(session: LiveSession, path: Path, events: EventWriter) -> None:
    frames = FrameWriter(path.with_suffix(SUFFIX), session.names)
    events.progress(Progress("Playing live", 1.0))
    session.play(_lines, frames.write)
    save_log(session.log, path)


def _lines() -> list[str]:
    return [*received_lines(), *([_STOP] if finish_is_wanted() else [])]
