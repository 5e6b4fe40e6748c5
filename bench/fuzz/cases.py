"""One case: a mutated file, read in a process of its own with limits, and a verdict on what happened."""

from __future__ import annotations

import faulthandler
import os
import resource
import select
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

from sim_core.base.errors import HeftError

from .mutations import mutated

LIMIT_S = 5.0
"""Processor time of one case [s]."""
WALL_S = 120.0
"""Time of one case on a busy machine [s]."""
MEMORY = 2 * 2**30
"""Memory of one case, besides what is loaded before it [bytes]."""
PLAUSIBLE_M = (0.4, 4.0)
READ, REFUSED, CRASH, HANG, VAGUE, ODD = "read", "refused", "crash", "hang", "vague", "odd"
FAULTS = (CRASH, HANG, VAGUE, ODD)

Reader = Callable[[Path], float | None]


@dataclass(frozen=True)
class Case:
    """The outcome of one case.

    verdict: READ or REFUSED, or one of FAULTS; said: the refusal, or what went wrong
    seconds: processor time [s]; memory: largest, with what is loaded before it [bytes]
    """

    reader: str
    seed: str
    verdict: str
    said: str
    seconds: float
    memory: int


def run_case(name: str, reader: Reader, original: Path, seed: str) -> Case:
    """Mutate a file and read it in a child process."""
    with tempfile.TemporaryDirectory(prefix="heft_fuzz_") as folder:
        path = write_case(original, seed, Path(folder))
        verdict, said, seconds, memory = _in_child(reader, path, Path(folder) / "said")
    return Case(name, seed, verdict, said, seconds, memory)


def write_case(original: Path, seed: str, folder: Path) -> Path:
    """Write the mutated file of a seed into a folder."""
    path = folder / original.name
    path.write_bytes(mutated(original.read_bytes(), original.suffix, Random(seed)))
    return path


def _in_child(reader: Reader, path: Path, said: Path) -> tuple[str, str, float, int]:
    """Return verdict, what was said, processor time [s] and memory [bytes]."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        verdict, text = CRASH, "the child could not report"
        try:
            _limit()
            verdict, text = _verdict(reader, path)
        finally:
            said.write_bytes(f"{verdict}\n{text}".encode("utf-8", "replace"))
            os._exit(0)
    status, usage = _wait(child)
    seconds, memory = usage.ru_utime + usage.ru_stime, 1024 * usage.ru_maxrss
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        slow = number in (signal.SIGXCPU, signal.SIGKILL)
        return HANG if slow else CRASH, signal.Signals(number).name, seconds, memory
    verdict, _, text = said.read_text("utf-8").partition("\n")
    if verdict not in FAULTS and seconds > LIMIT_S:
        return HANG, f"{seconds:.1f} s", seconds, memory
    return verdict, text, seconds, memory


def _wait(child: int) -> tuple[int, resource.struct_rusage]:
    """Return status and resources of a child, which is ended after WALL_S."""
    ends = select.poll()
    handle = os.pidfd_open(child)
    ends.register(handle, select.POLLIN)
    if not ends.poll(1000.0 * WALL_S):
        os.kill(child, signal.SIGKILL)
    os.close(handle)
    _, status, usage = os.wait4(child, 0)
    return status, usage


def _limit() -> None:
    faulthandler.disable()
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    loaded = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    resource.setrlimit(resource.RLIMIT_AS, (loaded + MEMORY, loaded + MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (int(LIMIT_S) + 1, int(LIMIT_S) + 2))


def _verdict(reader: Reader, path: Path) -> tuple[str, str]:
    try:
        height = reader(path)
    except HeftError as problem:
        return _judged_refusal(str(problem), path)
    except BaseException as problem:
        frame = traceback.extract_tb(problem.__traceback__)[-1]
        own = [f for f in traceback.extract_tb(problem.__traceback__) if "sim_core" in f.filename]
        place = own[-1] if own else frame
        text = f"{type(problem).__name__}: {problem}"[:300]
        return CRASH, f"{Path(place.filename).name}:{place.lineno} {text}".replace("\n", " ")
    if height is not None and not PLAUSIBLE_M[0] <= height <= PLAUSIBLE_M[1]:
        return ODD, f"a body of {height:.3g} m was read without a word"
    return READ, ""


def _judged_refusal(sentence: str, path: Path) -> tuple[str, str]:
    """Return REFUSED for one sentence that names the file, else VAGUE."""
    good = path.name in sentence and sentence.endswith(".") and "\n" not in sentence and len(sentence) < 1000
    return REFUSED if good else VAGUE, sentence[:300]
