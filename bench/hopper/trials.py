"""One run of the hopper benchmark: the model alone, or a character that follows it."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from sim_core.bake.pipeline import bake
from sim_core.base.errors import HeftError
from sim_core.hopper.hopper import STEP_S, Hopper, Wish
from sim_core.hopper.on_character import hop_motion, standing_sample
from sim_core.hopper.pendulum import SpringLeg
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings

from ..common.motions import motion_of

STANDS = "77_02"
"""The capture whose body hops."""
LEG, INERTIA = SpringLeg(70.0, 0.83, 14.0), 5.0
"""The model alone: a man's mass and leg, and his trunk's inertia [kg m^2]."""


def run_item(item: dict[str, Any]) -> dict[str, Any]:
    """Return the outcome of an item of plan.ROWS."""
    try:
        return _model(item) if item["kind"] == "model" else _character(item)
    except HeftError as problem:
        return {"error": str(problem)}


def _model(item: dict[str, Any]) -> dict[str, Any]:
    hopper = Hopper(LEG, INERTIA)
    hopper.pitch = 0.1  # so that its attitude has to be controlled
    hops = hopper.run(Wish(item["height"], item["speed"]), item["seconds"])
    apexes, half = hops.apexes - LEG.length, len(hops.hip) // 2
    speed = float(hops.hip[-1, 0] - hops.hip[half, 0]) / ((len(hops.hip) - half) * STEP_S)
    return {
        "fell": hops.fell,
        "hops": len(apexes),
        "height_cm": 100.0 * float(np.mean(apexes[len(apexes) // 2 :])),
        "speed_m_s": speed,
        "pitch_deg": float(np.degrees(np.abs(hops.pitch[half:]).max())),
        "message": "falls" if hops.fell else "hops to the end",
    }


def _character(item: dict[str, Any]) -> dict[str, Any]:
    began = time.process_time()
    motion, mapping = motion_of(STANDS)
    start = standing_sample(motion, mapping) / motion.rate_hz
    pose = motion.between(start - 2.0 / motion.rate_hz, start + 2.0 / motion.rate_hz)
    made = hop_motion(pose, mapping, Wish(item["height"], item["speed"]), item["seconds"])
    settings = BakeSettings(assist_cap=0.0, find_assist=False, loop="off")
    result = bake(Job(made.motion, mapping, settings))
    metrics, fell_at = result.meta.metrics, result.meta.fell_at
    assert metrics is not None
    hips = result.joint_position[:, 0]
    return {
        "fell": fell_at is not None,
        "hops": len(made.hops.apexes),
        "joint_error_deg": metrics.joint_error_deg,
        "travelled_m": float(np.linalg.norm(hips[-1, :2] - hips[0, :2])),
        "planned_m": float(made.hops.hip[-1, 0]),
        "air_share": float((np.abs(result.contact_force).max(axis=(1, 2)) == 0.0).mean()),
        "planned_air_share": float((~made.hops.stands).mean()),
        "cpu_s": time.process_time() - began,
        "message": "stays up" if fell_at is None else f"falls at {fell_at:.1f} s",
    }
