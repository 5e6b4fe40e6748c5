"""A fault by its seed: which job, which fault and which moment are drawn."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import bpy
from heft.addon.jobs import job_session
from heft.addon.jobs.job_queue import QUEUE

from tests.blender.user_edits import new_file

from .machine_faults import MACHINE_FAULTS
from .process_faults import PROCESS_FAULTS
from .trial import PHASES, Trial, Turns
from .user_faults import USER_FAULTS
from .works import WORKS, DirectButton

FAULTS = MACHINE_FAULTS | USER_FAULTS | PROCESS_FAULTS
SHORT_STEP_S = 1e-4
"""Duration of a step of reading and writing, so that faults can come between any two samples [s]."""


@dataclass(frozen=True)
class Draw:
    """A fault by its seed; share: of the way through the phase at which it happens, 0 to 1."""

    work: str
    fault: str
    phase: str
    share: float
    rng: Random

    @classmethod
    def of(cls, seed: int, faults: Sequence[str]) -> Draw:
        """Draw a job and a moment; the faults come in turns."""
        rng = Random(seed)
        fault, work, phase = faults[seed % len(faults)], rng.choice(list(WORKS)), rng.choice(PHASES)
        return cls(work, fault, phase, rng.random(), rng)

    def outcome(self, trial: Trial) -> dict[str, Any]:
        """Return what the table counts."""
        return {
            "work": self.work,
            "fault": self.fault,
            "phase": self.phase,
            "failed": any(level == "ERROR" for level, _ in trial.button.said),
            "said": trial.button.said[-1][1] if trial.button.said else "",
            "longest_s": trial.button.longest_s,
            "defects": trial.defects,
        }


def run_item(item: dict[str, Any]) -> dict[str, Any]:
    """Do one trial in Blender's module."""
    start_heft()
    outcome = run_trial(item["seed"])
    told = "; ".join(outcome["defects"]) or "held"
    return {**outcome, "message": f"{outcome['fault']} while {outcome['phase']} ({outcome['work']}): {told}"}


@cache
def start_heft() -> None:
    """Start Heft, with temporary files in a folder of this process, which has nobody else's."""
    tempfile.tempdir = os.environ["TMPDIR"] = str(_scenes())
    bpy.ops.wm.read_factory_settings(use_empty=True)
    sys.modules["heft"].register()


def run_trial(seed: int) -> dict[str, Any]:
    """Let a drawn job meet its fault, and return what was found."""
    draw, began = Draw.of(seed, list(FAULTS)), time.monotonic()
    trial = meet(draw.work, draw.fault, draw.phase, draw.share, draw.rng)
    return draw.outcome(trial) | {"seconds": time.monotonic() - began}


def meet(work: str, fault: str, phase: str, share: float, rng: Random) -> Trial:
    """Let a job meet a fault at a moment of a phase; share: of the way through the phase, 0 to 1."""
    scene = scene_of(work)
    with tempfile.TemporaryDirectory(prefix="faults_") as folder, short_steps():
        try:
            trial = Trial(WORKS[work], scene, Path(folder), rng)
            button = WORKS[work].press(Path(folder))
            drive(trial.course(button, phase, share, FAULTS[fault]), button, trial.defects)
        finally:
            QUEUE.clear()  # a defect of one trial must not reach the next one
    return trial


def drive(turns: Turns[None], button: DirectButton, defects: list[str]) -> None:
    """Send the events of a trial to its button; what the button raises instead of telling is a defect."""
    for event in turns:
        try:
            button.turn(event)
        except Exception as problem:
            defects.append(f"raised {type(problem).__name__}: {problem}")


def short_steps() -> Any:
    """Let a job take many short steps of reading and writing."""
    return patch.multiple(job_session, READING_STEP_S=SHORT_STEP_S, STEP_S=SHORT_STEP_S)


@cache
def scene_of(work: str) -> Path:
    """Return the file in which a job's scene is saved, made once."""
    new_file()
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
