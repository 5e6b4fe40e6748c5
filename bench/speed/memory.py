"""Memory of a long bake, and of many short ones in one process."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from sim_core.bake.pipeline import bake
from sim_core.scenario.job import Job

from ..common.clips import ROOT
from ..common.motions import motion_of
from ..long.usage import FLAT_MB, growth, repeat
from .figures import Figure
from .growth import DRAFT, WALK

PART = "13_18:0-20"
MINUTE, QUICK = "+".join([PART] * 3), PART
MOST_MB = 400.0
BAKES, QUICK_BAKES = 100, 12


def measure_memory(quick: bool) -> Iterator[Figure]:
    """Yield the most memory of a process that bakes a minute, and the growth over many short bakes."""
    clip, bakes = (QUICK, QUICK_BAKES) if quick else (MINUTE, BAKES)
    most_mb, _ = map(float, _in_child(clip, 1))
    note = f"standard quality, {'20 s' if quick else '60 s'} of one character"
    yield Figure("memory of a long bake", most_mb, "MB", None if quick else MOST_MB, note=note)
    _, growth_mb = map(float, _in_child("", bakes))
    note = f"last over second quarter of {bakes} bakes of 1 s, draft"
    yield Figure("growth of memory", growth_mb, "MB", FLAT_MB, note=note)


def _in_child(clip: str, bakes: int) -> list[str]:
    """Return the most memory [MB] and its growth [MB] in a process of its own."""
    command = [sys.executable, "-m", "bench.speed.memory", clip, str(bakes)]
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return answer.stdout.split()


def _most_mb() -> float:
    """Return the most memory so far [MB]; getrusage would count what the parent had when it started this."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1024.0


def main(clip: str, bakes: int) -> None:
    """Bake, and print the most memory [MB], and by how much it rose [MB]."""
    motion, mapping = motion_of(clip or WALK)
    settings = replace(DRAFT, quality="standard") if clip else DRAFT
    held = repeat(partial(_bake, Job(motion, mapping, settings)), bakes)
    print(_most_mb(), growth(held)["memory_mb"])


def _bake(job: Job, _: int) -> None:
    bake(job)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
