"""Live jobs: a job file in, frames in a mapped file while it plays, and what was done as the result.

Several actions of one character become a graph through which it is steered; the first one stands in for all.
Commands come as lines of JSON on standard input, one a line (live/commands.py). The wish to finish ends the
session, and the log is written, beside it what came of a stream. When standard input closes, the process ends
at once.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..base.errors import InputError
from ..base.files import refuse_unwritable
from ..base.json_files import to_json
from ..base.progress import Progress
from ..base.worker_process import EventWriter, finish_is_wanted, received_lines
from ..following.perform import Performer, WallClock
from ..following.stream_choice import StreamChoice, load_choice, save_choice
from ..live.clock import Clock
from ..live.commands import CommandLog, Stop, command_to_dict, load_log, save_log
from ..live.frames import SUFFIX, FrameWriter
from ..live.repeated import live_setup, stage_of
from ..live.session import LiveSession
from ..live.take import Stage
from ..motion.motion import CONTROL_DT
from ..scenario.job import Job, load_job, save_job
from ..stream.heard import HeardAgain, HeardStream, KeptStream, load_heard, save_heard

if TYPE_CHECKING:
    from ..actions.graph import ActionGraph

SWITCH_S = 0.0005
"""How soon the thread that prepares segments lets the simulation go on [s]."""
CAUGHT_UP_S = 2.0
"""How far a run that follows a stream may be late and still be brought to its time again [s]."""
STREAM_SUFFIX, HEARD_SUFFIX = ".stream.json", ".heard.npz"
_STOP = to_json(command_to_dict(Stop()))


@dataclass(frozen=True, eq=False)
class LiveJob:
    """What is played live: one motion, or the actions of a graph, which have the names of their jobs.

    stream: what the character follows instead of its own motion
    """

    jobs: tuple[Job, ...]
    stream: StreamChoice | None = None


@dataclass(frozen=True, eq=False)
class Played:
    """What was done in a live session, and what came of the stream that it followed."""

    log: CommandLog
    heard: HeardStream | None = None


def save_played(played: Played, path: Path) -> None:
    """Write the log of a session to a file, and what came of its stream beside it."""
    if played.heard is not None:
        save_heard(played.heard, path.with_suffix(HEARD_SUFFIX))
    save_log(played.log, path)


def load_played(path: Path) -> Played:
    """Read what was done in a session."""
    heard = path.with_suffix(HEARD_SUFFIX)
    return Played(load_log(path), load_heard(heard) if heard.exists() else None)


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


def stage_for(live: LiveJob, heard: HeardStream | None = None) -> Stage:
    """Return what a live play starts from; heard: the stream that it followed, to be followed once more."""
    first = live.jobs[0]
    if heard is not None:
        return _followed_again(first, live.stream, heard)
    if len(live.jobs) == 1:
        return stage_of(first)
    from ..steering.stage import Steered  # here, because few plays are steered

    stage = Steered(graph_for(live), first.settings).stage
    return replace(stage, rate_hz=first.motion.rate_hz, start_s=float(first.motion.time[0]))


def _followed_again(job: Job, choice: StreamChoice | None, heard: HeardStream) -> Stage:
    """Return the stage of a run that follows a stream as it came before."""
    if choice is None:
        raise InputError("The take followed a stream that its job does not name; record it again.")
    again = HeardAgain(heard)
    performer = Performer(live_setup(job), again, choice.mode, again)
    performer.wait_for_stream()
    return replace(performer.stage, rate_hz=job.motion.rate_hz, start_s=float(job.motion.time[0]))


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
        session = LiveSession(stage, _tell(events))
        _play(session, path, events)
        save_played(Played(session.log), path)
    finally:
        stage.library.close()


def _follow(job: Job, choice: StreamChoice, path: Path, events: EventWriter) -> None:
    """Follow a stream; what a busy machine misses is caught up with, because the performer goes on."""
    mode, receiver = choice.mode, choice.listen()
    kept = KeptStream(receiver)
    try:
        performer = Performer(live_setup(job), kept, mode, WallClock())
        waiting = f"Waiting for a performer on port {receiver.port}" if receiver.port else "Following"
        events.progress(Progress(waiting, 0.5))
        if not performer.wait_for_stream(finish_is_wanted):
            save_played(Played(CommandLog(1)), path)
            return
        waited = kept.polls
        session = LiveSession(performer.stage, _tell(events), Clock(give_up_s=CAUGHT_UP_S))
        _play(session, path, events)
        save_played(_within(session.log, kept.polls - waited, kept.heard), path)
    finally:
        receiver.close()


def _within(log: CommandLog, ticks: int, heard: HeardStream) -> Played:
    """Return what was played as long as the stream was kept, at one poll for each control interval."""
    if log.first >= max(ticks, 1):
        raise InputError(
            f"A stream can be recorded until {ticks * CONTROL_DT / 60.0:.1f} minutes after its start, and "
            "this take began later; play again and record sooner."
        )
    return Played(log.up_to(max(ticks, 1)), heard)


def _tell(events: EventWriter) -> Callable[[str], None]:
    return lambda text: events.send("message", text=text)


def _play(session: LiveSession, path: Path, events: EventWriter) -> None:
    frames = FrameWriter(path.with_suffix(SUFFIX), session.names)
    events.progress(Progress("Playing live", 1.0))
    session.play(_lines, frames.write)


def _lines() -> list[str]:
    return [*received_lines(), *([_STOP] if finish_is_wanted() else [])]
