"""Keypoints as video would show them of a known motion: joint centres and points of face, hands and feet."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy.signal import lfilter

from sim_core.base import rotations
from sim_core.base.conventions import FloatArray
from sim_core.markers.label_meaning import read_label
from sim_core.markers.landmarks import MIDDLE, Landmark
from sim_core.motion.motion import Motion
from sim_core.recognition.mapping import SIDES, BoneMapping

JOINTS = {
    "acromion": "upper_arm",
    "elbow": "forearm",
    "wrist": "hand",
    "hip centre": "thigh",
    "knee": "shin",
    "ankle": "foot",
}
"""Place -> slot whose bone begins there."""
POINTS: dict[tuple[str, str], tuple[str, tuple[float, float, float]]] = {
    ("nose", ""): ("head", (0.12, 0.0, 0.04)),
    ("eye", ""): ("head", (0.09, 0.03, 0.07)),
    ("eye", "medial"): ("head", (0.09, 0.02, 0.07)),
    ("eye", "lateral"): ("head", (0.09, 0.045, 0.07)),
    ("ear", ""): ("head", (0.01, 0.075, 0.05)),
    ("mouth", ""): ("head", (0.10, 0.025, -0.01)),
    ("head", ""): ("head", (0.0, 0.0, 0.17)),
    ("toe", "1"): ("toe", (0.05, -0.02, 0.0)),
    ("toe", "5"): ("toe", (0.02, 0.05, 0.0)),
    ("heel", ""): ("foot", (-0.05, 0.0, -0.05)),
}
"""Place and aspect -> slot and position on the left: forward, left, up in the rest pose [m]."""
HAND_M = 0.08
"""Distance of fingers from the wrist, along the forearm [m]."""
TURNS = {"z": np.eye(3), "y": np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])}
"""Up axis of a file -> the file's axes in the world's."""


def keypoint_paths(motion: Motion, mapping: BoneMapping, names: Sequence[str]) -> FloatArray:
    """Return the true points (T, P, 3) of these names [m]."""
    return np.stack([_path(motion, mapping, name) for name in names], axis=1)


def _path(motion: Motion, mapping: BoneMapping, name: str) -> FloatArray:
    landmark = read_label(name)
    assert landmark is not None, name
    if landmark.side == MIDDLE and landmark.place in ("neck", "hip centre"):
        place = "acromion" if landmark.place == "neck" else landmark.place
        left, right = (joint_path(motion, mapping, f"{JOINTS[place]}.{side}") for side in SIDES)
        return 0.5 * (left + right)
    if landmark.place in JOINTS:
        return joint_path(motion, mapping, f"{JOINTS[landmark.place]}.{landmark.side}")
    if landmark.place == "hand":
        elbow, wrist = (
            joint_path(motion, mapping, f"{slot}.{landmark.side}") for slot in ("forearm", "hand")
        )
        return wrist + HAND_M * (wrist - elbow) / np.linalg.norm(wrist - elbow, axis=1, keepdims=True)
    return _on_bone(motion, mapping, landmark)


def joint_path(motion: Motion, mapping: BoneMapping, slot: str) -> FloatArray:
    """Return the joint (T, 3) at which the bone of a slot begins [m]."""
    return np.asarray(motion.position_world[:, _bone(motion, mapping, slot)])


def _bone(motion: Motion, mapping: BoneMapping, slot: str) -> int:
    return motion.skeleton.index[mapping.first(slot)]


def _on_bone(motion: Motion, mapping: BoneMapping, landmark: Landmark) -> FloatArray:
    aspect = landmark.aspect if (landmark.place, landmark.aspect) in POINTS else ""
    part, offset = POINTS[landmark.place, aspect]
    rest = motion.skeleton.rest_position_world
    left = rest[_bone(motion, mapping, "thigh.L")] - rest[_bone(motion, mapping, "thigh.R")]
    left = left / np.linalg.norm(left)
    up = np.array([0.0, 0.0, 1.0])
    aside = {SIDES[0]: 1.0, SIDES[1]: -1.0, MIDDLE: 0.0}[landmark.side]
    place = offset[0] * np.cross(left, up) + aside * offset[1] * left + offset[2] * up
    bone = _bone(motion, mapping, part if part == "head" else f"{part}.{landmark.side}")
    turn = motion.quaternion_world[:, bone]
    rest_turn = motion.skeleton.rest_quaternion_world[bone]
    local = rotations.rotate(rotations.conjugate(rest_turn), place)
    return np.asarray(motion.position_world[:, bone] + rotations.rotate(turn, np.tile(local, (len(turn), 1))))


def resampled(time: FloatArray, paths: FloatArray, rate_hz: float) -> tuple[FloatArray, FloatArray]:
    """Return times (S) and paths (S, P, 3) at another rate."""
    new = np.arange(time[0], time[-1], 1.0 / rate_hz)
    flat = paths.reshape(len(paths), -1)
    columns = [np.interp(new, time, column) for column in flat.T]
    return new, np.stack(columns, axis=1).reshape(len(new), *paths.shape[1:])


def with_noise(
    paths: FloatArray,
    rate_hz: float,
    noise_m: float,
    seed: int = 0,
    dropped: float = 0.0,
    memory_s: float = 0.15,
) -> FloatArray:
    """Return paths with noise of this root mean square length [m], half of it jitter and half slow.

    dropped: share of the samples that are missing, in spells of 0.2 s; memory_s: of the slow half
    """
    rng = np.random.default_rng(seed)
    jitter, drive = rng.normal(size=(2, *paths.shape))
    keep = float(np.exp(-1.0 / (rate_hz * memory_s)))
    drive[0] /= np.sqrt(1.0 - keep**2)
    slow = lfilter([np.sqrt(1.0 - keep**2)], [1.0, -keep], drive, axis=0)
    noisy = paths + noise_m / np.sqrt(3.0) * np.sqrt(0.5) * (jitter + slow)
    spell = max(1, round(0.2 * rate_hz))
    hidden = rng.random((len(paths), paths.shape[1])) < dropped / spell
    for frame, point in np.argwhere(hidden):
        noisy[frame : frame + spell, point] = np.nan
    return np.asarray(noisy)


def write_keypoint_csv(
    path: Path,
    names: Sequence[str],
    paths: FloatArray,
    rate_hz: float | None,
    per_metre: float = 1.0,
    up: str = "z",
) -> Path:
    """Write one row a frame, as FreeMoCap does; with times where a rate is given."""
    cells = np.einsum("ij,tpj->tpi", TURNS[up], per_metre * paths).reshape(len(paths), -1)
    header = [f"{name}_{axis}" for name in names for axis in "xyz"]
    rows = [[f"{value:.6g}" if np.isfinite(value) else "" for value in row] for row in cells]
    if rate_hz is not None:
        header = ["time", *header]
        rows = [[f"{i / rate_hz:.5f}", *row] for i, row in enumerate(rows)]
    path.write_text("\n".join(",".join(row) for row in [header, *rows]) + "\n", encoding="utf-8")
    return path
