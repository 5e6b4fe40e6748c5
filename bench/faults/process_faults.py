"""Faults of whole processes: a Blender that is killed or stopped at its work, and batches on a command line.

Processes that end are others than this one, with the same work: what they leave is looked at from outside.
"""

from __future__ import annotations

import hashlib
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache, partial
from pathlib import Path

from heft.sim_core.base.errors import HeftError
from heft.sim_core.base.files import PART_SUFFIX
from heft.sim_core.result.result import load_result

from tests.core.sample_files import standing_bvh
from tools.load_extension import ROOT

from .trial import PHASES, Fault, Trial

STOP_S = 10.0
"""How long a process is stopped [s]."""
GONE_S = 5.0
"""A child that lives longer than this after its parent is an orphan [s]."""
LONGEST_S = 180.0
"""A process that takes longer has hung [s]."""
BATCH = {
    "format": "heft-batch",
    "schema": 1,
    "options": {"quality": "draft", "seconds": [0.0, 0.3], "no-find-assist": True, "noise": 0.05},
    "axes": {"motion": ["standing.bvh"], "seed": [0, 1]},
}


def stop_blender(trial: Trial) -> None:
    """Stop this process as a machine that sleeps does, and let another one wake it."""
    wakes = f"sleep {STOP_S}; kill -CONT {os.getpid()}"
    waker = subprocess.Popen(["sh", "-c", wakes])
    os.kill(os.getpid(), signal.SIGSTOP)
    waker.wait()


def kill_another_blender(trial: Trial) -> None:
    """Let another Blender do the same work with unsaved edits, and kill it at a moment of it."""
    saved, temporary = trial.folder / "saved.blend", trial.folder / "temporary"
    shutil.copy(trial.scene, saved)
    temporary.mkdir()
    before = hashlib.sha256(saved.read_bytes()).digest()
    moment = [trial.rng.choice(PHASES), str(trial.rng.random())]
    command = [sys.executable, "-m", "bench.faults.other_blender", trial.scene.stem, str(saved), *moment]
    environment = os.environ | {"TMPDIR": str(temporary)}
    ended = subprocess.run(
        command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=LONGEST_S
    )
    if ended.returncode != -signal.SIGKILL:
        last = ended.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        trial.defects.append(f"the other Blender ended with {ended.returncode}: {last[:200]}")
    if hashlib.sha256(saved.read_bytes()).digest() != before:
        trial.defects.append("the keys of 'saved.blend' are changed")
    trial.defects += [f"left: {path.name} of the other Blender" for path in temporary.glob("heft_*")]
    child = int(ended.stdout.split()[-1]) if ended.stdout.split() else 0
    if child and not gone(child):
        trial.defects.append(f"orphan: process {child} of the other Blender")
    shutil.rmtree(temporary)


def gone(number: int) -> bool:
    """Return whether a process ends in time."""
    end = time.monotonic() + GONE_S
    while Path(f"/proc/{number}").exists() and time.monotonic() < end:
        time.sleep(0.05)
    return not Path(f"/proc/{number}").exists()


def disturb_a_batch(disturb: Callable[[subprocess.Popen[bytes]], None], trial: Trial) -> None:
    """Disturb a batch at a random moment and run it again: its results are those of an undisturbed one."""
    with tempfile.TemporaryDirectory(prefix="batch_") as name:
        folder = Path(name)
        first = _start_batch(folder)
        time.sleep(trial.rng.uniform(0.5, 1.0) * 0.8 * _undisturbed()[1])
        if first.poll() is None:
            disturb(first)
        _wait(first)
        again = _start_batch(folder)
        if _wait(again) != 0:
            trial.defects.append(f"the batch that was run again ended with {again.returncode}")
        trial.defects += _differences(folder)
        sessions = [number for process in (first, again) if not gone(number := process.pid)]
        trial.defects += [f"orphan: process {number} of a batch" for number in sessions]


def _start_batch(folder: Path) -> subprocess.Popen[bytes]:
    (folder / "standing.bvh").write_text(standing_bvh())
    (folder / "list.json").write_text(json.dumps(BATCH))
    words = ["batch", str(folder / "list.json"), "--out", str(folder / "out"), "--jobs", "1"]
    nothing = subprocess.DEVNULL
    return subprocess.Popen(
        [sys.executable, "-m", "sim_core", *words], cwd=ROOT, stdin=nothing, stdout=nothing, stderr=nothing
    )


def _wait(process: subprocess.Popen[bytes]) -> int:
    try:
        return process.wait(LONGEST_S)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


@cache
def _undisturbed() -> tuple[dict[str, bytes], float]:
    """Return the motions of a batch that nothing happens to, and how long it takes [s]."""
    with tempfile.TemporaryDirectory(prefix="batch_") as folder:
        began = time.monotonic()
        _wait(_start_batch(Path(folder)))
        return _motions(Path(folder)), time.monotonic() - began


def _motions(folder: Path) -> dict[str, bytes]:
    """Return the simulated joints of every result that can be read."""
    found = {}
    for path in sorted((folder / "out" / "results").glob("*.npz")):
        with suppress(HeftError):
            found[path.name] = load_result(path).joint_position.tobytes()
    return found


def _differences(folder: Path) -> Iterator[str]:
    wanted, found = _undisturbed()[0], _motions(folder)
    yield from (
        f"the result '{name}' is missing or another one" for name in wanted if wanted[name] != found.get(name)
    )
    yield from (f"left: {path.name}" for path in (folder / "out").rglob(f".*{PART_SUFFIX}"))


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGSTOP)
    time.sleep(STOP_S)
    process.send_signal(signal.SIGCONT)


def _fill_its_disk(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (1000, 1000))


PROCESS_FAULTS: dict[str, Fault] = {
    "Blender stopped for 10 s": stop_blender,
    "Blender killed": kill_another_blender,
    "batch killed": partial(disturb_a_batch, lambda process: process.kill()),
    "batch ended": partial(disturb_a_batch, lambda process: process.terminate()),
    "batch stopped for 10 s": partial(disturb_a_batch, _stop),
    "batch's disk full": partial(disturb_a_batch, _fill_its_disk),
}
