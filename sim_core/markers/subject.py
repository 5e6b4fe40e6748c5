"""Calibration of a subject from a take and a marker set."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..base.conventions import BoolArray, FloatArray, IntArray
from ..base.errors import InputError
from ..character.anthropometry import body_height
from ..character.binding import bind
from ..motion.skeleton import Skeleton
from ..posefit.engine_solver import EngineSolver, Pull, mean_pose, track
from ..posefit.fit_rig import RigBody, body_from_rig
from ..recognition.mapping import BoneMapping
from .calibrate import Calibration, calibrate, spread_out
from .faults import steadied, undo_swaps
from .initial_pose import find_standing, standing_pose
from .length_groups import LengthGroups, length_groups, no_length_groups
from .marker_sets import MarkerSet
from .marker_take import MarkerTake
from .predicted_hips import with_predicted_hips
from .template import TEMPLATE_HEIGHT, NominalMarkers, place_markers, stood_up, template

FRAMES = 30
"""Number of frames of a take that a calibration uses."""
STATIC_FRAMES = 5
"""Number of frames of a static trial, which holds one pose."""
ROUGH_SCALE = 0.10
"""Distance beyond which the weight of markers falls before calibration [m]."""
ARMATURE_SIGMA = 0.06
"""Standard deviation of markers from their nominal positions on a body that was not made for the subject
[m]."""
SIZING_ROUNDS, SAME_SIZE = 3, 0.03
"""Most calibrations until lengths are on average those of a body of the height that they are compared with,
and the relative difference that is left."""
NOTED_SIZE = 0.05
"""A subject whose size differs by more than this share from the armature gets a note."""


@dataclass(frozen=True, eq=False)
class Armature:
    """The user's own skeleton as the body to be fitted: its bones keep their lengths."""

    skeleton: Skeleton
    mapping: BoneMapping


@dataclass(frozen=True, eq=False)
class Subject:
    """A body with markers on it, ready for fitting.

    prior (nq): the mean of the poses in the calibration
    height [m]: of an average person with this subject's markers; notes for the user
    """

    calibration: Calibration
    prior: FloatArray
    height: float
    table: MarkerSet
    notes: tuple[str, ...] = ()


def calibrate_subject(
    take: MarkerTake,
    table: MarkerSet,
    static: MarkerTake | None = None,
    armature: Armature | None = None,
) -> Subject:
    """Return lengths and marker offsets from the take, and from a static trial if there is one."""
    takes = [take] if static is None else [take, static]
    labels = tuple(dict.fromkeys(label for t in takes for label in _seen_labels(t) if label in table.rows))
    if not labels:
        raise InputError("No marker of the take is in the marker set; assign markers in the table.")
    positions = [_columns(t, labels) for t in takes]
    base = template() if armature is None else body_from_rig(armature.skeleton, armature.mapping)
    own_height = TEMPLATE_HEIGHT if armature is None else body_height(bind(base.skeleton, base.mapping))
    rough = place_markers(base, table, labels, own_height)
    standing = find_standing(base, rough, positions[-1])
    height = own_height * standing.scale
    if armature is None:
        found, own_poses, height = _sized_to_subject(table, labels, positions, height)
        notes: tuple[str, ...] = ()
    else:
        found, own_poses = _calibrated(base, _loosened(rough), no_length_groups(base), positions)
        notes = _size_note(standing.scale)
    solver = EngineSolver(found.rig.body, found.attachments)
    return Subject(found, mean_pose(solver, found.poses[:own_poses]), height, table, notes)


def _seen_labels(take: MarkerTake) -> list[str]:
    seen: BoolArray = np.asarray(take.seen.any(axis=0))
    return [label for label, ever in zip(take.labels, seen, strict=True) if ever]


def _sized_to_subject(
    table: MarkerSet, labels: tuple[str, ...], positions: list[FloatArray], height: float
) -> tuple[Calibration, int, float]:
    """Return a calibration of the template, the number of the take's poses in it, and the height [m].

    The markers of the most upright frame tell the height only roughly, because few takes hold a frame in
    which the body stands straight; the lengths that are found with it tell more.
    """
    for _ in range(SIZING_ROUNDS):
        rig = template(height)
        rig, nominal = with_predicted_hips(rig, place_markers(rig, table, labels, height), positions[-1])
        found, own_poses = _calibrated(rig, nominal, length_groups(rig), positions)
        larger = float(np.exp(np.mean(np.log(list(found.length_ratio.values())))))
        if abs(larger - 1.0) < SAME_SIZE:
            break
        height *= larger
    found = replace(found, rig=stood_up(found.rig, height))
    return found, own_poses, height


def _calibrated(
    rig: RigBody, nominal: NominalMarkers, lengths: LengthGroups, positions: list[FloatArray]
) -> tuple[Calibration, int]:
    """Return a calibration from marker paths (T, M, 3), and how many of its poses are of the first path."""
    chosen, poses = [], []
    for position, count in zip(positions, (FRAMES, STATIC_FRAMES), strict=False):
        frames, qpos = _rough_poses(rig, nominal, position, count)
        chosen.append(position[frames])
        poses.append(qpos)
    return calibrate(rig, nominal, lengths, np.concatenate(chosen), np.concatenate(poses)), len(poses[0])


def _columns(take: MarkerTake, labels: tuple[str, ...]) -> FloatArray:
    """Return paths (T, M, 3) of these markers without jitter; NaN for those that the take does not have."""
    position = np.full((len(take.time), len(labels), 3), np.nan)
    for i, label in enumerate(labels):
        if label in take.labels:
            position[:, i] = take.position_world[:, take.index(label)]
    return steadied(undo_swaps(position)[0], take.rate_hz)


def _loosened(nominal: NominalMarkers) -> NominalMarkers:
    return NominalMarkers(
        nominal.labels, nominal.link, nominal.offset, np.maximum(nominal.sigma, ARMATURE_SIGMA)
    )


def _size_note(scale: float) -> tuple[str, ...]:
    if abs(scale - 1.0) < NOTED_SIZE:
        return ()
    word = "taller" if scale > 1.0 else "smaller"
    return (
        f"The subject is {abs(scale - 1.0):.0%} {word} than the armature, whose bones keep their lengths, so "
        "the markers fit less well. Retargeting from Heft's own skeleton avoids that.",
    )


def _rough_poses(
    rig: RigBody, nominal: NominalMarkers, position: FloatArray, count: int
) -> tuple[IntArray, FloatArray]:
    """Return frames (K) that differ much, and poses (K, nq) with markers at their nominal positions."""
    solver = EngineSolver(rig.body, nominal.attachments)
    engine = solver.engine
    solver.set_prior(engine.neutral)
    standing = find_standing(rig, nominal, position)
    start = solver.solve(standing_pose(engine, standing), Pull(position[standing.frame]), 20)
    qpos = track(solver, position, start, standing.frame, ROUGH_SCALE)
    joints = engine.differences(np.tile(qpos[standing.frame], (len(qpos), 1)), qpos)[:, 6:]
    # Frames in which most markers are seen tell most.
    seen = np.isfinite(position).all(axis=2).sum(axis=1)
    rich = np.flatnonzero(seen >= np.quantile(seen, 0.3))
    frames = rich[spread_out(joints[rich], count)]
    return frames, qpos[frames]
