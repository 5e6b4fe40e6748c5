"""All poses of a take at once: points, prior and limits of each frame, and small accelerations between them.

Gauss-Newton on the whole take. In the second differences, a change of one pose interacts with those of two
frames before and after it, so the normal equations are banded and solved by a banded Cholesky factorisation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solveh_banded

from ..base.conventions import FloatArray
from ..base.progress import FractionCallback, ignore_progress
from .fit_body import EngineBody
from .points import Attachments, measure_points
from .pose_terms import PosePrior, add_limits, add_prior, cauchy_weights

CHUNK = 256
"""Number of frames whose Jacobians are in memory at once."""
WINDOW, OVERLAP = 1500, 200
"""Longer takes are smoothed in overlapping windows of this many frames: the influence of a frame on others
fades within fractions of a second, and the band of a whole take would not fit into memory."""


@dataclass(frozen=True)
class Smoothing:
    """Weights of the terms.

    point_sigma [m]: noise of points; scale [m]: beyond this distance the weight of a point falls
    acceleration_sigma [m/s^2, rad/s^2]: of all axes, or of each one (nv)
    """

    point_sigma: float = 0.01
    scale: float = 0.025
    acceleration_sigma: float | FloatArray = 150.0
    iterations: int = 5


def smooth_poses(
    engine: EngineBody,
    attachments: Attachments,
    target: FloatArray,
    qpos: FloatArray,
    prior: PosePrior,
    step_s: float,
    smoothing: Smoothing | None = None,
    report_fraction: FractionCallback = ignore_progress,
) -> FloatArray:
    """Return poses (T, nq) near `qpos` that bring points to targets (T, M, 3), NaN where there is none."""
    settings = smoothing or Smoothing()
    result = np.array(qpos, dtype=np.float64)
    for start, first, last, end in windows(len(qpos)):
        part = slice(start, end)
        poses: FloatArray = result[part]
        for _ in range(settings.iterations):
            matrix, slope = _normal_equations(engine, attachments, target[part], poses, prior, settings)
            change = _solve(engine, matrix, slope, poses, step_s, settings.acceleration_sigma)
            poses = engine.moved(poses, change)
        # The half of the overlap that the next part knows better is left to it, as a good start.
        result[first:end] = poses[first - start :]
        report_fraction(last / len(qpos))
    return result


def windows(frames: int) -> list[tuple[int, int, int, int]]:
    """Return the windows of a take: start, first and past-the-last frame that it decides, end."""
    parts = []
    first = 0
    while first < frames:
        start = max(0, first - OVERLAP // 2)
        end = min(frames, start + WINDOW)
        last = frames if end == frames else end - OVERLAP // 2
        parts.append((start, first, last, end))
        first = last
    return parts


def _normal_equations(
    engine: EngineBody,
    attachments: Attachments,
    target: FloatArray,
    qpos: FloatArray,
    prior: PosePrior,
    settings: Smoothing,
) -> tuple[FloatArray, FloatArray]:
    """Return matrices (T, nv, nv) and negative gradients (T, nv) of all frames, each by itself."""
    nv = engine.model.nv
    matrix, slope = np.zeros((len(qpos), nv, nv)), np.zeros((len(qpos), nv))
    for start in range(0, len(qpos), CHUNK):
        part = slice(start, start + CHUNK)
        frames = measure_points(engine, attachments, qpos[part])
        away = np.nan_to_num(target[part] - frames.point)
        share = np.isfinite(target[part]).all(axis=2) * cauchy_weights(
            np.linalg.norm(away, axis=2), settings.scale
        )
        root = np.sqrt(share)[..., None] / settings.point_sigma
        jacobian = (frames.jacobian * root[..., None]).reshape(len(away), -1, nv)
        matrix[part] = jacobian.swapaxes(1, 2) @ jacobian
        slope[part] = (jacobian.swapaxes(1, 2) @ (away * root).reshape(len(away), -1, 1))[..., 0]
    add_prior(engine, prior, qpos, matrix, slope)
    add_limits(engine, qpos, matrix, slope)
    return matrix, slope


def _solve(
    engine: EngineBody,
    matrix: FloatArray,
    slope: FloatArray,
    qpos: FloatArray,
    step_s: float,
    acceleration_sigma: float | FloatArray,
) -> FloatArray:
    """Return the change (T, nv) that reduces the cost of all frames and of the accelerations between them."""
    frames, nv = slope.shape
    band = np.zeros((2 * nv + 1, frames * nv))
    for i in range(nv):
        band[: nv - i, i::nv] = matrix[:, i:, i].T
    band[0] += 1e-6
    right = slope.copy()
    if frames > 2:
        stiff = np.broadcast_to((np.asarray(acceleration_sigma) * step_s**2) ** -2.0, nv)
        speed = engine.differences(qpos[:-1], qpos[1:])
        bend = np.diff(speed, axis=0)
        # Each second difference b = x0 - 2 x1 + x2 adds b^2 to the cost.
        count = np.zeros((3, frames))
        for offset, factor in enumerate((1.0, -2.0, 1.0)):
            right[offset : frames - 2 + offset] -= stiff * factor * bend
            for other in range(offset, 3):
                both = factor * (1.0, -2.0, 1.0)[other]
                count[other - offset, offset : frames - 2 + offset] += both
        for distance in range(3):
            band[distance * nv] += np.outer(count[distance], stiff).reshape(-1)
    solution = solveh_banded(band, right.reshape(-1), lower=True, overwrite_ab=True, check_finite=False)
    return np.asarray(solution.reshape(frames, nv))
