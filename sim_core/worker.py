"""The one child process: `python -m sim_core.worker KIND [--when-written] JOB RESULT [JOB RESULT ...]`.

KIND is one of KINDS. Several bake jobs are several characters of one simulation. With --when-written the
jobs need not be there yet: the worker gets ready and waits for the line "written" on its standard input.

Standard output carries one JSON object a line and nothing else:
    {"type": "progress", "stage": str, "fraction": float, "preview": {"time": float, "figures": [[[float]]]}}
        with a preview now and then only, see progress.PreviewFrame; and with "can_finish": true while the
        best result so far can be asked for
    {"type": "message", "text": str}
    {"type": "done", "results": [path]}
    {"type": "error", "text": str, "exit_code": int}
The last line is "done" or "error", and its absence means that the process died. Standard input
must stay open: the worker ends when it closes. A line "finish" on it asks for the best result so far: a
search then ends, and the bake goes on. Result files are whole or absent.
"""

from __future__ import annotations

import faulthandler
import importlib
import signal
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from .base.errors import HeftError, InputError
from .base.worker_process import (
    WHEN_WRITTEN,
    EventWriter,
    JobFunction,
    claim_stdout,
    end_with_parent,
    importing_for_good,
    keep_mujoco_from_logging_to_file,
    limit_threads,
    wait_for_jobs,
)

INTERNAL_ERROR = 1
KINDS = {
    "bake": "jobs.bake_job",
    "fit": "jobs.fit_job",
    "motion": "jobs.motion_job",
    "pull": "jobs.control_job",
    "retarget": "jobs.retarget_job",
    "supports": "jobs.supports_job",
    "page": "jobs.page_job",
    "check": "jobs.doctor_job",
    "c3d": "jobs.c3d_job",
    "live": "jobs.live_job",
    "take": "jobs.take_job",
    "walk": "jobs.walk_job",
    "hop": "jobs.hop_job",
    "batch-item": "cli.batch.item_job",
}
"""Modules whose `run_jobs` turns job files into result files.

They are imported by need, because they load numpy, and threads must be limited before.
"""

WITHOUT_ENGINE = ("c3d",)
"""Kinds of job that do not wait for MuJoCo to load."""


def run(arguments: Sequence[str], events: EventWriter) -> int:
    """Turn job files into result files, reporting everything as lines; return the exit status."""
    try:
        kind, waits, job_paths, result_paths = _parse(arguments)
        run_jobs = _load(kind)
        if waits:
            wait_for_jobs()
            _require(job_paths)
        run_jobs(job_paths, result_paths, events)
    except HeftError as problem:
        events.send("error", text=str(problem), exit_code=problem.exit_code)
        return problem.exit_code
    except Exception as problem:
        traceback.print_exc(file=sys.stderr)
        text = f"An internal error stopped the work ({type(problem).__name__}: {problem}); please report it."
        events.send("error", text=text, exit_code=INTERNAL_ERROR)
        return INTERNAL_ERROR
    events.send("done", results=[str(path) for path in result_paths])
    return 0


def _require(job_paths: Sequence[Path]) -> None:
    """Refuse to go on without job files that were written: they are never there once their folder is gone."""
    if not all(path.exists() for path in job_paths):
        raise InputError("The temporary folder of the job was removed; nothing was changed, so try again.")


def _parse(arguments: Sequence[str]) -> tuple[str, bool, list[Path], list[Path]]:
    kind, *files = arguments or [""]
    if kind not in KINDS:
        raise InputError(f"The worker knows no jobs of the kind '{kind}'; there are {', '.join(KINDS)}.")
    waits = files[:1] == [WHEN_WRITTEN]
    files = files[waits:]
    if not files or len(files) % 2:
        raise InputError(
            f"The worker needs a job file and a result file for each, but got {len(files)} name(s)."
        )
    return kind, waits, [Path(name) for name in files[::2]], [Path(name) for name in files[1::2]]


def _load(kind: str) -> JobFunction:
    with importing_for_good():
        module = importlib.import_module(f".{KINDS[kind]}", __package__)
    if kind not in WITHOUT_ENGINE:
        keep_mujoco_from_logging_to_file()
    task: JobFunction = module.run_jobs
    return task


def main() -> int:
    """Run the worker with the arguments of the command line; return the exit status."""
    # A child inherits signals that its parent ignores, but a request to stop must work.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    events = EventWriter(claim_stdout())
    faulthandler.enable()
    limit_threads()
    end_with_parent()
    return run(sys.argv[1:], events)


if __name__ == "__main__":
    sys.exit(main())
