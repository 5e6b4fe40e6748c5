"""Terms of pose fitting: weights that suppress outliers, distance from a prior pose, and joint limits.

Each term adds to the normal equations of Gauss-Newton: a matrix (T, nv, nv) and the negative gradient (T,
nv).
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from ..base.conventions import FloatArray
from .fit_body import EngineBody


def cauchy_weights(distance: FloatArray, scale: float) -> FloatArray:
    """Return 1 for points that fit, falling with the square of the distance [m] beyond `scale` [m]."""
    return np.asarray(1.0 / (1.0 + (distance / scale) ** 2))


LIMIT_SIGMA = 0.02
"""Standard deviation of a joint beyond its limit [rad]."""


@dataclass(frozen=True, eq=False)
class PosePrior:
    """The pose that joints keep where points do not determine them.

    qpos (nq); sigma (nv): standard deviations [rad]; infinite for a free axis
    """

    qpos: FloatArray
    sigma: FloatArray


def loose_prior(engine: EngineBody, qpos: FloatArray, sigma_rad: float) -> PosePrior:
    """Return a prior with the same standard deviation for all joints and a free root."""
    sigma = np.full(engine.model.nv, sigma_rad)
    sigma[:6] = np.inf
    return PosePrior(qpos, sigma)


def add_prior(
    engine: EngineBody, prior: PosePrior, qpos: FloatArray, matrix: FloatArray, slope: FloatArray
) -> None:
    """Add the prior's part for poses (T, nq)."""
    weight = 1.0 / prior.sigma**2
    away = engine.differences(np.tile(prior.qpos, (len(qpos), 1)), qpos)
    diagonal = np.arange(engine.model.nv)
    matrix[:, diagonal, diagonal] += weight
    slope -= weight * away


def add_limits(engine: EngineBody, qpos: FloatArray, matrix: FloatArray, slope: FloatArray) -> None:
    """Add the limits' part for poses (T, nq)."""
    model = engine.model
    for joint in range(model.njnt):
        kind, start, dof = model.jnt_type[joint], model.jnt_qposadr[joint], model.jnt_dofadr[joint]
        low, high = model.jnt_range[joint]
        if kind == mujoco.mjtJoint.mjJNT_HINGE:
            angle = qpos[:, start]
            beyond = np.minimum(angle - low, 0.0) + np.maximum(angle - high, 0.0)
            matrix[:, dof, dof] += (beyond != 0.0) / LIMIT_SIGMA**2
            slope[:, dof] -= beyond / LIMIT_SIGMA**2
        elif kind == mujoco.mjtJoint.mjJNT_BALL:
            turn = qpos[:, start : start + 4]
            length = np.linalg.norm(turn[:, 1:], axis=1)
            beyond = np.maximum(2.0 * np.arctan2(length, np.abs(turn[:, 0])) - high, 0.0)
            if not beyond.any():
                continue
            # The angle of a rotation grows by what is turned about its own axis.
            axis = turn[:, 1:] / np.maximum(length, 1e-9)[:, None] * np.sign(turn[:, :1] + 1e-12)
            part = slice(dof, dof + 3)
            active = (beyond > 0.0)[:, None, None] / LIMIT_SIGMA**2
            matrix[:, part, part] += active * axis[:, :, None] * axis[:, None, :]
            slope[:, part] -= (beyond / LIMIT_SIGMA**2)[:, None] * axis
