"""Reads a foreign binary file in a child process with limits, because libraries for such files can crash.

A crash in Blender's own process would take the user's unsaved work with it.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from .child_process import ChildProcess, Ended
from .errors import InputError, SimulationError
from .worker_command import child_environment, worker_command

T = TypeVar("T")
PATIENCE_S, BYTES_A_SECOND = 60.0, 1e6
"""Wall time that a child may take on a busy machine: for its start [s], and for the file's size."""
LOOK_S = 0.05


def read_in_child(path: Path, kind: str, packages: Sequence[str], load: Callable[[Path], T]) -> T:
    """Return what the worker's jobs of a kind make of a file; whatever happens there is an InputError here.

    load: reads the file that the worker writes
    """
    with tempfile.TemporaryDirectory(prefix="heft_") as folder:
        result = Path(folder) / "read.npz"
        command = [*worker_command(kind, packages), str(path.resolve()), str(result)]
        try:
            _run(command, Path(folder), PATIENCE_S + os.path.getsize(path) / BYTES_A_SECOND)
        except SimulationError as problem:
            raise InputError(
                f"'{path.name}' is damaged: the program that reads it was stopped by it ({problem}). "
                "Export it again."
            ) from problem
        return load(result)


def _run(command: Sequence[str], folder: Path, patience_s: float) -> None:
    child = ChildProcess(command, folder, child_environment(os.environ), "reading", "nothing was changed")
    end = time.monotonic() + patience_s
    try:
        while not isinstance(event := child.wait(LOOK_S), Ended):
            if time.monotonic() > end:
                raise SimulationError(f"it took longer than {patience_s:.0f} s")
    finally:
        child.stop()
    if event.error is not None:
        raise event.error
