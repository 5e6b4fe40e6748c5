"""Live jobs: a job file in, frames in a mapped file while it plays, and the log of commands as the result.

Several actions of one character become a graph through which it is steered; the first one stands in for all.
Commands come as lines of JSON on standard input, one a line (live/commands.py). The wish to finish ends the
session, and the log is written. When standard input closes, the process ends at once.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

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
from ..live.take import Stage
from ..scenario.job import Job, load_job, save_job

if TYPE_CHECKING:
    from ..actions.graph import ActionGraph

SWITCH_S = 0.0005
"""How soon the thread that prepares segments lets the simulation go on [s]."""
CAUGHT_UP_S = 2.0
"""How far a run that follows a stream may be late and still be brought to its time again [s]."""
STREAM_SUFFIX = ".stream.json"
_STOP = to_json(command_to_dict(Stop()))


@dataclass(frozen=True, eq=False)
class LiveJob:
    """What is played live: one motion, or the actions of a graph, which have the names of their jobs.

    stream: what the character follows instead of its own motion
    """

    jobs: tuple[Job, ...]
    stream: StreamChoice | None = None


def save_live(live: LiveJob, path: Path) -> None:
    """Write the files of a live job; the first job, for which the worker waits, comes last."""
    if live.stream is not None:
        save_choice(live.stream, path.with_suffix(STREAM_SUFFIX))
    for number, job in enumerate(live.jobs[1:], 1):
        save_job(job, _beside(path, number))
    save_job(live.jobs[0], path)


def load_live(path: Path) -> LiveJob:
    """Read a live job."""
    others = itertools.takewhile(Path.exists, (_beside(path, number) for number in itertools.count(1)))
    stream = path.with_suffix(STREAM_SUFFIX)
    choice = load_choice(stream) if stream.exists() else None
    return LiveJob((load_job(path), *map(load_job, others)), choice)


def _beside(path: Path, number: int) -> Path:
    return path.with_name(f"{path.stem}.action{number}{path.suffix}")


def stage_for(live: LiveJob) -> Stage:
    """Return what a live play starts from."""
    first = live.jobs[0]
    if len(live.jobs) == 1:
        return stage_of(first)
    from ..steering.stage import Steered  # here, because few plays are steered

    stage = Steered(graph_for(live), first.settings).stage
    return replace(stage, rate_hz=first.motion.rate_hz, start_s=float(first.motion.time[0]))


def graph_for(live: LiveJob) -> ActionGraph:
    """Return the graph of the actions of a live job."""
    from ..actions.graph import make_graph

    return make_graph([(job.name, job.motion) for job in live.jobs], live.jobs[0].mapping)


def run_jobs(job_paths: Sequence[Path], result_paths: Sequence[Path], events: EventWriter) -> None:
    """Play the motion of a job until the parent ends it, or follow a stream with its character."""
    sys.setswitchinterval(SWITCH_S)
    path = result_paths[0]
    live = load_live(job_paths[0])
    refuse_unwritable(path)
    events.progress(Progress("Preparing the motion", 0.0))
    if live.stream is not None:
        _follow(live.jobs[0], live.stream, path, events)
        return
    stage = stage_for(live)
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
