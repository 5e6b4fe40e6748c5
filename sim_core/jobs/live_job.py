"""Live jobs: a job file in, frames in a mapped file while it plays, and the log of commands as the result.

Commands come as lines of JSON on standard input, one a line (live/commands.py). The wish to finish ends the
session, and the log is written. When standard input closes, the process ends at once.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from ..base.files import refuse_unwritable
from ..base.json_files import to_json
from ..base.progress import Progress
from ..base.worker_process import EventWriter, finish_is_wanted, received_lines
from ..live.commands import Stop, command_to_dict, save_log
from ..live.frames import SUFFIX, FrameWriter
from ..live.repeated import stage_of
from ..live.session import LiveSession
from ..scenario.job import load_job

SWITCH_S = 0.0005
"""How soon the thread that prepares segments lets the simulation go on [s]."""
_STOP = to_json(command_to_dict(Stop()))


def run_jobs(job_paths: Sequence[Path], result_paths: Sequence[Path], events: EventWriter) -> None:
    """Play the motion of a job until the parent ends it."""
    sys.setswitchinterval(SWITCH_S)
    job, path = load_job(job_paths[0]), result_paths[0]
    refuse_unwritable(path)
    events.progress(Progress("Preparing the motion", 0.0))
    stage = stage_of(job)
    try:
        session = LiveSession(stage, lambda text: events.send("message", text=text))
        frames = FrameWriter(path.with_suffix(SUFFIX), session.names)
        events.progress(Progress("Playing live", 1.0))
        session.play(_lines, frames.write)
    finally:
        stage.library.close()
    save_log(session.log, path)


def _lines() -> list[str]:
    return [*received_lines(), *([_STOP] if finish_is_wanted() else [])]
