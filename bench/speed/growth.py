"""How the time of a bake grows with what is in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from sim_core.bake.pipeline import bake, bake_together
from sim_core.motion.motion import Motion
from sim_core.recognition import recognise
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings
from sim_core.scene.scene import Role, Scene, SceneObject
from sim_core.scene.shapes import Box

from ..common.motions import motion_of
from .figures import Figure, least_seconds, slope

LONG, WALK = "13_18", "02_01:0-1"
DRAFT = BakeSettings(quality="draft", assist_cap=15.0, find_assist=False, loop="off")
SLOPE_BAR = 1.1
FRAMES_S, QUICK_FRAMES_S = (2.5, 5.0, 10.0, 20.0), (2.5, 5.0)
CHARACTERS, QUICK_CHARACTERS = (1, 2, 4, 8), (1, 2)
PROPS, QUICK_PROPS = (5, 10, 25, 50), (5, 20)
APART_M = 2.0


def measure_growth(quick: bool) -> Iterator[Figure]:
    """Yield the slopes of log time against log size."""
    yield _slope("frames", QUICK_FRAMES_S if quick else FRAMES_S, _bake_seconds, "s of motion")
    yield _slope("characters", QUICK_CHARACTERS if quick else CHARACTERS, _bake_characters, "characters")
    yield _slope("props", QUICK_PROPS if quick else PROPS, _bake_props, "boxes that rest beside the walk")


def _slope(name: str, sizes: Sequence[float], work: Callable[[float], object], unit: str) -> Figure:
    work(sizes[0])  # loads what is loaded once
    spent = [least_seconds({name: partial(work, size)}, 1)[name] for size in sizes]
    seconds = ", ".join(f"{one:.2f}" for one in spent)
    note = f"{', '.join(f'{size:g}' for size in sizes)} {unit}: {seconds} s of processor"
    return Figure(f"growth with {name}", slope(sizes, spent), "slope of log time", SLOPE_BAR, note=note)


def _bake_seconds(seconds: float) -> None:
    motion, mapping = motion_of(f"{LONG}:0-{seconds:g}")
    bake(Job(motion, mapping, DRAFT))


def _bake_characters(count: float) -> None:
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
