"""The child process of a bake: `python -m sim_core.worker [--when-written] JOB RESULT [JOB RESULT ...]`.

Several jobs are several characters of one simulation. With --when-written the jobs need not be there yet: the
worker gets ready and waits for them.

Standard output carries one JSON object a line and nothing else:
    {"type": "progress", "stage": str, "fraction": float, "sight": {"time": float, "figures": [[[float]]]}}
        with a sight now and then only, see progress.Sight
    {"type": "message", "text": str}
    {"type": "done", "results": [path]}
    {"type": "error", "text": str, "exit_code": int}
The last line is "done" or "error", and its absence means that the process died. Standard input
must stay open: the worker ends when it closes. Result files are whole or absent.
"""

from __future__ import annotations

import faulthandler
import json
import signal
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TextIO

from .errors import HeftError, InputError
from .process import (
    claim_stdout,
    end_with_parent,
    keep_mujoco_from_logging_to_file,
    leave_at_once,
    limit_threads,
)
from .progress import Progress

INTERNAL_ERROR = 1
WHEN_WRITTEN = "--when-written"
LOOK_S = 0.005
"""How long to rest before looking again whether the jobs are there."""


class Lines:
    """Writes the protocol's lines, each at once."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def send(self, kind: str, **values: object) -> None:
        try:
            self._stream.write(json.dumps({"type": kind, **values}) + "\n")
            self._stream.flush()
        except OSError:
            leave_at_once()

    def progress(self, progress: Progress) -> None:
        seen = {} if progress.sight is None else {"sight": asdict(progress.sight)}
        self.send("progress", stage=progress.stage, fraction=float(progress.fraction), **seen)


Task = Callable[[Sequence[Path], Sequence[Path], Lines], None]
"""Turns job files into result files, one for each."""


def run(arguments: Sequence[str], lines: Lines, task: Task | None = None) -> int:
    """Turn job files into result files (by a bake), telling everything by lines; the exit status."""
    waits = list(arguments[:1]) == [WHEN_WRITTEN]
    arguments = arguments[waits:]
    job_paths, result_paths = ([Path(name) for name in arguments[k::2]] for k in (0, 1))
    try:
        if not arguments or len(arguments) % 2:
            raise InputError(
                f"The worker needs a job file and a result file for each, but got {len(arguments)} name(s)."
            )
        if waits:
            _get_ready(job_paths)
        (task or _bake)(job_paths, result_paths, lines)
    except HeftError as problem:
        lines.send("error", text=str(problem), exit_code=problem.exit_code)
        return problem.exit_code
    except Exception as problem:
        traceback.print_exc(file=sys.stderr)
        text = f"An internal error stopped the work ({type(problem).__name__}: {problem}); please report it."
        lines.send("error", text=text, exit_code=INTERNAL_ERROR)
        return INTERNAL_ERROR
    lines.send("done", results=[str(path) for path in result_paths])
    return 0


def _get_ready(job_paths: Sequence[Path]) -> None:
    """Job files appear whole."""
    from . import bake, job, result  # noqa: F401 - loading them takes about as long as reading a motion

    while not all(path.exists() for path in job_paths):
        time.sleep(LOOK_S)


def _bake(job_paths: Sequence[Path], result_paths: Sequence[Path], lines: Lines) -> None:
    # Imported here, because they load numpy, and threads must be limited before.
    from .bake import bake_together
    from .files import refuse_unwritable
    from .job import load_job
    from .result import save_result

    keep_mujoco_from_logging_to_file()
    jobs = [load_job(path) for path in job_paths]
    for path in result_paths:
        refuse_unwritable(path)
    for result, path in zip(bake_together(jobs, lines.progress), result_paths, strict=True):
        for note in result.meta.get("notes", ()):
            lines.send("message", text=str(note))
        save_result(result, path)


def main(task: Task | None = None) -> int:
    # A parent may have told its children to ignore these; a stop must stop at once.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    lines = Lines(claim_stdout())
    faulthandler.enable()
    limit_threads()
    end_with_parent()
    return run(sys.argv[1:], lines, task)


if __name__ == "__main__":
    sys.exit(main())
