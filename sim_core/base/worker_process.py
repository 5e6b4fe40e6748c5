"""The worker process's side of the protocol between Heft and its workers.

Only the standard library is imported here, because limit_threads must run before numpy loads.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import NoReturn, TextIO

from .errors import Cancelled
from .progress import Progress

WHEN_WRITTEN = "--when-written"
"""Option that makes a worker load its modules and then wait for its job files."""

_THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


def limit_threads() -> None:
    """Use one thread for linear algebra, unless the user has set another number.

    The matrices are small: more threads only wait for each other and slow Blender down.
    """
    for name in _THREAD_VARIABLES:
        os.environ.setdefault(name, "1")


def claim_stdout() -> TextIO:
    """Return the standard output, and redirect prints and native code to standard error."""
    own = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return own


def end_with_parent() -> None:
    """End this process when standard input closes, as it does in whatever manner the parent ends."""
    threading.Thread(target=_wait_for_end_of_input, name="parent watch", daemon=True).start()


def _wait_for_end_of_input() -> None:
    try:
        while os.read(0, 4096):
            pass
    except OSError:
        pass  # a missing standard input counts as a closed one
    exit_at_once()


def exit_at_once() -> NoReturn:
    """End the process without clean-up, because its parent is gone."""
    os._exit(Cancelled.exit_code)


def keep_mujoco_from_logging_to_file() -> None:
    """Print MuJoCo's warnings, which would otherwise go to MUJOCO_LOG.TXT in the working folder."""
    import mujoco  # imported here, because it loads numpy

    mujoco.set_mju_user_warning(_print_mujoco_warning)


def _print_mujoco_warning(text: str) -> None:
    print(f"MuJoCo: {text}", file=sys.stderr)


class EventWriter:
    """Writes the events of the worker's protocol as lines of JSON (sim_core/worker.py)."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def send(self, kind: str, **values: object) -> None:
        """Write one event; if the parent is gone, the process ends."""
        try:
            self._stream.write(json.dumps({"type": kind, **values}) + "\n")
            self._stream.flush()
        except OSError:
            exit_at_once()

    def progress(self, progress: Progress) -> None:
        """Write a progress event."""
        preview = {} if progress.preview is None else {"preview": asdict(progress.preview)}
        self.send("progress", stage=progress.stage, fraction=float(progress.fraction), **preview)


JobFunction = Callable[[Sequence[Path], Sequence[Path], EventWriter], None]
"""Turns job files into result files, one result for each job."""
