"""Heels that rise further where a leg would not reach: bodies push off before their hips come down."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.ndimage import distance_transform_edt

from .. import rotations
from ..conventions import Y_LEFT, Z_UP, BoolArray, FloatArray
from ..easing import smooth_step
from .hull import smooth_hull
from .stances import FootPath

FURTHEST = np.radians(25.0)
"""No heel rises by more than this for its leg [rad]."""
RISE_SAMPLES = 6
"""A heel that has just left the ground rises within so many samples."""
LEFT_SAMPLES = 12
"""A foot that has left the ground is as it was within so many samples."""
DAMPING = 0.2
"""Turns that bring an ankle nearer by less than this share of its way are no help."""


def pushed_off(path: FootPath, rests: BoolArray, hip_world: FloatArray, reach: FloatArray) -> FootPath:
    """The path of a foot turned about its toes as far as its ankle is out of reach (T) of its hip (T, 3) [m].

    rests (T, 2): whether heel and toes are held on the ground; only a foot on its toes is turned
    """
    toes = path.points_world[:, 2:].mean(axis=1)
    lever, away = path.ankle_world - toes, hip_world - path.ankle_world
    left = rotations.rotate(path.axes_world, Y_LEFT)
    distance = np.linalg.norm(away, axis=1)
    gain = np.sum(np.cross(left, lever) * away, axis=1) / np.maximum(distance, 1e-9)
    damped = gain**2 + (DAMPING * np.linalg.norm(lever, axis=1)) ** 2
    wanted = np.maximum(distance - reach, 0.0) * np.maximum(gain, 0.0) / damped
    width = 2 * RISE_SAMPLES + 1
    turn = smooth_hull(np.minimum(wanted, FURTHEST), width, width)
    turn *= smooth_step(_apart(rests[:, 0]) / RISE_SAMPLES)
    turn *= 1.0 - smooth_step(_apart(rests[:, 1]) / LEFT_SAMPLES)
    if not turn.any():
        return path
    rise = rotations.from_vector(turn[:, None] * left)
    turned = FootPath(
        toes + rotations.rotate(rise, lever), rotations.multiply(rise, path.axes_world), path.sole
    )
    # A foot that stands on one side of its toes keeps its height.
    up = path.points_world[..., 2].min(axis=1) - turned.points_world[..., 2].min(axis=1)
    return replace(turned, ankle_world=turned.ankle_world + up[:, None] * Z_UP)


def _apart(rests: BoolArray) -> FloatArray:
    """How many samples (T) each one is from those that rest."""
    return np.asarray(distance_transform_edt(~rests)) if rests.any() else np.full(len(rests), np.inf)
