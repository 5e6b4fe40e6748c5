"""Keypoints from video, fitted and simulated: a shared recording, and captures shown as noisy keypoints."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sim_core.bake.pipeline import bake
from sim_core.base.conventions import FloatArray
from sim_core.base.errors import HeftError
from sim_core.markers.fit_file import fit_figures, used_words
from sim_core.markers.fit_pipeline import fit_file
from sim_core.markers.keypoint_names import BODY_25, COCO, HALPE, MEDIAPIPE, WHOLE_BODY
from sim_core.markers.label_meaning import read_label
from sim_core.markers.marker_fit import MarkerFit
from sim_core.markers.read_markers import read_markers
from sim_core.posefit.fit_body import EngineBody
from sim_core.reading.bvh_clip import ReadingChoices, read_bvh
from sim_core.recognition import recognise
from sim_core.recognition.mapping import SIDES
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings
from tests.core.sample_keypoints import (
    JOINTS,
    joint_path,
    keypoint_paths,
    resampled,
    with_noise,
    write_keypoint_csv,
)

from ..common.clips import CMU, MARKERS
from ..common.tables import Row
from .captures import CMU_UNIT

SHARED = MARKERS.parent / "keypoints"
RECORDINGS = ("pose2sim_balancing_raw", "pose2sim_balancing_filtered")
"""The same recording twice; the first is as it was triangulated."""
LISTS = {
    "HALPE_26": HALPE,
    "BODY_25": BODY_25,
    "COCO-17": COCO,
    "COCO-WholeBody": WHOLE_BODY,
    "MediaPipe": MEDIAPIPE,
}
LIMBS = (("thigh", "shin"), ("shin", "foot"), ("upper_arm", "forearm"))
"""Slots at both ends of limbs. Forearms of CMU skeletons are as short as 14 cm, which no prior expects."""
DROPPED = 0.03
"""Share of the samples that are missing."""


@dataclass(frozen=True)
class KeypointTrial:
    """A capture shown as keypoints, in the units and axes of some program."""

    clip: str
    points: str
    noise_m: float
    rate_hz: float
    per_metre: float
    up: str
    simulated: bool = True

    @property
    def name(self) -> str:
        """Description for the table."""
        unit = "mm" if self.per_metre == 1000.0 else "m"
        return f"{self.clip}, {self.points}, {self.rate_hz:g} Hz, {unit}, {self.up.upper()} up"


TRIALS = (
    KeypointTrial("02_01", "HALPE_26", 0.02, 60.0, 1.0, "y"),
    KeypointTrial("02_01", "HALPE_26", 0.05, 60.0, 1000.0, "z"),
    KeypointTrial("07_01", "COCO-17", 0.03, 30.0, 1.0, "y"),
    KeypointTrial("08_01", "MediaPipe", 0.03, 30.0, 1000.0, "z"),
    KeypointTrial("35_01", "BODY_25", 0.05, 60.0, 1.0, "y"),
    KeypointTrial("16_17", "HALPE_26", 0.05, 30.0, 1000.0, "y"),
    KeypointTrial("16_31", "COCO-17", 0.02, 60.0, 1.0, "z"),
    KeypointTrial("13_11", "COCO-WholeBody", 0.03, 60.0, 1.0, "y"),
    KeypointTrial("05_02", "MediaPipe", 0.02, 30.0, 1000.0, "z", simulated=False),
    KeypointTrial("09_01", "BODY_25", 0.03, 50.0, 1.0, "y", simulated=False),
)


def measure_recordings() -> list[Row]:
    """Fit and simulate the shared recording, raw and filtered."""
    raw = read_markers(SHARED / f"{RECORDINGS[0]}.trc").take()
    return [_measure(SHARED / f"{name}.trc", name, raw.position_world, simulated=True) for name in RECORDINGS]


def measure_trial(trial: KeypointTrial) -> Row:
    """Fit and simulate keypoints of a known motion; return also the errors of joints and lengths."""
    motion = read_bvh(CMU / f"{trial.clip}.bvh", ReadingChoices(CMU_UNIT)).motion
    mapping, names = recognise(motion.skeleton), LISTS[trial.points]
    _, true = resampled(motion.time, keypoint_paths(motion, mapping, names), trial.rate_hz)
    noisy = with_noise(true, trial.rate_hz, trial.noise_m, dropped=DROPPED)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "keypoints.csv"
        write_keypoint_csv(file, names, noisy, trial.rate_hz, trial.per_metre, trial.up)
        row = _measure(file, trial.name, noisy, trial.simulated)
    slots = [f"{slot}.{side}" for slot in JOINTS.values() for side in SIDES]
    joints = np.stack([joint_path(motion, mapping, slot) for slot in slots], axis=1)
    _, joints = resampled(motion.time, joints, trial.rate_hz)
    seen = np.isfinite(noisy).all(axis=2)
    fitted = row["joints"]
    return {
        **row,
        "noise_cm": 100.0 * float(np.sqrt(np.mean(np.sum((noisy - true)[seen] ** 2, axis=1)))),
        "joint_error_cm": 100.0 * float(np.sqrt(np.mean(np.sum((fitted - joints) ** 2, axis=2)))),
        "length_error": max(_length_errors(fitted, joints, slots), key=abs),
    }


def _length_errors(fitted: FloatArray, true: FloatArray, slots: list[str]) -> list[float]:
    """Return relative errors of the limbs' lengths, means of both sides."""

    def length(joints: FloatArray, upper: str, lower: str) -> float:
        ends = [(slots.index(f"{upper}.{side}"), slots.index(f"{lower}.{side}")) for side in SIDES]
        return float(np.mean([np.linalg.norm(joints[:, a] - joints[:, b], axis=1) for a, b in ends]))

    return [length(fitted, *limb) / length(true, *limb) - 1.0 for limb in LIMBS]


def _measure(file: Path, name: str, raw: FloatArray, simulated: bool) -> Row:
    """Return figures of a fit; raw (T, P, 3): the points before any filter [m], compared by their jitter."""
    result = fit_file(file)
    fit, rig = result.fit, result.fit.subject.calibration.rig
    figures = fit_figures(fit)
    positions, turns = EngineBody(rig.body).poses(fit.qpos)
    slots = [f"{slot}.{side}" for slot in JOINTS.values() for side in SIDES]
    joints = positions[:, [rig.carrier(slot) for slot in slots]]
    columns = [i for i, label in enumerate(result.take.labels) if _is_joint(label)]
    apart = 2.0 * np.arccos(np.clip(np.abs(np.sum(turns[1:] * turns[:-1], axis=2)), 0.0, 1.0))
    return {
        **figures,
        "name": name,
        "used": used_words(figures),
        "jitter_ratio": _jitter(joints) / _jitter(raw[:, columns]),
        "knee_beyond_deg": _knee_beyond_deg(fit),
        "turn_deg_s": float(np.degrees(apart.max()) * result.take.rate_hz),
        "joints": joints,
        **(_simulate(fit) if simulated else {"end": "-", "to_the_end": None}),
    }


def _is_joint(label: str) -> bool:
    landmark = read_label(label)
    return landmark is not None and landmark.place in JOINTS and landmark.side in SIDES


def _jitter(paths: FloatArray) -> float:
    """Return the root mean square of the second differences of paths (T, P, 3) [m]."""
    bend = np.diff(paths, n=2, axis=0)
    return float(np.sqrt(np.nanmean(np.sum(bend**2, axis=2))))


def _knee_beyond_deg(fit: MarkerFit) -> float:
    """Return how far a knee is bent the wrong way, or beyond its range, in its worst frame [deg]."""
    rig = fit.subject.calibration.rig
    engine = EngineBody(rig.body)
    beyond = 0.0
    for side in SIDES:
        joint = int(engine.model.body_jntadr[engine.body[rig.carrier(f"shin.{side}")]])
        angle = fit.qpos[:, engine.model.jnt_qposadr[joint]]
        low, high = engine.model.jnt_range[joint]
        beyond = max(beyond, float((low - angle).max()), float((angle - high).max()))
    return float(np.degrees(beyond))


def _simulate(fit: MarkerFit) -> Row:
    """Simulate a fitted motion without any outside force."""
    settings = BakeSettings(assist_cap=0.0, find_assist=False)
    try:
        figures = bake(Job(fit.motion, fit.subject.calibration.rig.mapping, settings)).meta.measured
    except HeftError as problem:
        return {"end": f"failed: {problem}", "to_the_end": False}
    end = "to the end" if figures.full else f"fell at {figures.up_s:.2f} s"
    return {"end": end, "to_the_end": figures.full}
