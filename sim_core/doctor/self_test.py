"""A bake of two seconds without any file: a person who stands and moves the arms."""

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
"""Of the arms, from the T-pose."""
MOST_ERROR_DEG, MOST_RESIDUAL = 2.0, 0.01
"""A stand without help is followed within some tenths of a degree, and its forces balance to a thousandth."""


def standing_job() -> Job:
    """Without help, in draft quality."""
    rig = template()
    time = np.arange(round(SECONDS * RATE_HZ) + 1) / RATE_HZ
    angle = LOWERED + SWING * np.sin(np.pi * time)
    turns = {"upper_arm.L": -angle, "upper_arm.R": angle}
    return Job(_posed(rig.skeleton, time, turns), rig.mapping, BakeSettings("draft", 0.0, find_assist=False))


def check_bake(report: ProgressCallback) -> Check:
    """The bake's metrics in words."""
    name = "self-test bake"
    try:
        meta = bake(standing_job(), report).meta
    except Exception as problem:  # whatever it is, it is what the user would meet
        return Check(name, False, f"it stopped ({type(problem).__name__}: {problem})", REINSTALL)
    figures = meta["metrics"]
    error, residual = figures["joint_error_deg"], figures["residual_share"]
    well = meta["fell_at"] is None and error < MOST_ERROR_DEG and residual < MOST_RESIDUAL
    fate = "stayed up" if meta["fell_at"] is None else f"fell after {meta['fell_at']:.2f} s"
    found = f"{SECONDS:g} s, {fate}, {error:.2f} deg off, {figures['assist_force_max_n']:.0f} N of help"
    found += f", {100.0 * residual:.2f} % of the weight unexplained, {figures['rtf']:.1f} x real time"
    return Check(name, well, found, REINSTALL)


def _posed(skeleton: Skeleton, time: FloatArray, turns: dict[str, FloatArray]) -> Motion:
    """The skeleton at rest but for bones turned about the forward axis (T) [rad]."""
    shape = (len(time), len(skeleton.names))
    position, quaternion = np.zeros((*shape, 3)), np.zeros((*shape, 4))
    for k, name in enumerate(skeleton.names):
        own = rotations.from_vector(np.outer(turns.get(name, np.zeros(len(time))), X_FORWARD))
        rest, parent = skeleton.rest_position_world[k], int(skeleton.parents[k])
        if parent == NO_PARENT:
            position[:, k], quaternion[:, k] = rest, own
            continue
        way = rotations.rotate(quaternion[:, parent], rest - skeleton.rest_position_world[parent])
        position[:, k] = position[:, parent] + way
        quaternion[:, k] = rotations.multiply(quaternion[:, parent], own)
    return Motion(skeleton, time, position, quaternion)
