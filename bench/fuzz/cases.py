"""Cases: mutated files that are read in processes with limits, and a verdict on what happened to each."""

from __future__ import annotations

import faulthandler
import json
import math
import os
import re
import resource
import select
import shutil
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import BinaryIO

from sim_core.base.errors import HeftError

from .chains import start_of
from .mutations import mutated

LIMIT_S = 5.0
"""Processor time of one case [s]."""
WALL_S = 600.0
"""Time of one case [s]; much more than its processor time, for which it may wait on a busy machine."""
MEMORY = 2 * 2**30
"""Memory of a process, besides what is loaded before it [bytes]."""
IN_ONE_PROCESS = 25
"""Cases that a process reads one after the other; one that dies is followed by a new one."""
PLAUSIBLE_M = (0.4, 4.0)
READ, REFUSED, CRASH, HANG, VAGUE, ODD = "read", "refused", "crash", "hang", "vague", "odd"
FAULTS = (CRASH, HANG, VAGUE, ODD)
ADVICE = re.compile(
    r"\b(add|ask|bake|capture|check|choose|clean|connect|convert|copy|correct|cut|delete|draw|enter|export|"
    r"fit|fix|give|import|install|keep|let|look|lower|make|move|must|name|needs|open|pick|put|raise|read|recognise|record|"
    r"remove|rename|repair|replace|save|say|select|set|shorten|should|split|state|take|there (is|are)|try|"
    r"sort|swap|use|widen|write)\b",
    re.IGNORECASE,
)
"""Words with which a refusal says what to do, or what would be right."""

Reader = Callable[[Path], float | None]


@dataclass(frozen=True)
class Case:
    """The outcome of one case.

    verdict: READ or REFUSED, or one of FAULTS; said: the refusal, or what went wrong
    seconds: processor time [s]; memory: largest of its process, with what is loaded before it [bytes]
    """

    seed: str
    verdict: str
    said: str
    seconds: float
    memory: int


def run_cases(name: str, reader: Reader, original: Path, seeds: Sequence[str]) -> Iterator[Case]:
    """Mutate a file by each seed and read what comes out, in child processes; name: of the reader."""
    left = list(seeds)
    while left:
        with tempfile.TemporaryDirectory(prefix="heft_fuzz_") as folder:
            shutil.copytree(original.parent, folder, dirs_exist_ok=True)
            done = _in_child(name, reader, original, left[:IN_ONE_PROCESS], Path(folder))
        yield from done
        left = left[len(done) :]


def write_case(name: str, original: Path, seed: str, folder: Path) -> Path:
    """Write the mutated file of a seed into a folder."""
    path, rng = folder / original.name, Random(seed)
    start = start_of(name, original, rng)
    path.write_bytes(mutated(start, original.suffix, rng))
    return path


def _in_child(name: str, reader: Reader, original: Path, seeds: Sequence[str], folder: Path) -> list[Case]:
    """Return the cases of a process in order, at least one; it ends early where one kills it."""
    sys.stdout.flush()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            _be_limited()
            for seed in seeds:
                _tell(writing, _case(reader, write_case(name, original, seed, folder), seed))
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as told:
        done = list(_told(told, child, len(seeds)))
    _, status, usage = os.wait4(child, 0)
    if len(done) < len(seeds):
        seconds, memory = usage.ru_utime + usage.ru_stime, 1024 * usage.ru_maxrss
        seconds -= sum(case.seconds for case in done)
        done.append(Case(seeds[len(done)], *_of_the_dead(status), seconds, memory))
    return done


def _told(stream: BinaryIO, child: int, count: int) -> Iterator[Case]:
    """Yield what a child tells of its cases; it is ended where one takes longer than WALL_S."""
    ready = select.poll()
    ready.register(stream, select.POLLIN | select.POLLHUP)
    for _ in range(count):
        if not ready.poll(1000.0 * WALL_S):
            os.kill(child, signal.SIGKILL)
            return
        line = stream.readline()
        if not line.endswith(b"\n"):
            return
        yield Case(**json.loads(line))


def _tell(writing: int, case: Case) -> None:
    line = json.dumps(asdict(case)).encode() + b"\n"
    while line:
        line = line[os.write(writing, line) :]


def _of_the_dead(status: int) -> tuple[str, str]:
    """Return verdict and words for the case at which a process ended."""
    if not os.WIFSIGNALED(status):
        return CRASH, "the child could not report"
    number = os.WTERMSIG(status)
    slow = number in (signal.SIGXCPU, signal.SIGKILL)
    return HANG if slow else CRASH, signal.Signals(number).name


def _be_limited() -> None:
    faulthandler.disable()
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    loaded = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    resource.setrlimit(resource.RLIMIT_AS, (loaded + MEMORY, loaded + MEMORY))


def read_in_limits(reader: Reader, path: Path) -> Case:
    """Read one file in this process, which is limited from then on."""
    _be_limited()
    return _case(reader, path, "")


def _case(reader: Reader, path: Path, seed: str) -> Case:
    """Read one file; a process that takes too long for it is ended by the system."""
    before = _used()[0]
    own = resource.getrusage(resource.RUSAGE_SELF)
    latest = math.ceil(own.ru_utime + own.ru_stime + LIMIT_S) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (latest, resource.RLIM_INFINITY))
    verdict, said = verdict_of(reader, path)
    now, memory = _used()
    if verdict not in FAULTS and now - before > LIMIT_S:
        verdict, said = HANG, f"{now - before:.1f} s"
    return Case(seed, verdict, said, now - before, memory)


def _used() -> tuple[float, int]:
    """Return processor time [s] and largest memory [bytes] of this process and of those it waited for."""
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in both), 1024 * max(one.ru_maxrss for one in both)


def verdict_of(reader: Reader, path: Path) -> tuple[str, str]:
    """Return a verdict on how a reader takes a file, and what it said."""
    try:
        height = reader(path)
    except HeftError as problem:
        return judged_refusal(str(problem), path)
    except BaseException as problem:
        return CRASH, _place_and_words(problem)
    if height is not None and not PLAUSIBLE_M[0] <= height <= PLAUSIBLE_M[1]:
        return ODD, f"a body of {height:.3g} m was read without a word"
    return READ, ""


def _place_and_words(problem: BaseException) -> str:
    frames = traceback.extract_tb(problem.__traceback__)
    own = [frame for frame in frames if "sim_core" in frame.filename]
    place = (own or frames)[-1]
    words = f"{Path(place.filename).name}:{place.lineno} {type(problem).__name__}: {problem}"[:300]
    return words.replace("\n", " ").encode("utf-8", "replace").decode()


def judged_refusal(sentence: str, path: Path) -> tuple[str, str]:
    """Return REFUSED for one line that names the file, what was found and what to do, else VAGUE."""
    one_line = sentence.endswith(".") and "\n" not in sentence and len(sentence) < 1000
    rest = sentence.replace(str(path), "").replace(path.name, "")
    good = one_line and path.name in sentence and len(rest.split()) >= 6 and ADVICE.search(rest) is not None
    return REFUSED if good else VAGUE, sentence[:300].encode("utf-8", "replace").decode()
