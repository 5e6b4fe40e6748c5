"""One run of the holds benchmark: a stand at 0 N beside a rail, pushed once."""

from __future__ import annotations

import time as clock
from typing import Any

import mujoco
import numpy as np

from sim_core.bake.pipeline import bake
from sim_core.base import rotations
from sim_core.base.conventions import FloatArray
from sim_core.base.errors import HeftError
from sim_core.character.posing import pose_from_motion
from sim_core.motion.motion import on_control_grid
from sim_core.scenario.job import Job
from sim_core.scenario.scenario import make_scenario
from sim_core.scenario.settings import BakeSettings
from sim_core.scene.scene import Push, Role, Scene, SceneObject
from sim_core.scene.shapes import Capsule
from sim_core.world.grips import grip_points
from sim_core.world.world import build_world

from ..common.motions import motion_of
from .plan import CLIP, PUSH_AT_S, PUSH_S

RADIUS, HALF_LENGTH = 0.02, 0.3
"""Of the rail [m]."""


def run_item(item: dict[str, Any]) -> dict[str, Any]:
    """Return the outcome of an item of plan.items."""
    began = clock.process_time()
    try:
        motion, mapping = motion_of(CLIP)
        settings = BakeSettings(assist_cap=0.0, find_assist=False, search=False)
        job = Job(motion, mapping, settings)
        angle = np.radians(item["direction_deg"])
        force = item["force_n"] * np.array([np.cos(angle), np.sin(angle), 0.0])
        push = Push("chest", force, float(motion.time[0]) + PUSH_AT_S, PUSH_S)
        result = bake(Job(motion, mapping, settings, Scene(_rails(job, item["role"]), pushes=(push,))))
    except HeftError as problem:
        return {"error": str(problem)}
    meta = result.meta
    up = "stays up" if meta.fell_at is None else f"falls at {meta.fell_at:.2f} s"
    return {
        "fell_at": meta.fell_at,
        "joint_error_deg": meta.measured.joint_error_deg,
        "peak_n": max((own.peak_n for own in meta.grips), default=None),
        "limit_n": max((own.limit_n for own in meta.grips), default=None),
        "slipped": any(own.lost_s is not None for own in meta.grips),
        "cpu_s": clock.process_time() - began,
        "message": f"{up}, {meta.measured.joint_error_deg:.2f} deg",
    }


def _rails(job: Job, role: str) -> tuple[SceneObject, ...]:
    """Return a level rail through the left palm where it is in the middle of the push, across the facing."""
    if role == "none":
        return ()
    palm, ahead = _left_palm(job)
    level = rotations.from_vector(np.array([0.0, 0.5 * np.pi, 0.0]))  # its axis is X then
    turn = rotations.about_vertical(float(np.arctan2(ahead[1], ahead[0])))
    rail = Capsule(RADIUS, HALF_LENGTH)
    return (SceneObject("rail", Role(role), rail, palm, rotations.multiply(turn, level)),)


def _left_palm(job: Job) -> tuple[FloatArray, FloatArray]:
    """Return where the left palm is at the push (3) [m], and where the pelvis looks (2)."""
    scenario = make_scenario(job)
    qpos = pose_from_motion(scenario.spec, scenario.binding, on_control_grid(scenario.repaired))
    world = build_world(scenario.spec, scenario.ground_height)
    segments, points = grip_points(scenario.spec)
    data = mujoco.MjData(world.model)
    data.qpos[:] = qpos[round((PUSH_AT_S + 0.5 * PUSH_S) * 100.0)]
    mujoco.mj_kinematics(world.model, data)
    hand = data.body(scenario.spec.names[int(segments[0])])
    ahead = rotations.rotate(data.qpos[3:7], np.array([1.0, 0.0, 0.0]))[:2]
    return np.asarray(hand.xpos + hand.xmat.reshape(3, 3) @ points[0]), ahead
