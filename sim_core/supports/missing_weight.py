"""The weight that is missing: what the motion needs and the points that touch cannot give."""

from __future__ import annotations

import numpy as np

from ..base.conventions import BoolArray, FloatArray, IntArray
from ..dynamics.contact_forces import friction_pyramid
from ..dynamics.kinematics import cross_matrix
from ..dynamics.nonnegative_least_squares import solve_nonnegative
from .body_motion import MOMENT_ARM, BodyMotion

FRICTION = 0.8
RIDGE = 0.02
"""Weight of a contact force of one body weight, so that points share the load."""


def missing_weight(body: BodyMotion, samples: IntArray, touches: BoolArray) -> FloatArray:
    """Return the share of body weight (N) that points (N, K) cannot give at samples (N).

    Forces push, within friction. A missing moment counts as the weight that would make it at MOMENT_ARM.
    """
    used = np.flatnonzero(touches.any(axis=0))
    needed = body.needed[samples]
    if len(used) == 0:
        return np.linalg.norm(needed, axis=1)
    forces = friction_pyramid(FRICTION).T
    arms = body.points[np.ix_(samples, used)] - body.com[samples, None]
    moments = cross_matrix(arms) @ forces / (MOMENT_ARM * body.size)
    columns = np.concatenate([np.broadcast_to(forces, moments.shape), moments], axis=2)
    columns = columns * touches[:, used, None, None]
    matrix = columns.transpose(0, 2, 1, 3).reshape(len(samples), 6, -1)
    residual = solve_nonnegative(matrix, needed, RIDGE, np.zeros_like(needed)).residual
    return np.asarray(np.linalg.norm(residual, axis=1))
