"""A clip that falls whatever is tried."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from sim_core.bake.pipeline import bake
from sim_core.motion.motion import Motion
from sim_core.reading.read_motion import read_motion
from sim_core.recognition import recognise
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings

from ..common.clips import clip_of
from .figures import Figure

CLIP, START_S, END_S = "60_01", 8.0, 14.0
"""A part of a dance that no method and no search carries to its end without assist."""


def measure_falls(quick: bool) -> Iterator[Figure]:
    """Yield the time of the bake without a search, and with it."""
    motion = read_motion(clip_of(CLIP).file).motion.between(START_S, END_S)
    for search in (False,) if quick else (False, True):
        yield from _measure(motion, search)


def _measure(motion: Motion, search: bool) -> Iterator[Figure]:
    wall, busy = time.perf_counter(), time.process_time()
    result = bake(Job(motion, recognise(motion.skeleton), BakeSettings(assist_cap=0.0, search=search)))
    wall, busy = time.perf_counter() - wall, time.process_time() - busy
    fell_s = np.nan if result.meta.fell_at is None else result.meta.fell_at
    tried = len(result.meta.attempts_tried)
    name = f"clip that falls, {'with' if search else 'without'} search"
    note = f"{CLIP}, {END_S - START_S:g} s, falls at {fell_s:.1f} s, {tried} attempts, then trials of assists"
    yield Figure(name, busy, "processor s", note=note)
    yield Figure(name, busy / wall, "processors used", note=note)
