"""Runs jobs in a child process, so that neither a crash nor a cancel affects Blender."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy

from ...sim_core.base.child_process import ChildProcess, Ended, Message
from ...sim_core.base.errors import HeftError, InputError
from ...sim_core.base.files import owner_mark, sweep_folders
from ...sim_core.base.progress import Progress
from ...sim_core.base.worker_command import child_environment, worker_command
from ...sim_core.base.worker_process import WHEN_WRITTEN, WRITTEN
from ...sim_core.result.result import load_result
from ...sim_core.scenario.job import save_job
from ..blender.steps import in_thread


@dataclass(frozen=True, eq=False)
class Done:
    """The last event of a job that succeeded: one result for each job."""

    results: tuple[Any, ...]


@dataclass(frozen=True)
class Failed:
    """The last event of a job that failed."""

    error: HeftError


Event = Progress | Message | Done | Failed
PREFIX = "heft_"


@dataclass(frozen=True)
class JobKind:
    """What the child does, and how its files are written and read.

    kind: name of the worker's kind of job
    work, verb: name of the work and of the user's command, such as "simulation" and "simulate"
    starts_early: the child starts while the scene is still read, or before
    """

    kind: str
    work: str
    verb: str
    save: Callable[[Any, Path], None]
    load: Callable[[Path], Any]
    starts_early: bool = False


BAKE = JobKind("bake", "simulation", "simulate", save_job, load_result, starts_early=True)


class JobRunner:
    """One child process; call `poll` until it returns a Done or a Failed."""

    def __init__(
        self,
        jobs: Sequence[Any],
        command: Sequence[str] | None = None,
        temp_folder: str | None = None,
        kind: JobKind = BAKE,
    ) -> None:
        """Start the child; `command` replaces the worker; two file names for each job are appended."""
        self._prepare(len(jobs), temp_folder, kind)
        try:
            self._write(jobs)
            self._start(command or worker_command(kind.kind))
        except BaseException:
            self._remove_folder()
            raise

    @classmethod
    def early(cls, count: int, kind: JobKind) -> JobRunner:
        """Start the child before its jobs are known; pass them with `give`."""
        runner = cls.__new__(cls)
        runner._prepare(count, None, kind)
        try:
            runner._start([*worker_command(kind.kind), WHEN_WRITTEN])
        except BaseException:
            runner._remove_folder()
            raise
        return runner

    def give(self, jobs: Sequence[Any]) -> None:
        """Write the job files for a child that started early, and tell it."""
        self._write(jobs)
        self._child.send(WRITTEN)

    @property
    def is_waiting(self) -> bool:
        """Whether a child that started early is there for its jobs, with the folder for them."""
        return self._child.runs and self._folder.exists()

    def _write(self, jobs: Sequence[Any]) -> None:
        for job, path in zip(jobs, self._job_paths, strict=True):
            self._kind.save(job, path)

    def _prepare(self, count: int, temp_folder: str | None, kind: JobKind) -> None:
        self._kind = kind
        self._folder = _private_folder(temp_folder or bpy.app.tempdir)
        self._job_paths, self._result_paths = (
            [self._folder / f"{name}{number}.npz" for number in range(count)] for name in ("job", "result")
        )
        self._ended = False
        self._loading: Generator[float, None, Event] | None = None

    def _start(self, command: Sequence[str]) -> None:
        pairs = zip(self._job_paths, self._result_paths, strict=True)
        files = [str(path) for pair in pairs for path in pair]
        self._child = ChildProcess(
            [*command, *files],
            self._folder,
            child_environment(os.environ),
            self._kind.work,
            f"nothing was changed, so {self._kind.verb} again",
        )

    @property
    def process_id(self) -> int:
        """The child's process id."""
        return self._child.process_id

    def poll(self) -> list[Event]:
        """Return the events since the last call, without waiting."""
        events: list[Event] = []
        while not self._ended and self._loading is None and (event := self._child.poll()) is not None:
            if isinstance(event, Ended):
                self._loading = self._last_event(event)
            else:
                events.append(event)
        if self._loading is not None and not self._ended:
            try:
                next(self._loading)
            except StopIteration as last:
                events.append(last.value)
                self.cancel()
        return events

    @property
    def result_path(self) -> Path:
        """The file of the first result."""
        return self._result_paths[0]

    def send(self, line: str) -> None:
        """Send a line to the child."""
        self._child.send(line + "\n")

    def finish(self) -> None:
        """Ask for the best result so far."""
        self._child.finish()

    def cancel(self) -> None:
        """Stop the child and remove its files; may be called at any time and more than once."""
        self._ended = True
        if self._loading is not None:
            self._loading.close()
        self._child.stop()
        self._remove_folder()

    def _remove_folder(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    def _last_event(self, ended: Ended) -> Generator[float, None, Event]:
        """Read the results in a thread, because they may be large."""
        if ended.error is not None:
            return Failed(self._explained(ended.error))
        try:
            return Done((yield from in_thread(self._load)))
        except HeftError as problem:
            return Failed(self._explained(problem))

    def _explained(self, problem: HeftError) -> HeftError:
        """Return an error, or its cause: files that the user has never named cannot be looked for."""
        if self._folder.exists():
            return problem
        return InputError(
            f"The temporary files of the {self._kind.work} were removed by another program; nothing was "
            f"changed, so {self._kind.verb} again."
        )

    def _load(self) -> tuple[Any, ...]:
        return tuple(self._kind.load(path) for path in self._result_paths)


def _private_folder(parent: str) -> Path:
    """Make a folder for a job's files, and remove those that a Blender which was killed could not remove."""
    sweep_folders(Path(parent).parent, f"*/{PREFIX}*", PREFIX)
    try:
        return Path(tempfile.mkdtemp(prefix=PREFIX + owner_mark(), dir=parent))
    except OSError as problem:
        raise InputError(
            f"The temporary folder '{parent}' cannot be written ({problem.strerror}); "
            "choose another one in Blender's preferences under File Paths."
        ) from problem
