"""What machines do to a job: processes, disks, folders, files and clocks."""

from __future__ import annotations

import errno
import os
import resource
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

from heft.addon.jobs.job_runner import JobRunner
from heft.sim_core.base import files

from .trial import ESC, TICK, Fault, Trial, Turns

Damage = Callable[[Path], None]


def kill_the_child(trial: Trial) -> Turns[None]:
    """As the system does where memory runs out."""
    yield from _signal(trial, signal.SIGKILL)


def end_the_child(trial: Trial) -> Turns[None]:
    """As a user does in a list of processes."""
    yield from _signal(trial, signal.SIGTERM)


def stop_the_child_for_a_while(trial: Trial) -> Turns[None]:
    """As a machine does that sleeps."""
    number = yield from _signal(trial, signal.SIGSTOP)
    if number is not None:
        going_on = threading.Timer(trial.rng.uniform(0.2, 1.5), _send, (number, signal.SIGCONT))
        going_on.start()
        trial.undo.callback(going_on.join)


def stop_the_child_for_ten_seconds(trial: Trial) -> Turns[None]:
    """Let the child not answer for long; the window goes on meanwhile."""
    number = yield from _signal(trial, signal.SIGSTOP)
    if number is None:
        return
    end = time.monotonic() + 10.0
    while not trial.button.ended and time.monotonic() < end:
        yield TICK
    _send(number, signal.SIGCONT)


def stop_the_child_for_good(trial: Trial) -> Turns[None]:
    """Let the user press Esc while the child does not answer."""
    if (yield from _signal(trial, signal.SIGSTOP)) is None:
        return
    for _ in range(20):
        if not trial.button.ended:
            yield TICK
    yield from press_esc(trial)


def press_esc(trial: Trial) -> Turns[None]:
    """Cancel the job."""
    if not trial.button.ended:
        yield ESC


def limit_the_childs_files(trial: Trial) -> Turns[None]:
    """Let the child write a few bytes only, as on a disk that is nearly full."""
    most, runner = trial.rng.randrange(20_000), (yield from trial.child())
    if runner is not None:
        with suppress(ProcessLookupError):
            resource.prlimit(runner.process_id, resource.RLIMIT_FSIZE, (most, most))


def fill_the_disk(trial: Trial) -> None:
    """Let nothing more reach the disk."""
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    trial.undo.enter_context(patch.object(os, "fsync", side_effect=full))


def protect_all_folders(trial: Trial) -> None:
    """Let no new file be made; patched, because no folder is read-only for an administrator."""

    def guarded(path: Any, mode: str = "r", *more: Any) -> Any:
        if "x" in mode:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return open(path, mode, *more)

    trial.undo.enter_context(patch.object(files, "open", guarded, create=True))


def deny_the_temporary_folder(trial: Trial) -> None:
    """Let no folder be made for a job's files."""
    denied = PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    trial.undo.enter_context(patch.object(tempfile, "mkdtemp", side_effect=denied))


def clean_the_temporary_folder(trial: Trial) -> Turns[None]:
    """Remove the job's files, as programs do that tidy up."""
    runner = yield from trial.child()
    if runner is not None:
        shutil.rmtree(runner._folder, ignore_errors=True)


def damage_the_job(trial: Trial) -> Turns[None]:
    """Damage the job files, or those that are about to be written."""
    damage, give = _damage(trial), JobRunner.give

    def damaged(runner: JobRunner, jobs: Sequence[Any]) -> None:
        give(runner, jobs)
        _damage_all(runner._job_paths, damage)

    trial.undo.enter_context(patch.object(JobRunner, "give", damaged))
    runner = yield from trial.child()
    if runner is not None:
        _damage_all(runner._job_paths, damage)


def damage_the_result(trial: Trial) -> None:
    """Damage the result files right before they are read."""
    damage, load = _damage(trial), JobRunner._load

    def damaged(runner: JobRunner) -> tuple[Any, ...]:
        _damage_all(runner._result_paths, damage)
        return load(runner)

    trial.undo.enter_context(patch.object(JobRunner, "_load", damaged))


def swap_the_files(trial: Trial) -> None:
    """Let the job file be read in place of the result."""
    load = JobRunner._load

    def swapped(runner: JobRunner) -> tuple[Any, ...]:
        for job, result in zip(runner._job_paths, runner._result_paths, strict=True):
            if job.exists():
                shutil.copy(job, result)
        return load(runner)

    trial.undo.enter_context(patch.object(JobRunner, "_load", swapped))


def set_the_clock(trial: Trial) -> None:
    """Let the clock jump by up to a year, as summer time, a user or a server of time sets it."""
    jump, now = trial.rng.choice((-1.0, 1.0)) * 10.0 ** trial.rng.uniform(0.0, 7.5), time.time
    trial.undo.enter_context(patch.object(time, "time", lambda: now() + jump))


def _signal(trial: Trial, which: signal.Signals) -> Turns[int | None]:
    """Send a signal to the child, and return its number; None if there is no child any more."""
    runner = yield from trial.child()
    if runner is None:
        return None
    _send(runner.process_id, which)
    return runner.process_id


def _send(number: int, which: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(number, which)


def _damage_all(paths: Sequence[Path], damage: Damage) -> None:
    for path in paths:
        if path.exists():
            damage(path)


def _damage(trial: Trial) -> Damage:
    share, byte = trial.rng.random(), trial.rng.randrange(256)
    return partial(trial.rng.choice((_truncate, _overwrite, _empty)), share, byte)


def _truncate(share: float, _byte: int, path: Path) -> None:
    os.truncate(path, int(share * path.stat().st_size))


def _overwrite(share: float, byte: int, path: Path) -> None:
    """Write a block of one byte anywhere."""
    data = path.read_bytes()
    first = int(share * len(data))
    path.write_bytes(data[:first] + bytes([byte]) * 64 + data[first + 64 :])


def _empty(_share: float, _byte: int, path: Path) -> None:
    path.write_bytes(b"")


MACHINE_FAULTS: dict[str, Fault] = {
    "child killed": kill_the_child,
    "child ended": end_the_child,
    "child stopped for a while": stop_the_child_for_a_while,
    "child stopped for 10 s": stop_the_child_for_ten_seconds,
    "child stopped for good, Esc": stop_the_child_for_good,
    "Esc": press_esc,
    "child's disk full": limit_the_childs_files,
    "disk full": fill_the_disk,
    "read-only folder": protect_all_folders,
    "temporary folder denied": deny_the_temporary_folder,
    "temporary folder cleaned": clean_the_temporary_folder,
    "job file damaged": damage_the_job,
    "result file damaged": damage_the_result,
    "files swapped": swap_the_files,
    "clock jumps": set_the_clock,
}
