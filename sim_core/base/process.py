"""How a process of the core behaves towards the one that started it.

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
"""Tells a worker to get ready and to wait for its job files."""

_THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


def limit_threads() -> None:
    """One thread for linear algebra, unless the user asked for another number.

    The matrices are small: more threads only wait for each other and slow Blender down.
    """
    for name in _THREAD_VARIABLES:
        os.environ.setdefault(name, "1")


def claim_stdout() -> TextIO:
    """The real standard output; from now on prints and native code write to standard error."""
    own = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return own


def end_with_parent() -> None:
    """End this process when standard input closes, which it does however the parent ends."""
    threading.Thread(target=_wait_for_end_of_input, name="parent watch", daemon=True).start()


def _wait_for_end_of_input() -> None:
    try:
        while os.read(0, 4096):
            pass
    except OSError:
        pass  # no standard input at all is the same as a closed one
    leave_at_once()


def leave_at_once() -> NoReturn:
    """Nobody is listening any more: stop in the middle of whatever runs."""
    os._exit(Cancelled.exit_code)


def keep_mujoco_from_logging_to_file() -> None:
    """Print MuJoCo's warnings; left alone it appends them to MUJOCO_LOG.TXT in the working folder."""
    import mujoco  # here, because it loads numpy

    mujoco.set_mju_user_warning(_print_mujoco_warning)


def _print_mujoco_warning(text: str) -> None:
    print(f"MuJoCo: {text}", file=sys.stderr)


class Lines:
    """Writes the lines of the worker's protocol, each at once (sim_core/worker.py)."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def send(self, kind: str, **values: object) -> None:
        """Write one line; a parent that is gone ends the process."""
        try:
            self._stream.write(json.dumps({"type": kind, **values}) + "\n")
            self._stream.flush()
        except OSError:
            leave_at_once()

    def progress(self, progress: Progress) -> None:
        """Write how far the work is."""
        seen = {} if progress.preview is None else {"preview": asdict(progress.preview)}
        self.send("progress", stage=progress.stage, fraction=float(progress.fraction), **seen)


Task = Callable[[Sequence[Path], Sequence[Path], Lines], None]
"""Turns job files into result files, one for each."""
