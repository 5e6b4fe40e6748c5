"""The initial pose of a fit: where the body stands in a frame, and how tall it is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..base import rotations
from ..base.conventions import FloatArray
from ..base.errors import InputError
from ..posefit.fit_body import EngineBody
from ..posefit.fit_rig import RigBody
from ..posefit.points import point_positions
from .template import NominalMarkers

TRIED = 60
"""Number of frames that are searched for a standing one."""
MIN_MARKERS = 4
"""Least number of markers that determine how a body stands."""
STILL_PARTS = ("hips", "spine", "neck", "head", "clavicle", "thigh", "shin", "foot", "toe")
"""Parts that are near their neutral pose in standing; arms are not."""


@dataclass(frozen=True, eq=False)
class StandingFrame:
    """The frame in which the body is most like the neutral pose.

    turn (3, 3), shift (3), scale: position = scale * turn @ neutral + shift
    """

    frame: int
    turn: FloatArray
    shift: FloatArray
    scale: float


def find_standing(rig: RigBody, nominal: NominalMarkers, position: FloatArray) -> StandingFrame:
    """Return the standing frame for positions (T, M, 3), NaN where a marker was not seen."""
    engine = EngineBody(rig.body)
    model_points = point_positions(engine, nominal.attachments, engine.neutral[None])[0]
    still = np.array([rig.slot[link].split(".")[0] in STILL_PARTS for link in nominal.link])
    if (still & np.isfinite(position).all(axis=2).any(axis=0)).sum() < MIN_MARKERS:
        still[:] = True
    best: tuple[float, StandingFrame] | None = None
    for frame in np.unique(np.linspace(0, len(position) - 1, TRIED).astype(int)):
        used = still & np.isfinite(position[frame]).all(axis=1)
        if used.sum() < MIN_MARKERS:
            continue
        turn, shift, scale = similarity(model_points[used], position[frame, used])
        left = position[frame, used] - scale * model_points[used] @ turn.T - shift
        # Frames that lack markers must not win by having less to explain.
        error = float((left**2).sum() / used.sum()) * (still.sum() / used.sum()) ** 2
        if best is None or error < best[0]:
            best = error, StandingFrame(int(frame), turn, shift, scale)
    if best is None:
        seen = int(np.isfinite(position).all(axis=2).any(axis=0).sum())
        raise InputError(
            f"A body cannot be fitted: only {seen} known marker(s) are seen, and at least {MIN_MARKERS} are "
            "needed in one frame; assign more markers in the table."
        )
    return best[1]


def standing_pose(engine: EngineBody, standing: StandingFrame) -> FloatArray:
    """Return the neutral pose (nq) at the position where the body stands."""
    qpos = engine.neutral
    qpos[:3] = standing.shift
    qpos[3:7] = rotations.from_matrix(standing.turn)
    return qpos


def similarity(source: FloatArray, target: FloatArray) -> tuple[FloatArray, FloatArray, float]:
    """Return turn, shift and scale that bring points (N, 3) nearest to others (Umeyama 1991)."""
    middle_source, middle_target = source.mean(axis=0), target.mean(axis=0)
    a, b = source - middle_source, target - middle_target
    u, singular, vt = np.linalg.svd(b.T @ a)
    sign = np.array([1.0, 1.0, np.sign(np.linalg.det(u @ vt))])
    turn = (u * sign) @ vt
    scale = float((singular * sign).sum() / max((a * a).sum(), 1e-12))
    return turn, middle_target - scale * turn @ middle_source, scale
