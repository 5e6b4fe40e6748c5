"""A limb of two bones that brings its end to a place: where the search for a pose begins.

A straight limb does not know which way to bend, and no Gauss-Newton step would tell it; the law of cosines
does.
"""

from __future__ import annotations

import numpy as np

from .. import rotations
from ..conventions import FloatArray

STRAIGHTEST = 0.999
"""Of both lengths together: as far as the end is brought from the root, unless it is further already."""
BENT = 0.05
"""A limb whose bones are further out of line tells its own bending axis (sine of the angle)."""


def reach_turns(
    root: FloatArray, middle: FloatArray, end: FloatArray, goal: FloatArray, axis: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Turns in the world (T, 4) of the upper and of the lower bone that bring `end` to `goal`.

    root, middle, end, goal (T, 3): joints as they are, and the goal [m]
    axis (T, 3): about which the lower bone bends where the limb is straight
    """
    upper, lower, wanted = middle - root, end - middle, goal - root
    a, b = np.linalg.norm(upper, axis=1), np.linalg.norm(lower, axis=1)
    normal = np.cross(upper, lower)
    sine = np.linalg.norm(normal, axis=1, keepdims=True) / (a * b)[:, None]
    own = normal / np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-12)
    own *= np.where(np.sum(own * axis, axis=1, keepdims=True) < 0.0, -1.0, 1.0)
    share = np.clip(sine / BENT, 0.0, 1.0)
    bend_axis = share * own + (1.0 - share) * axis
    bend_axis /= np.linalg.norm(bend_axis, axis=1, keepdims=True)
    furthest = np.maximum(STRAIGHTEST * (a + b), np.linalg.norm(end - root, axis=1))
    distance = np.clip(np.linalg.norm(wanted, axis=1), np.abs(a - b) * 1.001 + 1e-6, furthest)
    now = _signed_angle(upper, lower, bend_axis)
    then = np.arccos(np.clip((distance**2 - a**2 - b**2) / (2.0 * a * b), -1.0, 1.0))
    bend = rotations.from_vector((then - now)[:, None] * bend_axis)
    aim = rotations.shortest_turn(upper + rotations.rotate(bend, lower), wanted)
    return aim, rotations.multiply(aim, bend)


def _signed_angle(first: FloatArray, second: FloatArray, axis: FloatArray) -> FloatArray:
    return np.arctan2(np.sum(np.cross(first, second) * axis, axis=1), np.sum(first * second, axis=1))
