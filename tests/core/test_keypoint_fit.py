"""Fits of noisy keypoints: lengths, jitter, knees, sides, and the size of a body that never stands up."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sim_core.base.conventions import FloatArray
from sim_core.base.errors import InputError
from sim_core.cli.main import main
from sim_core.markers.facing import forward_shares
from sim_core.markers.fit_pipeline import FitOptions, FittedFile, fit_file
from sim_core.markers.keypoint_names import BODY_25, COCO, HALPE, MEDIAPIPE
from sim_core.markers.usual_motion import SHIN, usual_accelerations
from sim_core.motion.motion import Motion
from sim_core.posefit.fit_body import EngineBody
from tests.core.sample_keypoints import (
    JOINTS,
    joint_path,
    keypoint_paths,
    resampled,
    with_noise,
    write_keypoint_csv,
)
from tests.core.sample_subject import KnownSubject, walker

RATE_HZ = 50.0
SLOTS = [f"{slot}.{side}" for slot in JOINTS.values() for side in "LR"]


@pytest.fixture(scope="module")
def known() -> KnownSubject:
    return walker(150)


@pytest.fixture(scope="module")
def motion(known: KnownSubject) -> Motion:
    return known.rig.motion(known.take.time, *EngineBody(known.rig.body).poses(known.qpos))


def true_points(known: KnownSubject, motion: Motion, names: list[str]) -> FloatArray:
    return resampled(motion.time, keypoint_paths(motion, known.rig.mapping, names), RATE_HZ)[1]


def true_joints(known: KnownSubject, motion: Motion) -> FloatArray:
    joints = np.stack([joint_path(motion, known.rig.mapping, slot) for slot in SLOTS], axis=1)
    return resampled(motion.time, joints, RATE_HZ)[1]


def fitted_joints(fitted: FittedFile) -> FloatArray:
    rig = fitted.fit.subject.calibration.rig
    return EngineBody(rig.body).poses(fitted.fit.qpos)[0][:, [rig.carrier(slot) for slot in SLOTS]]


def rms(away: FloatArray) -> float:
    return float(np.sqrt(np.nanmean(np.sum(away**2, axis=-1))))


@pytest.mark.parametrize(
    ("names", "noise_m"), [(HALPE, 0.02), (HALPE, 0.05), (COCO, 0.03), (BODY_25, 0.03), (MEDIAPIPE, 0.05)]
)
def test_noisy_keypoints_become_a_body_that_moves_smoothly(
    known: KnownSubject, motion: Motion, tmp_path: Path, names: list[str], noise_m: float
) -> None:
    true, joints = true_points(known, motion, names), true_joints(known, motion)
    noisy = with_noise(true, RATE_HZ, noise_m, dropped=0.03)
    fitted = fit_file(write_keypoint_csv(tmp_path / "a.csv", names, noisy, RATE_HZ, 1000.0, "y"))
    found = fitted_joints(fitted)
    # Neighbouring frames and points average what jitters, so what is left is below the noise.
    assert rms(found - joints) < 0.8 * rms(noisy - true)
    bend, raw_bend = np.diff(found, n=2, axis=0), np.diff(noisy, n=2, axis=0)
    assert rms(bend) < rms(raw_bend) / 3.0
    lengths = [
        [float(np.linalg.norm(path[:, a] - path[:, b], axis=1).mean()) for path in (found, joints)]
        for a, b in (
            (SLOTS.index(f"{x}.L"), SLOTS.index(f"{y}.L")) for x, y in (("thigh", "shin"), ("shin", "foot"))
        )
    ]
    for measured, right in lengths:
        # An error of a joint, averaged over a second of independent noise, at both ends of a limb.
        assert abs(measured - right) < 0.01 + noise_m / np.sqrt(RATE_HZ) * np.sqrt(2.0)
    spread = np.linalg.norm(
        np.diff(found[:, [SLOTS.index("shin.L"), SLOTS.index("foot.L")]], axis=1), axis=2
    ).std()
    assert spread < 1e-6
    assert len(fitted.fit.used_labels) == len(names)


def test_knees_do_not_bend_backwards(known: KnownSubject, motion: Motion, tmp_path: Path) -> None:
    noisy = with_noise(true_points(known, motion, COCO), RATE_HZ, 0.05)
    fit = fit_file(write_keypoint_csv(tmp_path / "a.csv", COCO, noisy, RATE_HZ)).fit
    engine = EngineBody(fit.subject.calibration.rig.body)
    for side in "LR":
        joint = int(
            engine.model.body_jntadr[engine.body[fit.subject.calibration.rig.carrier(f"shin.{side}")]]
        )
        low, high = engine.model.jnt_range[joint]
        angle = fit.qpos[:, engine.model.jnt_qposadr[joint]]
        assert low - np.radians(3.0) < angle.min() and angle.max() < high + np.radians(3.0)


@pytest.mark.parametrize(("names", "mirrored"), [(HALPE, True), (COCO, False)])
def test_exchanged_sides_are_refused(
    known: KnownSubject, motion: Motion, tmp_path: Path, names: list[str], mirrored: bool
) -> None:
    noisy = with_noise(true_points(known, motion, names), RATE_HZ, 0.03)
    assert np.mean(forward_shares(names, noisy)) > 0.9
    swapped = [
        name.replace("left", "#").replace("right", "left").replace("#", "right") if not mirrored else name
        for name in names
    ]
    wrong = noisy * [1.0, -1.0, 1.0] if mirrored else noisy
    path = write_keypoint_csv(tmp_path / "a.csv", swapped, wrong, RATE_HZ)
    with pytest.raises(InputError, match="Left and right seem to be exchanged"):
        fit_file(path, FitOptions(quality="preview"))


def test_the_height_follows_from_lengths_and_not_from_a_bent_stand(
    known: KnownSubject, motion: Motion, tmp_path: Path
) -> None:
    walk = fit_file(write_keypoint_csv(tmp_path / "a.csv", HALPE, true_points(known, motion, HALPE), RATE_HZ))
    engine = EngineBody(known.rig.body)
    crouched = known.qpos.copy()
    for side in "LR":
        for slot, axis, angle in ((f"thigh.{side}", 1, -1.4), (f"shin.{side}", 0, 2.0)):
            link = known.rig.carrier(slot)
            change = np.zeros((len(crouched), engine.model.nv))
            change[:, engine.model.body_dofadr[engine.body[link]] + axis] = angle
            crouched = engine.moved(crouched, change)
    bent = known.rig.motion(known.take.time, *engine.poses(crouched))
    path = write_keypoint_csv(tmp_path / "b.csv", HALPE, true_points(known, bent, HALPE), RATE_HZ)
    assert fit_file(path).fit.subject.height == pytest.approx(walk.fit.subject.height, rel=0.03)


def test_accelerations_are_those_of_the_joints(known: KnownSubject) -> None:
    engine = EngineBody(known.rig.body)
    usual = usual_accelerations(engine, known.rig)
    shin = engine.model.body_dofadr[engine.body[known.rig.carrier("shin.L")]]
    assert usual.shape == (engine.model.nv,) and usual[shin] == SHIN and (usual > 0.0).all()


def test_the_command_asks_for_the_rate_and_takes_it(
    known: KnownSubject, motion: Motion, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_keypoint_csv(tmp_path / "a.csv", COCO, true_points(known, motion, COCO), None, 1000.0)
    out = tmp_path / "fit.npz"
    assert main(["fit", str(path), "--out", str(out), "--quality", "preview"]) != 0
    assert "--fps" in capsys.readouterr().err and not out.exists()
    assert main(["fit", str(path), "--out", str(out), "--quality", "preview", "--fps", "50"]) == 0
    assert "17 of 17 markers" in "".join(capsys.readouterr())
