"""Calibration of segment lengths and marker offsets.

Lengths, marker offsets and the poses of some thirty frames are found together by Gauss-Newton. Poses interact
only through the shared unknowns, so they are eliminated first (Schur complement). Priors hold what a take
does not determine: offsets near their nominal positions, lengths near those of an average body.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..base.conventions import FloatArray, IntArray
from ..posefit.fit_body import EngineBody
from ..posefit.fit_rig import RigBody
from ..posefit.points import Attachments, PointFrames, measure_points
from ..posefit.pose_terms import PosePrior, add_limits, add_prior, cauchy_weights, loose_prior
from .length_groups import LengthGroups
from .template import NominalMarkers

POINT_SIGMA = 0.02
"""Noise of markers [m]. Most of it is skin that moves over bone in the same way in every stride, so thirty
frames tell less than thirty times what one tells, and each frame counts less than its noise of 1 cm
allows."""
SCALE = 0.03
"""Distance beyond which the weight of a marker falls [m]."""
LENGTH_SIGMA = 0.08
"""Relative standard deviation of lengths between people of the same height."""
POSE_SIGMA = 1.0
"""Standard deviation of joints from the neutral pose [rad]."""
ITERATIONS = 30
TOLERANCE = 1e-5


@dataclass(frozen=True, eq=False)
class Calibration:
    """A body of the subject's size with its markers.

    rig: with the lengths found; attachments: markers on it, in the order of `labels`
    poses (K, nq): of the frames that were used
    length_ratio: found over prior, by group
    """

    rig: RigBody
    labels: tuple[str, ...]
    attachments: Attachments
    poses: FloatArray
    length_ratio: dict[str, float]


def calibrate(
    rig: RigBody,
    nominal: NominalMarkers,
    lengths: LengthGroups,
    position: FloatArray,
    qpos: FloatArray,
) -> Calibration:
    """Return the calibration from marker positions (K, M, 3) in frames with roughly known poses (K, nq)."""
    problem = CalibrationProblem(rig, nominal, lengths, position)
    shift, log_scale = np.zeros_like(nominal.offset), np.zeros(len(lengths.names))
    for _ in range(ITERATIONS):
        pose_change, shift_change, scale_change = problem.step(qpos, shift, log_scale)
        qpos = problem.engine.moved(qpos, pose_change)
        shift, log_scale = shift + shift_change, log_scale + scale_change
        if np.abs(shift_change).max() < TOLERANCE and np.abs(scale_change).max(initial=0.0) < TOLERANCE:
            break
    offset = problem.nominal_offset(log_scale) + shift
    if lengths.names:
        rig = rig.with_anchors(rig.body.anchors * lengths.factors(log_scale)[:, None])
    ratios = dict(zip(lengths.names, np.exp(log_scale).tolist(), strict=True))
    return Calibration(rig, nominal.labels, Attachments(nominal.link, offset), qpos, ratios)


class CalibrationProblem:
    """The normal equations of one Gauss-Newton step."""

    def __init__(
        self, rig: RigBody, nominal: NominalMarkers, lengths: LengthGroups, position: FloatArray
    ) -> None:
        self.engine = EngineBody(rig.body)
        self.rig, self.nominal, self.lengths, self.position = rig, nominal, lengths, position
        self.prior: PosePrior = loose_prior(self.engine, self.engine.neutral, POSE_SIGMA)
        self.anchors = rig.body.anchors

    def step(
        self, qpos: FloatArray, shift: FloatArray, log_scale: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return changes of poses (K, nv), of marker shifts (M, 3) and of logarithms of scales (G).

        Shifts are those of markers from their nominal positions [m].
        """
        factors, nominal = self.lengths.factors(log_scale), self.nominal_offset(log_scale)
        self.engine.set_anchors(self.anchors * factors[:, None])
        frames = measure_points(self.engine, Attachments(self.nominal.link, nominal + shift), qpos)
        away = np.nan_to_num(self.position - frames.point)
        share = np.isfinite(self.position).all(axis=2) * cauchy_weights(np.linalg.norm(away, axis=2), SCALE)
        root = np.sqrt(share)[..., None] / POINT_SIGMA
        count, nv = len(qpos), self.engine.model.nv
        by_pose = (frames.jacobian * root[..., None]).reshape(count, -1, nv)
        by_shared = self._shared_jacobian(frames, factors, nominal) * np.repeat(root, 3, axis=2).reshape(
            count, -1, 1
        )
        rest = (away * root).reshape(count, -1, 1)
        matrix, slope = by_pose.swapaxes(1, 2) @ by_pose, (by_pose.swapaxes(1, 2) @ rest)[..., 0]
        add_prior(self.engine, self.prior, qpos, matrix, slope)
        add_limits(self.engine, qpos, matrix, slope)
        matrix[:, np.arange(nv), np.arange(nv)] += 1e-6
        mixed = by_pose.swapaxes(1, 2) @ by_shared
        shared = (by_shared.swapaxes(1, 2) @ by_shared).sum(axis=0)
        shared_slope = (by_shared.swapaxes(1, 2) @ rest)[..., 0].sum(axis=0)
        self._add_shared_prior(shift, log_scale, shared, shared_slope)
        # Schur complement: what the shared unknowns cost when every pose follows them.
        solved = np.linalg.solve(matrix, np.concatenate([mixed, slope[..., None]], axis=2))
        reduced = shared - (mixed.swapaxes(1, 2) @ solved[..., :-1]).sum(axis=0)
        reduced_slope = shared_slope - (mixed.swapaxes(1, 2) @ solved[..., -1:])[..., 0].sum(axis=0)
        change = np.linalg.solve(reduced, reduced_slope)
        pose_change = solved[..., -1] - solved[..., :-1] @ change
        split = 3 * len(shift)
        return pose_change, change[:split].reshape(-1, 3), change[split:]

    def nominal_offset(self, log_scale: FloatArray) -> FloatArray:
        """Return the nominal marker offsets (M, 3) on parts of these lengths [m]."""
        own = self.lengths.own_factors(log_scale)[self.nominal.link]
        return np.asarray(self.nominal.offset * own[:, None])

    def _shared_jacobian(self, frames: PointFrames, factors: FloatArray, nominal: FloatArray) -> FloatArray:
        """Return derivatives (K, 3 M, 3 M + G) of markers by their shifts and by the lengths above them."""
        count, markers = frames.point.shape[:2]
        groups = len(self.lengths.names)
        jacobian = np.zeros((count, markers, 3, 3 * markers + groups))
        link: IntArray = self.nominal.link
        for m in range(markers):
            turn, own = frames.rotation[:, link[m]], int(self.lengths.own[link[m]])
            jacobian[:, m, :, 3 * m : 3 * m + 3] = turn
            if own >= 0:
                jacobian[:, m, :, 3 * markers + own] += turn @ nominal[m]
        parents = self.rig.body.parents
        stands_on = self.rig.body.moved_by[link]
        for i in np.flatnonzero(self.lengths.group >= 0):
            grown = frames.rotation[:, parents[i]] @ (self.anchors[i] * factors[i])
            column = 3 * markers + int(self.lengths.group[i])
            jacobian[:, :, :, column] += stands_on[None, :, i, None] * grown[:, None]
        return jacobian.reshape(count, 3 * markers, -1)

    def _add_shared_prior(
        self, shift: FloatArray, log_scale: FloatArray, matrix: FloatArray, slope: FloatArray
    ) -> None:
        weight = np.concatenate(
            [np.repeat(self.nominal.sigma, 3) ** -2.0, np.full(len(log_scale), LENGTH_SIGMA**-2.0)]
        )
        away = np.concatenate([shift.reshape(-1), log_scale])
        matrix[np.arange(len(weight)), np.arange(len(weight))] += weight
        slope -= weight * away


def spread_out(features: FloatArray, count: int, first: int = 0) -> IntArray:
    """Return indices of rows (T, F) that are far from each other: each is the farthest from those before.

    This is the k-centre heuristic. Evenly spaced frames could be in phase with the stride.
    """
    chosen = [first]
    distance = np.linalg.norm(features - features[first], axis=1)
    while len(chosen) < min(count, len(features)) and distance.max() > 0.0:
        chosen.append(int(np.argmax(distance)))
        distance = np.minimum(distance, np.linalg.norm(features - features[chosen[-1]], axis=1))
    return np.array(sorted(chosen))
