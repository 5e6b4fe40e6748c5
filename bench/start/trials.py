"""Processes that are timed from their start to their end, in turns."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from ..common.clips import ROOT, clip_of
from ..common.options import CACHE
from ..common.processes import processor_of_children
from ..common.tables import Row

CLIP, SECONDS = "35_01", 2.6
ROUNDS = 7
NUMPY, MUJOCO, IMPORTS, COMMAND = "import numpy", "import mujoco", "imports of heft bake", "heft bake"
REGISTER, REGISTER_OWN = "registration", "registration after the libraries are loaded"
LIBRARIES = "numpy, mujoco, daqp, scipy.interpolate, scipy.linalg, scipy.ndimage, scipy.spatial.transform"
AS_THE_COMMAND = """
from sim_core.base.worker_process import importing_for_good, limit_threads
limit_threads()
with importing_for_good():
    import sim_core.cli.bake_command
"""
ON_BPY = """
import json, os, time
import bpy
import {libraries}
from tools.load_extension import load_heft
start, wall = time.process_time(), time.perf_counter()
load_heft().register()
print(json.dumps([time.process_time() - start, time.perf_counter() - wall]), flush=True)
os._exit(0)  # without a screen, the bpy module can crash while Python takes it down
"""


def measure(rounds: int = ROUNDS) -> list[Row]:
    """Return the least processor and wall time of each case [s], as ratios to two libraries as well."""
    with tempfile.TemporaryDirectory() as folder:
        cases = _cases(Path(folder))
        found: dict[str, list[tuple[float, float]]] = {name: [] for name in cases}
        for _ in range(rounds + 1):
            for name, arguments in cases.items():
                found[name].append(_timed(arguments, name in (REGISTER, REGISTER_OWN)))
    # The first round compiles Python's files.
    least = {name: tuple(map(min, zip(*times[1:], strict=True))) for name, times in found.items()}
    return [
        {
            "case": name,
            "processor_s": processor_s,
            "wall_s": wall_s,
            "of_numpy": processor_s / least[NUMPY][0],
            "of_mujoco": processor_s / least[MUJOCO][0],
        }
        for name, (processor_s, wall_s) in least.items()
    ]


def _cases(folder: Path) -> dict[str, Sequence[str]]:
    options = ["--seconds", "0", str(SECONDS), "--assist", "0", "--out", str(folder / "r.npz")]
    cases: dict[str, Sequence[str]] = {
        NUMPY: ["-c", NUMPY],
        MUJOCO: ["-c", MUJOCO],
        IMPORTS: ["-c", AS_THE_COMMAND],
        COMMAND: ["-m", "sim_core", "bake", str(clip_of(CLIP).file), *options],
    }
    if find_spec("bpy") is None:
        return cases
    return cases | {
        REGISTER: ["-c", ON_BPY.format(libraries="sys")],
        REGISTER_OWN: ["-c", ON_BPY.format(libraries=LIBRARIES)],
    }


def _timed(arguments: Sequence[str], tells: bool) -> tuple[float, float]:
    """Return processor and wall time of a process [s]; tells: it measures and prints them itself."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    own = {"PYTHONPYCACHEPREFIX": str(CACHE / "compiled"), "OMP_NUM_THREADS": "1"}
    before, start = processor_of_children(), time.perf_counter()
    answer = subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env=kept | own, capture_output=True, text=True, check=True
    )
    if tells:
        processor_s, wall_s = json.loads(answer.stdout.splitlines()[-1])
        return processor_s, wall_s
    return processor_of_children() - before, time.perf_counter() - start
