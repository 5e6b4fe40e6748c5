"""Marker fits, of captures as they are and with faults."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial.transform import Rotation

from sim_core.base.conventions import BoolArray, FloatArray
from sim_core.markers.fit_file import fit_figures, used_words
from sim_core.markers.fit_pipeline import choose_set
from sim_core.markers.marker_fit import MarkerFit, fit_take
from sim_core.markers.marker_take import MarkerTake
from sim_core.markers.read_markers import read_markers
from sim_core.markers.subject import Subject, calibrate_subject
from sim_core.posefit.fit_body import EngineBody
from sim_core.result.metrics import joint_error_deg

from ..common.tables import Row
from .captures import Angles, Capture

SPARSE_WORDS = ("HD", "Temple", "Head", "WR", "Wrist", "HEE", "Heel", "TOE", "Toe", "MT5")
"""Parts of labels of head, wrists and feet, in all marker sets."""
NOISE_MM = (0.1, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
"""Levels of the noise study (physics-engine movement analysis dissertation, ch. 5.4.1)."""


@dataclass(frozen=True, eq=False)
class Prepared:
    """A calibrated capture: the markers that are fitted, and the time of its calibration [s]."""

    capture: Capture
    take: MarkerTake
    whole: MarkerTake
    subject: Subject
    seconds: float


def prepare(capture: Capture, with_static: bool = True) -> Prepared:
    """Calibrate a capture."""
    whole = read_markers(capture.file).take()
    static = read_markers(capture.static).take() if capture.static and with_static else None
    table = choose_set(whole)
    if static is not None:
        table = choose_set(static).joined(table)
    began = time.process_time()
    subject = calibrate_subject(whole, table, static)
    seconds = time.process_time() - began
    kept = tuple(label for label in subject.calibration.labels if label in whole.labels)
    return Prepared(capture, whole.chosen(kept), whole, subject, seconds)


def measure(prepared: Prepared) -> Row:
    """Return the error of the fit and its processor time."""
    speed = {}
    for quality in ("preview", "final"):
        began = time.process_time()
        fit = fit_take(prepared.whole, prepared.subject, quality)
        speed[quality] = len(fit.qpos) / (time.process_time() - began)
    found = fit_figures(fit)
    leg = None if prepared.capture.leg is None else prepared.capture.leg()
    return {
        "name": prepared.capture.name,
        "held_out": prepared.capture.held_out,
        **found,
        "used": used_words(found),
        "leg_reference_m": leg,
        "leg_error": None if leg is None else found["leg_length_m"] / leg - 1.0,
        "calibration_s": prepared.seconds,
        "preview_fps": speed["preview"],
        "final_fps": speed["final"],
    }


def flexions(fit: MarkerFit) -> Angles:
    """Return flexion of hips and knees (T) [deg]: the first of three rotations about left, forward, up."""
    rig = fit.subject.calibration.rig
    turns = EngineBody(rig.body).poses(fit.qpos)[1]

    def bend(upper: str, lower: str) -> FloatArray:
        first, second = (
            Rotation.from_quat(turns[:, rig.carrier(slot)], scalar_first=True) for slot in (upper, lower)
        )
        return np.asarray((first.inv() * second).as_euler("YXZ", degrees=True)[:, 0])

    hips = {f"hip {s}": -bend("hips", f"thigh.{s}") for s in "LR"}
    return hips | {f"knee {s}": bend(f"thigh.{s}", f"shin.{s}") for s in "LR"}


def compare_angles(prepared: Prepared) -> list[Row]:
    """Return correlations with the reference, and differences without the offset [deg]."""
    if prepared.capture.angles is None:
        return []
    reference = prepared.capture.angles(prepared.whole)
    rows: list[Row] = []
    for name, found in flexions(fit_take(prepared.take, prepared.subject)).items():
        known = np.isfinite(reference[name])
        difference = (found - reference[name])[known]
        rows.append(
            {
                "name": prepared.capture.name,
                "angle": name,
                "r": float(np.corrcoef(found[known], reference[name][known])[0, 1]),
                "spread_deg": float(np.std(difference)),
                "offset_deg": float(np.mean(difference)),
            }
        )
    return rows


Fault = Callable[[MarkerTake, np.random.Generator], tuple[FloatArray, BoolArray]]
"""A function that returns positions with a fault (T, M, 3), and the samples of the fault (T, M)."""


def drop_half(take: MarkerTake, rng: np.random.Generator) -> tuple[FloatArray, BoolArray]:
    """Hide half of all samples."""
    hidden = rng.random(take.seen.shape) < 0.5
    return np.where(hidden[..., None], np.nan, take.position_world), hidden


def throw_outliers(take: MarkerTake, rng: np.random.Generator) -> tuple[FloatArray, BoolArray]:
    """Move a few samples far away."""
    wrong = rng.random(take.seen.shape) < 0.03
    away = rng.normal(size=take.position_world.shape)
    away *= 0.3 / np.linalg.norm(away, axis=2, keepdims=True)
    return take.position_world + wrong[..., None] * away, wrong


def swap_sides(take: MarkerTake, rng: np.random.Generator) -> tuple[FloatArray, BoolArray]:
    """Exchange every pair of left and right markers once, for 0.3 s."""
    position, wrong = np.array(take.position_world), np.zeros(take.seen.shape, dtype=bool)
    length = int(0.3 * take.rate_hz)
    for label in take.labels:
        other = "R" + label[1:]
        if label.startswith("L") and other in take.labels:
            start = int(rng.integers(0, len(position) - length))
            pair, part = [take.index(label), take.index(other)], slice(start, start + length)
            position[part, pair] = position[part, pair[::-1]]
            wrong[part, pair] = True
    return position, wrong


def lose_three(take: MarkerTake, rng: np.random.Generator) -> tuple[FloatArray, BoolArray]:
    """Hide three markers at once for 0.2 s, ten times."""
    position, hidden = np.array(take.position_world), np.zeros(take.seen.shape, dtype=bool)
    length = int(0.2 * take.rate_hz)
    for _ in range(10):
        start = int(rng.integers(0, len(position) - length))
        hidden[start : start + length, rng.choice(len(take.labels), 3, replace=False)] = True
    position[hidden] = np.nan
    return position, hidden


def keep_few(take: MarkerTake, _: np.random.Generator) -> tuple[FloatArray, BoolArray]:
    """Hide all markers but those of head, wrists and feet."""
    hidden = np.zeros(take.seen.shape, dtype=bool)
    hidden[:, [not any(word in label for word in SPARSE_WORDS) for label in take.labels]] = True
    return np.where(hidden[..., None], np.nan, take.position_world), hidden


FAULTS: dict[str, Fault] = {
    "50 % dropped": drop_half,
    "3 % outliers of 30 cm": throw_outliers,
    "left/right swaps": swap_sides,
    "three markers lost for 0.2 s": lose_three,
    "head, wrists and feet only": keep_few,
}


FROM_WHOLE = ("head, wrists and feet only",)
"""Faults that are fitted with the calibration of the whole take; others use that of the broken take."""


def break_and_fit(prepared: Prepared, fault: str, draws: int) -> float:
    """Return the RMS distance [cm] from the true markers where the fault is, over random draws."""
    squares: list[FloatArray] = []
    for seed in range(draws):
        position, concerned = FAULTS[fault](prepared.take, np.random.default_rng(seed))
        take, subject = replace(prepared.take, position_world=position), prepared.subject
        if fault not in FROM_WHOLE:
            subject = calibrate_subject(take, subject.table)
        fit = fit_take(take, subject)
        true = prepared.take.position_world[:, [prepared.take.index(label) for label in fit.labels]]
        order = [prepared.take.index(label) for label in fit.labels]
        away = np.sum((fit.model - true) ** 2, axis=2)
        squares.append(away[concerned[:, order]])
    return 100.0 * float(np.sqrt(np.nanmean(np.concatenate(squares))))


def noise_sweep(prepared: Prepared, draws: int) -> list[Row]:
    """Fit the fitted motion again with Gaussian noise; return errors of joints and markers."""
    true = fit_take(prepared.take, prepared.subject)
    parents = true.motion.skeleton.parents
    rows: list[Row] = []
    for level in NOISE_MM:
        for quality in ("preview", "final"):
            joints, markers = [], []
            for seed in range(draws):
                noise = np.random.default_rng(seed).normal(0.0, 1e-3 * level, true.model.shape)
                take = replace(prepared.take.chosen(true.labels), position_world=true.model + noise)
                fit = fit_take(take, prepared.subject, quality)
                turned = joint_error_deg(fit.motion.quaternion_world, true.motion.quaternion_world, parents)
                joints.append(float(turned.mean()))
                markers.append(1000.0 * float(np.linalg.norm(fit.model - true.model, axis=2).mean()))
            rows.append(
                {
                    "noise_mm": level,
                    "quality": quality,
                    "joint_deg": float(np.mean(joints)),
                    "joint_sem_deg": float(np.std(joints) / np.sqrt(draws)),
                    "joint_worst_deg": float(np.max(joints)),
                    "marker_mm": float(np.mean(markers)),
                    "marker_sem_mm": float(np.std(markers) / np.sqrt(draws)),
                }
            )
            print(rows[-1], flush=True)
    return rows
