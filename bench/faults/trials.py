"""A fault by its seed: which job, which fault and which moment are drawn."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import bpy
from heft.addon.jobs import job_session
from heft.addon.jobs.job_queue import QUEUE

from .machine_faults import MACHINE_FAULTS
from .process_faults import PROCESS_FAULTS
from .trial import PHASES, Trial
from .user_faults import USER_FAULTS
from .works import WORKS

FAULTS = MACHINE_FAULTS | USER_FAULTS | PROCESS_FAULTS
SHORT_STEP_S = 1e-4
"""Duration of a step of reading and writing, so that faults can come between any two samples [s]."""


def run_item(item: dict[str, Any]) -> dict[str, Any]:
    """Do one trial in Blender's module."""
    _register()
    outcome = run_trial(item["seed"])
    told = "; ".join(outcome["defects"]) or "held"
    return {**outcome, "message": f"{outcome['fault']} while {outcome['phase']} ({outcome['work']}): {told}"}


@cache
def _register() -> None:
    """Start Heft, with temporary files in a folder of this process, which has nobody else's."""
    tempfile.tempdir = os.environ["TMPDIR"] = str(_scenes())
    bpy.ops.wm.read_factory_settings(use_empty=True)
    sys.modules["heft"].register()


def run_trial(seed: int) -> dict[str, Any]:
    """Draw a job, a fault and a moment, and return what was found; the faults come in turns."""
    rng, began = Random(seed), time.monotonic()
    fault, work, phase = list(FAULTS)[seed % len(FAULTS)], rng.choice(list(WORKS)), rng.choice(PHASES)
    trial = meet(work, fault, phase, rng.random(), rng)
    return {
        "work": work,
        "fault": fault,
        "phase": phase,
        "failed": any(level == "ERROR" for level, _ in trial.button.said),
        "said": trial.button.said[-1][1] if trial.button.said else "",
        "longest_s": trial.button.longest_s,
        "seconds": time.monotonic() - began,
        "defects": trial.defects,
    }


def meet(work: str, fault: str, phase: str, share: float, rng: Random) -> Trial:
    """Let a job meet a fault at a moment of a phase; share: of the way through the phase, 0 to 1."""
    scene = _scene_of(work)
    with tempfile.TemporaryDirectory(prefix="faults_") as folder, _short_steps():
        try:
            trial = Trial(WORKS[work], scene, Path(folder), rng)
            trial.go_to(phase, share)
            trial.strike(FAULTS[fault])
            trial.finish()
        finally:
            QUEUE.clear()  # a defect of one trial must not reach the next one
    return trial


def _short_steps() -> Any:
    return patch.multiple(job_session, READING_STEP_S=SHORT_STEP_S, STEP_S=SHORT_STEP_S)


@cache
def _scene_of(work: str) -> Path:
    """Return the file in which a job's scene is saved, made once."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    WORKS[work].build(_scenes())
    path = _scenes() / f"{work}.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=True)
    return path


@cache
def _scenes() -> Path:
    """Return a folder for scenes, outside of Blender's own, which factory settings replace."""
    folder = tempfile.mkdtemp(prefix="faults_scenes_")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)
