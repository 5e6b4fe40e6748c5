"""One bake of the acrobatics benchmark, and what its search cost."""

from __future__ import annotations

import time as clock
from dataclasses import asdict
from typing import Any

from sim_core.bake.pipeline import bake
from sim_core.base.errors import HeftError
from sim_core.motion.motion import Motion
from sim_core.recognition import recognise
from sim_core.recognition.mapping import BoneMapping
from sim_core.retarget.retarget import retarget
from sim_core.retarget.retarget_options import RetargetOptions
from sim_core.retarget.retarget_rig import make_retarget_rig
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings

from ..common.clips import clip_of
from ..common.motions import read_clip
from ..retarget.targets import targets

SEARCH_SECONDS = 1200.0
"""Wall time that a search may take, so that figures do not depend on how busy the machine is [s]."""


def _on_body(motion: Motion, body: str | None) -> tuple[Motion, BoneMapping]:
    """Return a motion and its bones, retargeted where a body is named."""
    mapping = recognise(motion.skeleton)
    if body is None:
        return motion, mapping
    target = targets()[body]
    source = make_retarget_rig(motion.skeleton, mapping, motion)
    return retarget(source, motion, target, RetargetOptions()).motion, target.mapping


def run_item(item: dict[str, Any]) -> dict[str, Any]:
    """Bake a clip at 0 N from a start with random errors, and return its figures."""
    settings = BakeSettings(
        assist_cap=0.0,
        find_assist=False,
        seed=item["seed"],
        noise=item["noise"],
        search_seconds=SEARCH_SECONDS,
    )
    wall, busy = clock.perf_counter(), clock.process_time()
    try:
        motion = read_clip(clip_of(item["clip"])).between(item["start_s"], item["end_s"])
        meta = bake(Job(*_on_body(motion, item.get("body")), settings)).meta
    except HeftError as problem:
        return {"error": str(problem).replace(str(clip_of(item["clip"]).file), item["clip"])}
    figures, search = meta.measured, meta.search
    up = "full" if figures.full else f"fell at {figures.up_s:.2f} s"
    return {
        "metrics": asdict(figures),
        "search": None if search is None else asdict(search),
        "cpu_seconds": clock.process_time() - busy,
        "wall_seconds": clock.perf_counter() - wall,
        "message": f"{up}, {figures.joint_error_deg:.2f} deg, {clock.process_time() - busy:.0f} CPU s",
    }
