"""A bake of two seconds that needs no file: a person who stands and moves the arms."""

from __future__ import annotations

import numpy as np

from ..bake.pipeline import bake
from ..base import rotations
from ..base.conventions import X_FORWARD, FloatArray
from ..base.progress import ProgressCallback
from ..markers.template import template
from ..motion.motion import Motion
from ..motion.skeleton import NO_PARENT, Skeleton
from ..scenario.job import Job
from ..scenario.settings import BakeSettings
from .checks import REINSTALL, Check

SECONDS, RATE_HZ = 2.0, 30.0
LOWERED, SWING = np.radians(65.0), np.radians(10.0)
"""Angles of the arms, from the T-pose [rad]."""
MOST_ERROR_DEG, MOST_RESIDUAL = 2.0, 0.01
"""Limits of joint error and residual; a stand without assist has some tenths of a degree and a thousandth."""


def standing_job() -> Job:
    """Return the job, without assist, in draft quality."""
    rig = template()
    time = np.arange(round(SECONDS * RATE_HZ) + 1) / RATE_HZ
    angle = LOWERED + SWING * np.sin(np.pi * time)
    turns = {"upper_arm.L": -angle, "upper_arm.R": angle}
    return Job(_posed(rig.skeleton, time, turns), rig.mapping, BakeSettings("draft", 0.0, find_assist=False))


def check_bake(report: ProgressCallback) -> Check:
    """Run the bake and check its metrics."""
    name = "self-test bake"
    try:
        meta = bake(standing_job(), report).meta
    except Exception as problem:  # any error would also stop the user's bakes
        return Check(name, False, f"stopped ({type(problem).__name__}: {problem})", REINSTALL)
    figures = meta.measured
    error, residual = figures.joint_error_deg, figures.residual_share
    well = meta.fell_at is None and error < MOST_ERROR_DEG and residual < MOST_RESIDUAL
    outcome = "stayed up" if meta.fell_at is None else f"fell after {meta.fell_at:.2f} s"
    assist, speed = figures.assist_force_max_n, figures.rtf
    found = (
        f"{SECONDS:g} s, {outcome}, joint error {error:.2f} deg, {assist:.0f} N of assist, "
        f"residual force {100.0 * residual:.2f} % of the weight, {speed:.1f} x real time"
    )
    return Check(name, well, found, REINSTALL)


def _posed(skeleton: Skeleton, time: FloatArray, turns: dict[str, FloatArray]) -> Motion:
    """Return the skeleton at rest except for bones turned about the forward axis (T) [rad]."""
    shape = (len(time), len(skeleton.names))
    position, quaternion = np.zeros((*shape, 3)), np.zeros((*shape, 4))
    for k, name in enumerate(skeleton.names):
        own = rotations.from_vector(np.outer(turns.get(name, np.zeros(len(time))), X_FORWARD))
        rest, parent = skeleton.rest_position_world[k], int(skeleton.parents[k])
        if parent == NO_PARENT:
            position[:, k], quaternion[:, k] = rest, own
            continue
        offset = rotations.rotate(quaternion[:, parent], rest - skeleton.rest_position_world[parent])
        position[:, k] = position[:, parent] + offset
        quaternion[:, k] = rotations.multiply(quaternion[:, parent], own)
    return Motion(skeleton, time, position, quaternion)
