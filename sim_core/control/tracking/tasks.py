"""Tasks of the tracking QP: accelerations that the character should have, and their weights.

Each task is a weighted least-squares objective of the generalised acceleration qdd (nv),

    |root_weight * (rows qdd - wanted)|^2 / 2,

and is made by one function of this module. The QP minimises the sum of all tasks (qp_build.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt

import numpy as np

from ...base.conventions import FloatArray, frozen
from .prediction import Prediction

ROOT = 6
"""Degrees of freedom of the root: three of its position, then three of its rotation."""


@dataclass(frozen=True, eq=False)
class CoordinateTask:
    """Wanted accelerations (m) of consecutive coordinates.

    Its rows are rows of the identity matrix, so that the QP needs no matrix product for them.
    root_weight (m): square roots of the weights
    """

    name: str
    coordinates: slice
    wanted: FloatArray
    root_weight: FloatArray


@dataclass(frozen=True, eq=False)
class JacobianTask:
    """Wanted values (m) of linear functions of the acceleration: rows (m, nv); root_weight as above."""

    name: str
    rows: FloatArray
    wanted: FloatArray
    root_weight: FloatArray


Task = CoordinateTask | JacobianTask


@lru_cache(maxsize=256)
def root_weights(weight: float, count: int) -> FloatArray:
    """Return the square root of a weight, repeated; the array is shared, and cannot be written to."""
    return frozen(np.full(count, sqrt(weight)))


def root_rotation(acceleration: FloatArray, weight: float) -> CoordinateTask:
    """Return the task of the root's angular acceleration; acceleration (nv): wanted of all coordinates.

    The root's position has no task of its own (da Silva et al. 2008, eq. 4).
    """
    turning = slice(3, ROOT)
    return CoordinateTask("root rotation", turning, acceleration[turning], root_weights(weight, 3))


def posture(acceleration: FloatArray, root_weight: FloatArray) -> CoordinateTask:
    """Return the task of the joints; acceleration (nv): wanted of all coordinates; root_weight (nv - 6)."""
    joints = slice(ROOT, len(acceleration))
    return CoordinateTask("posture", joints, acceleration[joints], root_weight)


def centre_of_mass(prediction: Prediction, acceleration: FloatArray, weight: float) -> JacobianTask:
    """Return the task of the centre of mass; acceleration (3) [m/s^2]."""
    wanted = acceleration - prediction.com_drift
    return JacobianTask("centre of mass", prediction.com_jacobian, wanted, root_weights(weight, 3))


def angular_momentum(prediction: Prediction, rate: FloatArray, weight: float) -> JacobianTask:
    """Return the task of the angular momentum about the centre of mass; rate (3) [Nm]."""
    wanted = rate - prediction.momentum_drift
    return JacobianTask("angular momentum", prediction.momentum_matrix, wanted, root_weights(weight, 3))


def swing_feet(prediction: Prediction, acceleration: FloatArray, weight: Sequence[float]) -> JacobianTask:
    """Return the task of the feet; acceleration (F, 3) [m/s^2]; weight (F): zero for a foot that stands.

    A standing foot is held by the no-slip task of its points.
    """
    rows = prediction.foot_jacobian
    wanted = (acceleration - prediction.foot_drift).ravel()
    root_weight = np.concatenate([root_weights(foot, 3) for foot in weight])
    return JacobianTask("swing feet", rows.reshape(-1, rows.shape[-1]), wanted, root_weight)


def no_slip(prediction: Prediction, acceleration: FloatArray, weight: float) -> JacobianTask:
    """Return the task of the points in contact; acceleration (P, 3) [m/s^2] (da Silva et al. 2008, eq. 5).

    The paper's constraint is a task with a large weight here, so that the QP always has a solution.
    """
    rows = prediction.point_jacobian
    wanted = (acceleration - prediction.point_drift).ravel()
    root_weight = root_weights(weight, len(wanted))
    return JacobianTask("no slip", rows.reshape(-1, rows.shape[-1]), wanted, root_weight)
