"""How the time of a bake grows with what is in it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from sim_core.bake.pipeline import bake, bake_together
from sim_core.motion.motion import Motion
from sim_core.recognition import recognise
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings
from sim_core.scene.scene import Role, Scene, SceneObject
from sim_core.scene.shapes import Box

from ..common.clips import ROOT, clip_of
from ..common.motions import motion_of
from ..common.processes import processor_of_children
from .figures import Figure, least_seconds, slope

LONG, WALK = "13_18", "02_01:0-1"
DRAFT = BakeSettings(quality="draft", assist_cap=15.0, find_assist=False, loop="off")
SLOPE_BAR = 1.1
FRAMES_S, QUICK_FRAMES_S = (2.5, 5.0, 10.0, 20.0), (2.5, 5.0)
CHARACTERS, QUICK_CHARACTERS = (1, 2, 4, 8), (1, 2)
PROPS, QUICK_PROPS = (5, 10, 25, 50), (5, 20)
ITEMS, QUICK_ITEMS = (8, 16, 32, 64), (4, 8)
APART_M = 2.0


def measure_growth(quick: bool) -> Iterator[Figure]:
    """Yield the slopes of log time against log size."""
    yield _slope("frames", QUICK_FRAMES_S if quick else FRAMES_S, _own(_bake_motion), "s of motion")
    yield _slope("characters", QUICK_CHARACTERS if quick else CHARACTERS, _own(_bake_crowd), "characters")
    yield _slope("props", QUICK_PROPS if quick else PROPS, _own(_bake_props), "boxes that rest beside a walk")
    yield _slope("batch items", QUICK_ITEMS if quick else ITEMS, _run_batch, "items of 0.3 s, two at a time")


def _own(work: Callable[[float], object]) -> Callable[[float], float]:
    """Return a function of the size that returns the processor time of this process [s]."""
    return lambda size: least_seconds({"": partial(work, size)}, 1)[""]


def _slope(name: str, sizes: Sequence[float], seconds_of: Callable[[float], float], unit: str) -> Figure:
    seconds_of(sizes[0])  # loads what is loaded once
    spent = [seconds_of(size) for size in sizes]
    seconds = ", ".join(f"{one:.2f}" for one in spent)
    note = f"{', '.join(f'{size:g}' for size in sizes)} {unit}: {seconds} s of processor"
    return Figure(f"growth with {name}", slope(sizes, spent), "slope of log time", SLOPE_BAR, note=note)


def _bake_motion(seconds: float) -> None:
    motion, mapping = motion_of(f"{LONG}:0-{seconds:g}")
    bake(Job(motion, mapping, DRAFT))


def _bake_crowd(count: float) -> None:
    motion, mapping = motion_of(WALK)
    jobs = [
        Job(_moved(motion, APART_M * k), mapping, DRAFT, name=f"walker {k + 1}") for k in range(int(count))
    ]
    bake_together(jobs)


def _moved(motion: Motion, aside_m: float) -> Motion:
    return replace(motion, position_world=motion.position_world + [0.0, aside_m, 0.0])


def _bake_props(count: float) -> None:
    motion, _ = motion_of(WALK)
    columns = 5
    boxes = tuple(
        SceneObject(
            f"box {k}",
            Role.PROP,
            Box(np.full(3, 0.1)),
            position=np.array([0.5 * (k % columns), 3.0 + 0.5 * (k // columns), 0.1]),
            mass=1.0,
        )
        for k in range(int(count))
    )
    bake(Job(motion, recognise(motion.skeleton), DRAFT, Scene(boxes)))


def _run_batch(count: float) -> float:
    """Return the processor time of a batch with all its processes [s]."""
    options = {"quality": "draft", "noise": 0.05, "seconds": [0.5, 0.8], "no-find-assist": True}
    axes = {"motion": [str(clip_of("02_01").file)], "seed": list(range(int(count)))}
    data = {"format": "heft-batch", "schema": 1, "options": options, "axes": axes}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "items.json"
        path.write_text(json.dumps(data))
        words = ["batch", str(path), "--out", str(Path(folder) / "out"), "--jobs", "2", "--json"]
        before = processor_of_children()
        environment = os.environ | {"PYTHONPATH": str(ROOT)}
        subprocess.run(
            [sys.executable, "-m", "sim_core", *words], env=environment, capture_output=True, check=True
        )
        return processor_of_children() - before
