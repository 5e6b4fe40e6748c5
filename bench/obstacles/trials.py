"""One run of the obstacles benchmark: a walk at 0 N with an object in its way."""

from __future__ import annotations

from typing import Any

import numpy as np

from sim_core.bake.pipeline import bake
from sim_core.base import rotations
from sim_core.base.conventions import BoolArray, FloatArray
from sim_core.base.errors import HeftError
from sim_core.motion.motion import Motion
from sim_core.recognition.mapping import BoneMapping
from sim_core.report.problems import LEGS
from sim_core.report.visible_faults import visible_faults
from sim_core.result.metrics import LOADED_N, joint_angles_deg
from sim_core.result.result import Result
from sim_core.scenario.job import Job
from sim_core.scenario.scenario import make_scenario
from sim_core.scenario.settings import BakeSettings
from sim_core.scene.scene import Passing, Role, Scene, SceneObject
from sim_core.scene.shapes import Box

from ..common.motions import motion_of
from .plan import SHAPES

SEARCH_SECONDS = 900.0
"""Wall time that a search may take, so that figures do not depend on how busy the machine is [s]."""
AHEAD_M = 0.3
"""Length of path over which its direction is taken [m]."""
SURFACE_M, ABOVE_FLOOR_M = 0.02, 0.01
"""A contact this near to the object [m], and above the floor, is a touch."""


def run_item(item: dict[str, Any]) -> dict[str, Any]:
    """Return the outcome of an item of plan.items_of."""
    try:
        motion, mapping = motion_of(item["clip"])
        settings = BakeSettings(assist_cap=0.0, search_seconds=SEARCH_SECONDS)
        floor = make_scenario(Job(motion, mapping, settings)).ground_height
        obstacle = _obstacle(item, motion, mapping, floor)
        result = bake(Job(motion, mapping, settings, Scene((obstacle,))))
    except HeftError as problem:
        return {"error": str(problem)}
    change, metrics = result.meta.reference, result.meta.metrics
    assert change is not None and metrics is not None
    passing = change.passings[0] if change.passings else None
    outcome = {
        "fell_at": result.meta.fell_at,
        "joint_error_deg": metrics.joint_error_deg,
        "joint_error_source_deg": metrics.joint_error_source_deg,
        "below_hips_deg": _below_hips_deg(result),
        "wanted": item["way"],
        "searched": result.meta.search is not None and result.meta.search.kept,
        "way": "not in the way" if passing is None else passing.way,
        "shift_m": 0.0 if passing is None else passing.shift_m,
        "legs": any(problem.kind == LEGS for problem in visible_faults(result)),
        "touched": bool(_touches(result, obstacle, floor).any()),
    }
    fell = f"falls at {outcome['fell_at']:.2f} s" if outcome["fell_at"] is not None else "stays up"
    return outcome | {"message": f"{fell}, {outcome['way']}, {metrics.joint_error_deg:.2f} deg"}


def _obstacle(item: dict[str, Any], motion: Motion, mapping: BoneMapping, floor: float) -> SceneObject:
    """Return the object, square to the path."""
    hips = motion.position_world[:, motion.skeleton.index[mapping.first("hips")], :2]
    walked = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(hips, axis=0), axis=1))])
    where = item["place"] * walked[-1]
    before, at, after = (
        np.array([np.interp(where + d, walked, hips[:, axis]) for axis in (0, 1)])
        for d in (-AHEAD_M, 0.0, AHEAD_M)
    )
    turn = float(np.arctan2(*(after - before)[::-1]))
    half, height = SHAPES[item["what"]]
    left = np.array([-np.sin(turn), np.cos(turn)])
    position = np.array([*(at + item["aside"] * left), floor + height])
    quaternion = rotations.about_vertical(turn)
    return SceneObject(
        "box", Role.OBSTACLE, Box(np.array(half)), position, quaternion, passing=Passing(item["way"])
    )


def _below_hips_deg(result: Result) -> float:
    """Return the joint error to the source without the hips, which turn with the path [deg]."""
    angles = joint_angles_deg(
        result.joint_quaternion_world, result.source_joint_quaternion_world, result.joint_parent
    )
    return float(angles[:, 1:].mean())


def _touches(result: Result, obstacle: SceneObject, floor: float) -> BoolArray:
    """Return at which samples (T) a loaded contact is on the object."""
    shape = obstacle.shape
    assert isinstance(shape, Box)
    local: FloatArray = rotations.rotate(
        rotations.conjugate(obstacle.quaternion), result.contact_point - obstacle.position
    )
    near = (np.abs(local) <= shape.half_size + SURFACE_M).all(axis=-1)
    loaded = np.linalg.norm(result.contact_force, axis=-1) > LOADED_N
    return np.asarray((near & loaded & (result.contact_point[..., 2] > floor + ABOVE_FLOOR_M)).any(axis=1))
