"""One bake of the tracking benchmark."""

from __future__ import annotations

import time as clock
from typing import Any

import numpy as np

from sim_core.bake.bake import bake
from sim_core.base.errors import HeftError
from sim_core.motion.bvh_reader import read_bvh
from sim_core.motion.motion import Motion
from sim_core.recognition import recognise
from sim_core.result import metrics
from sim_core.result.result import Result
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings

from .clips import SECONDS, Clip, clip_of
from .curves import Poses, squared_error


def read_clip(clip: Clip) -> Motion:
    """The beginning of a capture, at its true rate."""
    motion = read_bvh(clip.file).motion
    if clip.fps is not None:
        time = np.arange(len(motion.time)) / clip.fps
        motion = Motion(motion.skeleton, time, motion.position_world, motion.quaternion_world)
    return motion.between(0.0, SECONDS)


def run_bake(item: dict[str, Any]) -> dict[str, Any]:
    """What the bake's result says of itself."""
    settings = BakeSettings(
        quality=item["quality"],
        assist_cap=item["assist"],
        seed=item["seed"],
        noise=item["noise"],
        character=item["character"],
        balance=item["balance"],
        correction=item["correction"],
        find_assist=False,
    )
    wall, busy = clock.perf_counter(), clock.process_time()
    try:
        motion = read_clip(clip_of(item["clip"]))
        result = bake(Job(motion, recognise(motion.skeleton), settings))
    except HeftError as problem:
        return {"error": str(problem).replace(str(clip_of(item["clip"]).file), item["clip"])}
    outcome = _outcome(result)
    outcome["core_share"] = (clock.process_time() - busy) / (clock.perf_counter() - wall)
    if item["curve"]:
        outcome["curve"] = curve_of(result)
    return outcome


def _outcome(result: Result) -> dict[str, Any]:
    meta = result.meta
    figures = meta["metrics"]
    up = "full" if figures["full"] else f"fell at {figures['up_s']:.2f} s"
    reference = meta["reference"]
    return {
        "metrics": figures,
        "residual_before_share": reference.get("residual_before_share"),
        "residual_after_share": reference.get("residual_after_share"),
        "root_change_cm": reference.get("root_mean_cm"),
        "wall_seconds": meta["wall_seconds"],
        "explained": meta["fell_at"] is None or bool((meta.get("failure") or {}).get("notes")),
        "causes": [cause["text"] for cause in (meta.get("failure") or {}).get("causes", [])],
        "way": meta.get("way"),
        "ways_tried": meta.get("ways_tried", []),
        "dofs": int(len(result.torque_limit)) + 6,
        "versions": meta["versions"],
        "said": f"{up}, {figures['joint_error_deg']:.2f} deg, root {100 * figures['root_error_m']:.1f} cm",
    }


def curve_of(result: Result) -> dict[str, list[float]]:
    """Tracking error at the control rate."""
    new = Poses(result.joint_position[:, 0], result.joint_quaternion_world)
    reference = Poses(result.reference_joint_position[:, 0], result.reference_joint_quaternion_world)
    degrees = metrics.joint_error_deg(new.quaternion_world, reference.quaternion_world, result.joint_parent)
    squared = squared_error(new, reference, result.joint_parent)
    time = result.time - result.time[0]
    columns = {"time_s": time, "joint_error_deg": degrees, "squared_error": squared}
    return {name: [float(f"{v:.4g}") for v in values] for name, values in columns.items()}
