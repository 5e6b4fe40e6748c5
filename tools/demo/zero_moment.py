"""The path of the centre of mass for which the zero-moment point stays under the feet.

The ground reaction acts at the zero-moment point (Kajita et al., ICRA 2003). `com_for_zmp` inverts that law
for a mass at constant height, and `zmp_of` measures it on the whole moving body.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import solve_banded

from sim_core.base.conventions import GRAVITY, FloatArray
from sim_core.motion.motion import Motion

from .body import Body
from .curves import RATE_HZ
from .posing import mass_points


def com_for_zmp(zmp: FloatArray, height: float) -> FloatArray:
    """Return the horizontal path (T, 2) of a mass at constant height [m] with this zero-moment point.

    It starts and ends above the zero-moment point, nearly at rest.
    """
    k = height / GRAVITY * RATE_HZ**2
    bands = np.empty((3, len(zmp)))
    bands[0], bands[1], bands[2] = -k, 1.0 + 2.0 * k, -k
    bands[1, [0, -1]], bands[0, 1], bands[2, -2] = 1.0, 0.0, 0.0
    return np.asarray(solve_banded((1, 1), bands, zmp))


def acceleration(path: FloatArray) -> FloatArray:
    """Return the second time derivative (T, ...), zero at the ends."""
    result = np.zeros_like(path)
    result[1:-1] = (path[2:] - 2.0 * path[1:-1] + path[:-2]) * RATE_HZ**2
    return result


def zmp_of(motion: Motion, body: Body) -> FloatArray:
    """Return the zero-moment point (T, 2) [m] of the whole body, from its moving masses."""
    points, shares = mass_points(motion, body)
    push = acceleration(points) + np.array([0.0, 0.0, GRAVITY])
    weight = push[..., 2] @ shares
    moment = push[..., 2:] * points[..., :2] - push[..., :2] * points[..., 2:]
    return np.asarray(np.einsum("tpi,p->ti", moment, shares) / weight[:, None])
