"""Runs jobs in a child process, so that a crash or a cancel never touches Blender."""

from __future__ import annotations

import json
import os
import queue
import shutil
import signal
import subprocess
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import bpy

from ..sim_core.errors import HeftError, InputError, SimulationError
from ..sim_core.job import save_job
from ..sim_core.progress import Progress
from ..sim_core.result import load_result
from .child_process import child_environment, worker_command

GRACE_S = 0.3
"""How long a child may take to end by itself."""


@dataclass(frozen=True)
class Message:
    """Something the user should know."""

    text: str


@dataclass(frozen=True, eq=False)
class Done:
    """The last event of a job that worked: a result for each, of its kind."""

    results: tuple[Any, ...]


@dataclass(frozen=True)
class Failed:
    """The last event of a job that did not."""

    error: HeftError


Event = Progress | Message | Done | Failed


@dataclass(frozen=True)
class JobKind:
    """What the child does, and how its files are written and read.

    work: what it is called, and what the user does again: "simulation", "simulate"
    """

    module: str
    work: str
    verb: str
    save: Callable[[Any, Path], None]
    load: Callable[[Path], Any]


BAKE = JobKind("sim_core.worker", "simulation", "simulate", save_job, load_result)


class JobRunner:
    """One child process; ask `poll` for news until it gives a Done or a Failed."""

    def __init__(
        self,
        jobs: Sequence[Any],
        command: Sequence[str] | None = None,
        temp_folder: str | None = None,
        kind: JobKind = BAKE,
    ) -> None:
        """Start the child; `command` replaces the worker, with two file names for each job added to it."""
        self._kind = kind
        self._folder = _private_folder(temp_folder or bpy.app.tempdir)
        job_paths, self._result_paths = (
            [self._folder / f"{kind}{number}.npz" for number in range(len(jobs))]
            for kind in ("job", "result")
        )
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._errors: deque[str] = deque(maxlen=20)
        self._outcome: dict[str, Any] | None = None
        self._ended = False
        try:
            for job, path in zip(jobs, job_paths, strict=True):
                kind.save(job, path)
            pairs = zip(job_paths, self._result_paths, strict=True)
            files = [str(path) for pair in pairs for path in pair]
            self._child = _start([*(command or worker_command(kind.module)), *files], self._folder)
        except BaseException:
            self._remove_folder()
            raise
        threading.Thread(target=self._read_output, daemon=True).start()

    @property
    def process_id(self) -> int:
        return self._child.pid

    def poll(self) -> list[Event]:
        """What happened since the last call; never waits for the simulation."""
        events: list[Event] = []
        while not self._ended:
            try:
                line = self._lines.get_nowait()
            except queue.Empty:
                break
            if line is None:
                events.append(self._last_event())
                self.cancel()
            else:
                events.extend(self._event(line))
        return events

    def cancel(self) -> None:
        """Stop the child and remove its files; also after the end, and more than once."""
        self._ended = True
        if self._child.poll() is None:
            self._child.terminate()
            try:
                self._child.wait(GRACE_S)
            except subprocess.TimeoutExpired:
                self._child.kill()
                self._child.wait()
        if self._child.stdin is not None:
            self._child.stdin.close()
        self._remove_folder()

    def _remove_folder(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    def _read_output(self) -> None:
        """In a thread: output into the queue, then None at the end."""
        errors = threading.Thread(target=_drain, args=(self._child.stderr, self._errors.append), daemon=True)
        errors.start()
        _drain(self._child.stdout, self._lines.put)
        self._child.wait()
        errors.join(GRACE_S)
        self._lines.put(None)

    def _event(self, line: str) -> list[Event]:
        try:
            data = json.loads(line)
            kind = data["type"]
            if kind == "progress":
                return [Progress(str(data["stage"]), float(data["fraction"]))]
            if kind == "message":
                return [Message(str(data["text"]))]
        except (ValueError, KeyError, TypeError):
            return []  # not a line of the protocol: a library printed something
        self._outcome = data
        return []

    def _last_event(self) -> Event:
        outcome = self._outcome or {}
        if outcome.get("type") == "error":
            text = str(outcome.get("text"))
            is_failure = outcome.get("exit_code") != InputError.exit_code
            return Failed(SimulationError(text) if is_failure else InputError(text))
        if outcome.get("type") != "done":
            return Failed(SimulationError(self._obituary()))
        try:
            return Done(tuple(self._kind.load(path) for path in self._result_paths))
        except HeftError as problem:
            return Failed(problem)

    def _obituary(self) -> str:
        code = self._child.returncode
        ending = f"exit code {code}"
        if code < 0:
            ending = f"killed by {_signal_name(-code)}"
        last = [line.strip() for line in self._errors if line.strip()]
        said = f", last words: {last[-1][:200]}" if last else ""
        work, verb = self._kind.work, self._kind.verb
        return f"The {work}'s process died ({ending}{said}); nothing was changed, so {verb} again."


def _private_folder(parent: str) -> Path:
    try:
        return Path(tempfile.mkdtemp(prefix="heft_", dir=parent))
    except OSError as problem:
        raise InputError(
            f"The temporary folder '{parent}' cannot be written ({problem.strerror}); "
            "choose another one in Blender's preferences under File Paths."
        ) from problem


def _start(command: Sequence[str], folder: Path) -> subprocess.Popen[str]:
    try:
        return subprocess.Popen(
            command,
            cwd=folder,
            env=child_environment(os.environ),
            # Kept open: the worker ends when it closes, however Blender ends.
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    except OSError as problem:
        raise InputError(
            f"The child process cannot be started with '{command[0]}' ({problem.strerror}); reinstall Heft."
        ) from problem


def _drain(stream: IO[str] | None, use: Callable[[str], None]) -> None:
    assert stream is not None
    with stream:
        for line in stream:
            use(line)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
