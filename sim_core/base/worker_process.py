"""The worker process's side of the protocol between Heft and its workers.

Only the standard library is imported here, because limit_threads must run before numpy loads.
"""

from __future__ import annotations

import gc
import json
import math
import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import NoReturn, TextIO

from .errors import Cancelled
from .progress import Progress

WHEN_WRITTEN = "--when-written"
"""Option that makes a worker load its modules and then wait to be told that its job files are there."""
WRITTEN = "written\n"
"""Line on a worker's standard input that tells it so."""
_written = threading.Event()

FINISH = "finish\n"
"""Line on a worker's standard input that asks it to end with the best result so far."""
_finish = threading.Event()
_lines: deque[str] = deque(maxlen=4096)
LONGEST_LINE = 1 << 16
"""Bytes of the longest line on standard input; what is longer is no line for a worker."""

_THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


def limit_threads() -> None:
    """Use one thread for linear algebra, unless the user has set another number.

    The matrices are small: more threads only wait for each other and slow Blender down.
    """
    for name in _THREAD_VARIABLES:
        os.environ.setdefault(name, "1")


@contextmanager
def importing_for_good() -> Iterator[None]:
    """Exempt what is imported meanwhile from the search for garbage, then and when the process ends.

    Modules stay until the end anyway, and going through all they consist of takes as long as loading MuJoCo.
    Only for a process of one's own: garbage that is there already is kept, too.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def limit_resources(cpu_s: float, memory_bytes: int) -> None:
    """End this process when it takes more processor time, and let it have no more memory.

    Windows has no such limits; there the parent's limit of time stands alone.
    """
    try:
        import resource
    except ImportError:
        return
    for what, most in ((resource.RLIMIT_CPU, math.ceil(cpu_s)), (resource.RLIMIT_AS, memory_bytes)):
        _, hard = resource.getrlimit(what)
        own = most if hard == resource.RLIM_INFINITY else min(most, hard)
        with suppress(ValueError, OSError):  # macOS refuses limits of memory
            resource.setrlimit(what, (own, hard))


def claim_stdout() -> TextIO:
    """Return the standard output, and redirect prints and native code to standard error."""
    own = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return own


def end_with_parent() -> None:
    """End this process when standard input closes, as it does in whatever manner the parent ends.

    A line that comes before is the wish to finish early, the news that the job files are there, or one that
    `received_lines` returns.
    """
    threading.Thread(target=_wait_for_end_of_input, name="parent watch", daemon=True).start()


def finish_is_wanted() -> bool:
    """Return whether the parent has asked for the best result so far."""
    return _finish.is_set()


def wait_for_jobs() -> None:
    """Wait, without taking processor time, until the parent has written the job files."""
    _written.wait()
    _written.clear()


def received_lines() -> list[str]:
    """Return the lines that the parent has sent since the last call, without that which asks to finish."""
    return [_lines.popleft() for _ in range(len(_lines))]


def _wait_for_end_of_input() -> None:
    begun = b""
    try:
        while received := os.read(0, 1 << 14):
            *lines, begun = (begun + received).split(b"\n")
            begun = b"" if len(begun) > LONGEST_LINE else begun
            for line in lines:
                _receive(line)
    except OSError:
        pass  # a missing standard input counts as a closed one
    exit_at_once()


def _receive(line: bytes) -> None:
    told = {FINISH.strip().encode("utf-8"): _finish, WRITTEN.strip().encode("utf-8"): _written}
    if line in told:
        told[line].set()
    elif len(line) <= LONGEST_LINE:
        _lines.append(line.decode("utf-8", "replace"))


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
        rare: dict[str, object] = {} if progress.preview is None else {"preview": asdict(progress.preview)}
        if progress.can_finish:
            rare["can_finish"] = True
        self.send("progress", stage=progress.stage, fraction=float(progress.fraction), **rare)


JobFunction = Callable[[Sequence[Path], Sequence[Path], EventWriter], None]
"""Turns job files into result files, one result for each job."""
