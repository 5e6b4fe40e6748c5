"""The size of a body whose motion is known in angles and in the path of its root, from feet that stand.

A foot on the ground does not move. The root then moves by as much as the legs carry it over the foot, which
grows with the body: the height at which standing feet are stillest is that of the subject.
"""

from __future__ import annotations

import numpy as np

from ..base.conventions import FloatArray
from .skeleton import Skeleton, rest_offsets, world_from_local

FEET = ("L_Ankle", "R_Ankle", "L_Foot", "R_Foot")
HEIGHT_M = (1.3, 2.1)
"""Heights that are believed [m]."""
START_M = 1.7
ROUNDS = 8
STILL_M_S = 0.15
"""Speed of a joint of a standing foot, beyond which it counts little [m/s]."""
LEAST_SPEED_PER_M = 0.25
"""Least speed of a foot relative to the root of a body of 1 m, from which its size shows [1/s]."""
LEAST_S = 0.4
"""Least time in which feet that stand are carried over [s]."""


def find_height(unit: Skeleton, local: FloatArray, place: FloatArray, dt: float) -> float | None:
    """Return the height of a body [m], or None if its feet do not show it.

    unit: a body of 1 m at rest; local (T, N, 4): its rotations; place (T, 3): of its root [m]
    dt: seconds per frame
    """
    offset = np.tile(rest_offsets(unit), (len(local), 1, 1))
    offset[:, 0] = 0.0
    position, _ = world_from_local(offset, local, unit.parents)
    feet = position[:, [unit.index[name] for name in FEET]]
    relative, carried = np.diff(feet, axis=0) / dt, np.diff(place, axis=0)[:, None] / dt
    moves = np.linalg.norm(relative, axis=-1) > LEAST_SPEED_PER_M
    height = START_M
    weight = np.zeros(moves.shape)
    for _ in range(ROUNDS):
        speed = np.linalg.norm(carried + height * relative, axis=-1)
        stillest = speed <= speed.min(axis=1, keepdims=True)
        weight = moves * stillest / (1.0 + (speed / STILL_M_S) ** 2) ** 2
        size = float((weight * (relative**2).sum(axis=-1)).sum())
        if size <= 0.0:
            return None
        height = -float((weight * (relative * carried).sum(axis=-1)).sum()) / size
    enough = float(weight.sum()) * dt >= LEAST_S
    return height if enough and HEIGHT_M[0] <= height <= HEIGHT_M[1] else None
