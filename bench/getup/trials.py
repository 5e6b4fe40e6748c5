"""One run of the get-up benchmark: a walk at 0 N that a push makes fall."""

from __future__ import annotations

import time as clock
from typing import Any

import numpy as np

from sim_core.bake.pipeline import bake
from sim_core.base.errors import HeftError
from sim_core.result.metrics import joint_error_deg
from sim_core.result.result import Result
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings
from sim_core.scene.scene import Push, Scene

from ..common.motions import motion_of
from .plan import PUSH_S

SEARCH_SECONDS = 1200.0
"""Wall time that a search may take, so that figures do not depend on how busy the machine is [s]."""


def run_item(item: dict[str, Any]) -> dict[str, Any]:
    """Return the outcome of an item of plan.items."""
    began = clock.process_time()
    try:
        motion, mapping = motion_of(item["clip"])
        angle = np.radians(item["direction_deg"])
        force = item["force_n"] * np.array([np.cos(angle), np.sin(angle), 0.0])
        push = Push("chest", force, float(motion.time[0]) + item["share"] * motion.duration, PUSH_S)
        settings = BakeSettings(
            assist_cap=0.0, get_up=True, find_assist=False, search_seconds=SEARCH_SECONDS
        )
        result = bake(Job(motion, mapping, settings, Scene((), pushes=(push,))))
    except HeftError as problem:
        return {"error": str(problem)}
    outcome = _outcome(result) | {"cpu_s": clock.process_time() - began, "clip_s": motion.duration}
    back = "stays down" if outcome["back_s"] is None else f"back after {outcome['back_s']:.2f} s"
    return outcome | {"message": f"{outcome['way']}, {back}, {outcome['tries']} tries"}


def _outcome(result: Result) -> dict[str, Any]:
    """Return when it was back on the walk, counted from its first fall, and how close it follows there."""
    meta, ups = result.meta, result.meta.get_ups
    metrics = meta.measured
    if not ups:
        fell = "falls" if meta.fell_at is not None else "does not fall"
        return {"way": fell, "tries": 0, "back_s": None, "fell_at": meta.fell_at}
    after = result.time - result.time[0] >= ups[-1].back_at
    error = joint_error_deg(
        result.joint_quaternion_world[after],
        result.reference_joint_quaternion_world[after],
        result.joint_parent,
    )
    return {
        "way": ups[-1].way,
        "tries": len(ups),
        "fell_at": ups[0].fell_at,
        "rest_s": ups[0].rests_at - ups[0].fell_at,
        "back_s": ups[-1].back_at - ups[0].fell_at,
        "walks_s": float(result.time[-1] - result.time[0]) - ups[-1].back_at,
        "after_deg": float(error.mean()),
        "assist_n": metrics.assist_force_max_n,
        "joint_error_deg": metrics.joint_error_deg,
    }
