"""The pose in every frame of a take: tracked by the engine (preview), then smoothed over the take (final)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..base.conventions import BoolArray, FloatArray
from ..base.errors import InputError
from ..base.progress import FractionCallback, ProgressCallback, ignore_progress, within_stage
from ..motion.motion import Motion
from ..posefit.batch_solver import Smoothing, smooth_poses
from ..posefit.engine_solver import EngineSolver, track
from ..posefit.fit_body import EngineBody
from ..posefit.points import Attachments, point_positions
from ..posefit.pose_terms import loose_prior
from .computed_points import marker_labels
from .faults import STEADY, CleanedMarkers, Fault, clean, list_faults, steadied, undo_swaps
from .initial_pose import find_standing, standing_pose
from .marker_take import MarkerTake
from .subject import Subject
from .template import NominalMarkers
from .usual_motion import usual_accelerations

QUALITIES = ("preview", "final")
SCALE = 0.05
"""Distance beyond which the weight of markers falls in tracking [m]."""
PRIOR_SIGMA = 0.7
"""Standard deviation of joints from the take's mean pose [rad]."""
ROUNDS = 4
"""Most rounds of smoothing: smoothing reveals outliers that tracking accepted, and the reverse."""
NOISE_FLOOR = 0.01
"""Least standard deviation of markers, because skin moves over bone [m]."""
MEDIAN_OF_NORMAL = 1.538
"""Median length of a vector of three standard normal numbers."""


@dataclass(frozen=True, eq=False)
class MarkerFit:
    """A take explained by a moving body.

    labels (M), attachments: the markers that were fitted; offered: labels of all markers that the file names
    qpos (T, nq): poses; motion: the same as a motion of the skeleton
    measured (T, M, 3): markers as they are in the file; model (T, M, 3): their positions on the body [m]
    faults: of the markers; used (T, M, 3): positions without faults, NaN where a sample was not used
    """

    subject: Subject
    labels: tuple[str, ...]
    attachments: Attachments
    qpos: FloatArray
    motion: Motion
    measured: FloatArray
    model: FloatArray
    used: FloatArray
    faults: tuple[Fault, ...]
    offered: tuple[str, ...]

    @property
    def used_labels(self) -> tuple[str, ...]:
        """The offered markers that were fitted and seen."""
        seen = np.flatnonzero(np.isfinite(self.distance).any(axis=0))
        return tuple(self.labels[m] for m in seen if self.labels[m] in self.offered)

    @property
    def distance(self) -> FloatArray:
        """Distance from each used marker to its position on the body (T, M) [m]; NaN elsewhere."""
        return np.asarray(np.linalg.norm(self.used - self.model, axis=2))


def fit_take(
    take: MarkerTake, subject: Subject, quality: str = "final", report: ProgressCallback = ignore_progress
) -> MarkerFit:
    """Return the motion of a calibrated subject in a take."""
    if quality not in QUALITIES:
        raise InputError(f"Quality '{quality}' is unknown; choose one of {', '.join(QUALITIES)}.")
    found = subject.calibration
    columns = [i for i, label in enumerate(found.labels) if label in take.labels]
    if not columns:
        raise InputError("No marker of the take was calibrated; calibrate with this take's markers.")
    labels = tuple(found.labels[i] for i in columns)
    attachments = Attachments(found.attachments.link[columns], found.attachments.offset[columns])
    measured = take.chosen(labels).position_world
    position, swapped_with = undo_swaps(measured)
    solver = EngineSolver(found.rig.body, attachments)
    report_fraction = within_stage(report, "Fitting poses", 0.3, 0.5)
    qpos = preview_poses(solver, subject, labels, steadied(position, take.rate_hz), report_fraction)
    engine = solver.engine
    cleaned = clean(position, point_positions(engine, attachments, qpos))
    for number in range(ROUNDS if quality == "final" else 0):
        # Most takes settle in two rounds.
        report_fraction = within_stage(
            report, "Smoothing", 0.5 + 0.2 * min(number, 1), 0.7 + 0.2 * min(number, 1)
        )
        qpos = final_poses(
            engine, attachments, subject, cleaned.position, qpos, 1.0 / take.rate_hz, report_fraction
        )
        before, cleaned = cleaned, clean(position, point_positions(engine, attachments, qpos))
        if cleaned.same_as(before):
            break
    cleaned = cleaned.with_swaps(swapped_with)
    return _fit(take, subject, labels, attachments, engine, qpos, measured, cleaned)


def preview_poses(
    solver: EngineSolver,
    subject: Subject,
    labels: tuple[str, ...],
    position: FloatArray,
    report_fraction: FractionCallback = ignore_progress,
) -> FloatArray:
    """Return poses (T, nq) by the engine, frame by frame, for positions (T, M, 3)."""
    solver.set_prior(subject.prior)
    rig = subject.calibration.rig
    nominal = NominalMarkers(labels, solver.points.link, solver.points.offset, np.ones(len(labels)))
    standing = find_standing(rig, nominal, position)
    start = subject.prior.copy()
    start[:7] = standing_pose(solver.engine, standing)[:7]
    return track(solver, position, start, standing.frame, SCALE, report_fraction=report_fraction)


def final_poses(
    engine: EngineBody,
    attachments: Attachments,
    subject: Subject,
    position: FloatArray,
    qpos: FloatArray,
    step_s: float,
    report_fraction: FractionCallback = ignore_progress,
) -> FloatArray:
    """Return poses (T, nq) that are smooth over time, starting from those of the preview."""
    distance = np.linalg.norm(position - point_positions(engine, attachments, qpos), axis=2)
    noise = float(np.nanmedian(distance)) / MEDIAN_OF_NORMAL if np.isfinite(distance).any() else 0.0
    sigma = max(noise, NOISE_FLOOR)
    prior = loose_prior(engine, subject.prior, PRIOR_SIGMA)
    smoothing = Smoothing(point_sigma=sigma, scale=2.5 * sigma)
    if noise > STEADY:
        usual = usual_accelerations(engine, subject.calibration.rig)
        smoothing = replace(smoothing, acceleration_sigma=usual)
    return smooth_poses(engine, attachments, position, qpos, prior, step_s, smoothing, report_fraction)


def _fit(
    take: MarkerTake,
    subject: Subject,
    labels: tuple[str, ...],
    attachments: Attachments,
    engine: EngineBody,
    qpos: FloatArray,
    measured: FloatArray,
    cleaned: CleanedMarkers,
) -> MarkerFit:
    link_position, link_quaternion = engine.poses(qpos)
    motion = subject.calibration.rig.motion(take.time, link_position, link_quaternion)
    seen: BoolArray = np.asarray(np.isfinite(measured).all(axis=2))
    return MarkerFit(
        subject=subject,
        labels=labels,
        attachments=attachments,
        qpos=qpos,
        motion=motion,
        measured=measured,
        model=point_positions(engine, attachments, qpos),
        used=cleaned.position,
        faults=list_faults(labels, seen, cleaned),
        offered=marker_labels(take),
    )
