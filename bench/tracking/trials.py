"""One bake of the tracking benchmark."""

from __future__ import annotations

import time as clock
from dataclasses import asdict
from typing import Any

from sim_core.bake.pipeline import bake
from sim_core.base.errors import HeftError
from sim_core.recognition import recognise
from sim_core.result.result import Result
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings

from ..common.clips import clip_of
from ..common.motions import read_clip
from ..common.tracking_error import curve_of


def run_item(item: dict[str, Any]) -> dict[str, Any]:
    """Bake an item of sweeps.make_item, and return figures of the result."""
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
    figures, reference, failure = meta.measured, meta.reference, meta.failure
    up = "full" if figures.full else f"fell at {figures.up_s:.2f} s"
    return {
        "metrics": asdict(figures),
        "residual_before_share": None if reference is None else reference.residual_before_share,
        "residual_after_share": None if reference is None else reference.residual_after_share,
        "root_change_cm": None if reference is None else reference.root_mean_cm,
        "wall_seconds": meta.wall_seconds,
        "explained": meta.fell_at is None or bool(failure and failure.notes),
        "causes": [] if failure is None else [cause.text for cause in failure.causes],
        "attempt": meta.attempt,
        "attempts_tried": list(meta.attempts_tried),
        "dofs": int(len(result.torque_limit)) + 6,
        "versions": asdict(meta.versions),
        "message": f"{up}, {figures.joint_error_deg:.2f} deg, root {100 * figures.root_error_m:.1f} cm",
    }
