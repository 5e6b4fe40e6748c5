"""The parent's side of the protocol between Heft and its worker processes (sim_core/worker.py)."""

from __future__ import annotations

import json
import queue
import signal
import subprocess
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from .errors import HeftError, InputError, SimulationError
from .progress import PreviewFrame, Progress
from .worker_process import FINISH

GRACE_S = 0.3
"""Time that a child process has to end by itself [s]."""


@dataclass(frozen=True)
class Message:
    """A sentence for the user."""

    text: str


@dataclass(frozen=True)
class Ended:
    """The last event of a process; `error` is None where there is a result."""

    error: HeftError | None


ChildEvent = Progress | Message | Ended


class ChildProcess:
    """A worker process, whose events `poll` and `wait` return, the last one being an Ended."""

    def __init__(
        self, command: Sequence[str], folder: Path, environment: Mapping[str, str], work: str, advice: str
    ) -> None:
        """Start the process.

        work: what it does, as a noun such as "simulation", for messages
        advice: what the user can do if it crashes, as the end of a sentence
        """
        self._work, self._advice = work, advice
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._errors: deque[str] = deque(maxlen=20)
        self._outcome: dict[str, Any] | None = None
        self._process = _start(command, folder, environment)
        threading.Thread(target=self._read_output, daemon=True).start()

    @property
    def process_id(self) -> int:
        """Return the operating system's number of the process."""
        return self._process.pid

    @property
    def runs(self) -> bool:
        """Whether the process has not ended."""
        return self._process.poll() is None

    def poll(self) -> ChildEvent | None:
        """Return the next event, or None if there is none, without waiting."""
        return self._next(block=False)

    def wait(self, seconds: float) -> ChildEvent | None:
        """Return the next event, or None if none comes within this time [s]."""
        return self._next(block=True, seconds=seconds)

    def finish(self) -> None:
        """Ask the process for the best result so far."""
        self.send(FINISH)

    def send(self, line: str) -> None:
        """Write a line to the process; one that has ended does not get it."""
        if self._process.stdin is not None:
            with suppress(OSError, ValueError):
                self._process.stdin.write(line)
                self._process.stdin.flush()

    def stop(self) -> None:
        """End the process; a process that has ended already is left alone."""
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(GRACE_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        if self._process.stdin is not None:
            with suppress(OSError):  # a line that the process has not got is still to be written
                self._process.stdin.close()

    def _next(self, block: bool, seconds: float | None = None) -> ChildEvent | None:
        while True:
            try:
                line = self._lines.get(block, seconds)
            except queue.Empty:
                return None
            event = Ended(self._error()) if line is None else self._event(line)
            if event is not None:
                return event

    def _read_output(self) -> None:
        """Put lines of output into the queue, and None at the end; runs in a thread."""
        errors = threading.Thread(
            target=_drain, args=(self._process.stderr, self._errors.append), daemon=True
        )
        errors.start()
        _drain(self._process.stdout, self._lines.put)
        self._process.wait()
        errors.join(GRACE_S)
        self._lines.put(None)

    def _event(self, line: str) -> ChildEvent | None:
        try:
            data = json.loads(line)
            kind = data["type"]
            if kind == "progress":
                stage, fraction = str(data["stage"]), float(data["fraction"])
                return Progress(
                    stage, fraction, _preview(data.get("preview")), bool(data.get("can_finish", False))
                )
            if kind == "message":
                return Message(str(data["text"]))
        except (ValueError, KeyError, TypeError):
            return None  # not an event: a library has printed something
        self._outcome = data
        return None

    def _error(self) -> HeftError | None:
        outcome = self._outcome or {}
        if outcome.get("type") == "error":
            text = str(outcome.get("text"))
            is_failure = outcome.get("exit_code") != InputError.exit_code
            return SimulationError(text) if is_failure else InputError(text)
        return None if outcome.get("type") == "done" else SimulationError(self._crash_message())

    def _crash_message(self) -> str:
        code = self._process.returncode
        ending = f"exit code {code}"
        if code < 0:
            ending = f"killed by {_signal_name(-code)}"
        lines = [line.strip() for line in self._errors if line.strip()]
        output = f", last output: {lines[-1][:200]}" if lines else ""
        return f"The process of the {self._work} died ({ending}{output}); {self._advice}."


def _start(command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> subprocess.Popen[str]:
    try:
        return subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            # Kept open: the worker ends when it closes, in whatever manner its parent ends.
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            # Ctrl-C in a terminal reaches the parent only, which then stops its children.
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    except OSError as problem:
        raise InputError(
            f"The child process cannot be started with '{command[0]}' ({problem.strerror}); reinstall Heft."
        ) from problem


def _preview(data: dict[str, Any] | None) -> PreviewFrame | None:
    if data is None:
        return None
    figures = (tuple(tuple(map(float, stick)) for stick in figure) for figure in data["figures"])
    return PreviewFrame(float(data["time"]), tuple(figures))


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
