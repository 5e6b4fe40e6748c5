"""Motions of other programs come back as they were written: SMPL, Acclaim and OpenSim."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sim_core.base import rotations
from sim_core.base.conventions import FloatArray
from sim_core.base.errors import InputError
from sim_core.base.worker_process import EventWriter
from sim_core.jobs.motion_job import MotionJob, load_motion_outcome, run_jobs, save_motion_job
from sim_core.markers.trc_file import read_trc
from sim_core.motion.motion import Motion
from sim_core.motion.opensim.angles import read_coordinates
from sim_core.motion.opensim.xml_tree import numbers_of, parse_xml, text_of
from sim_core.motion.smpl_body import smpl_skeleton
from sim_core.motion.smpl_npz import read_smpl
from sim_core.reading.bvh_clip import ReadingChoices
from sim_core.sources.motion_source import read_clip
from tests.core.sample_opensim import opensim
from tests.core.sample_sources import FRAMES, Truth, acclaim, amass, chain, file_order, matrices, write_npz

NEAR_M, NEAR_DEG = 1e-3, 0.1
FROM_AMASS = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
"""Z up, and at rest the body looks along -Y."""
FROM_ACCLAIM = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
"""Y up, Z forward."""
FROM_OPENSIM = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
"""Y up, X forward."""


def assert_same(motion: Motion, truth: Truth, world_from_file: FloatArray, unit_m: float = 1.0) -> None:
    """Joints are within NEAR_M, and turned from their rest within NEAR_DEG, in the world's axes."""
    known = file_order(truth, motion.skeleton.names)
    away = motion.position_world - unit_m * known.position @ world_from_file.T
    assert np.linalg.norm(away, axis=-1).max() < NEAR_M
    turned = rotations.from_matrix(world_from_file @ known.rotation @ world_from_file.T)
    from_rest = rotations.multiply(
        motion.quaternion_world, rotations.conjugate(motion.skeleton.rest_quaternion_world)
    )
    assert np.degrees(rotations.angle_between(from_rest, turned)).max() < NEAR_DEG


@pytest.mark.parametrize("joints", [22, 24, 52, 55])
def test_amass_files_come_back(tmp_path: Path, joints: int) -> None:
    arrays, truth = amass(joints)
    clip = read_clip(write_npz(tmp_path / "a.npz", arrays), ReadingChoices(height_m=1.7, fps=100.0))
    assert_same(clip.motion, truth, FROM_AMASS)


def test_poses_in_parts_are_those_of_the_whole(tmp_path: Path) -> None:
    arrays, truth = amass(52)
    poses = arrays.pop("poses")
    rate = arrays.pop("mocap_framerate")
    parts = {"root_orient": poses[:, :3], "pose_body": poses[:, 3:66], "pose_hand": poses[:, 66:]}
    path = write_npz(tmp_path / "x.npz", {**arrays, **parts, "mocap_frame_rate": rate})
    clip = read_clip(path, ReadingChoices(height_m=1.7))
    assert clip.motion.rate_hz == pytest.approx(100.0)
    assert_same(clip.motion, truth, FROM_AMASS)


def test_arrays_that_are_not_needed_may_hold_anything(tmp_path: Path) -> None:
    arrays, truth = amass(22)
    odd = {**arrays, "gender": np.array(b"male"), "labels": np.array([{"pickled": 1}], dtype=object)}
    clip = read_clip(write_npz(tmp_path / "odd.npz", odd), ReadingChoices(height_m=1.7, fps=100.0))
    assert_same(clip.motion, truth, FROM_AMASS)


def test_bodies_that_stand_along_y_are_read_so(tmp_path: Path) -> None:
    arrays, truth = amass(22)
    y_up = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
    root = rotations.to_matrix(rotations.from_vector(arrays["poses"][:, :3]))
    arrays["poses"][:, :3] = rotations.to_vector(rotations.from_matrix(y_up @ root))
    arrays["trans"] = arrays["trans"] @ y_up.T
    clip = read_clip(write_npz(tmp_path / "y.npz", arrays), ReadingChoices(height_m=1.7, fps=100.0))
    assert_same(clip.motion, truth, FROM_AMASS)
    assert any("Up is +Y" in note for note in clip.notes)


@pytest.mark.parametrize(("unit", "angle"), [(100.0, "deg"), (1000.0 / 56.4444, "rad"), (39.3701, "deg")])
def test_acclaim_files_come_back(tmp_path: Path, unit: float, angle: str) -> None:
    truth = acclaim(tmp_path, unit=unit, angle=angle)
    clip = read_clip(tmp_path / "07_01.amc", ReadingChoices(fps=120.0))
    assert clip.unit_m == pytest.approx(1.0 / unit, rel=1e-4)
    assert_same(clip.motion, truth, FROM_ACCLAIM, clip.unit_m)


def test_the_skeleton_of_a_motion_is_found_or_named(tmp_path: Path) -> None:
    truth = acclaim(tmp_path)
    (tmp_path / "07.asf").rename(tmp_path / "other.asf")
    assert_same(
        read_clip(tmp_path / "07_01.amc", ReadingChoices(fps=120.0)).motion, truth, FROM_ACCLAIM, 0.01
    )
    (tmp_path / "third.asf").write_text("not read")
    named = ReadingChoices(fps=120.0, skeleton=tmp_path / "other.asf")
    assert_same(read_clip(tmp_path / "07_01.amc", named).motion, truth, FROM_ACCLAIM, 0.01)


@pytest.mark.parametrize("version", [3, 4])
@pytest.mark.parametrize("degrees", [True, False])
def test_opensim_files_come_back(tmp_path: Path, version: int, degrees: bool) -> None:
    truth = opensim(tmp_path, version, degrees)
    clip = read_clip(tmp_path / "walk.mot", ReadingChoices())
    assert clip.motion.rate_hz == pytest.approx(100.0)
    assert clip.mass_kg == pytest.approx(70.0)
    assert_same(clip.motion, truth, FROM_OPENSIM)


def test_a_header_that_names_the_wrong_unit_of_angles_is_contradicted(tmp_path: Path) -> None:
    truth = opensim(tmp_path, 4, degrees=True)
    file = tmp_path / "walk.mot"
    file.write_text(file.read_text().replace("inDegrees=yes", "inDegrees=no"))
    clip = read_clip(file, ReadingChoices())
    assert_same(clip.motion, truth, FROM_OPENSIM)
    assert any("were read as degrees" in note for note in clip.notes)


def test_the_height_is_that_at_which_standing_feet_stay(tmp_path: Path) -> None:
    """A body leans over its left foot, which stays in place, so the pelvis moves with the leg's length."""
    arrays, _ = amass(22)
    frames, lean = 120, np.radians(20.0) * np.sin(np.linspace(0.0, 3.0 * np.pi, 120))
    vectors = np.zeros((frames, 22, 3))
    vectors[:, 0] = [np.pi / 2.0, 0.0, 0.0]
    vectors[:, 1, 0], vectors[:, 7, 0] = lean, -lean
    unit = smpl_skeleton(22, 1.0)
    hip, knee, ankle = (unit.rest_position_world[unit.index[f"L_{n}"]] for n in ("Hip", "Knee", "Ankle"))
    assert np.allclose(np.cross(knee - hip, ankle - hip), 0.0)
    down = hip + np.linalg.norm(ankle - hip) * np.stack([0.0 * lean, -np.cos(lean), -np.sin(lean)], axis=1)
    foot = np.stack([down[:, 0], -down[:, 2], down[:, 1]], axis=1)
    arrays |= {"poses": vectors.reshape(frames, -1), "trans": [0.0, 0.0, 1.0] - 1.85 * foot}
    told = read_smpl(write_npz(tmp_path / "lean.npz", arrays)).notes
    assert any("with a height of 1.85 m its feet stand still" in note for note in told)
    arrays["trans"] = 0.0 * foot
    told = read_smpl(write_npz(tmp_path / "still.npz", arrays)).notes
    assert any("average proportions and a height of 1.70 m" in note for note in told)


def test_a_job_hands_on_what_was_read(tmp_path: Path) -> None:
    opensim(tmp_path)
    job = MotionJob(str(tmp_path / "walk.mot"), skeleton=str(tmp_path / "walk.osim"))
    save_motion_job(job, tmp_path / "job.npz")
    run_jobs([tmp_path / "job.npz"], [tmp_path / "out.npz"], EventWriter(io.StringIO()))
    read, made = load_motion_outcome(tmp_path / "out.npz"), read_clip(Path(job.file), job.choices)
    assert np.array_equal(read.motion.position_world, made.motion.position_world)
    assert read.mapping.first("thigh.L") == "femur_l"
    assert set(made.notes) <= set(read.notes)


def test_a_model_puts_its_markers_where_the_capture_saw_them(shared_data: Path) -> None:
    """OpenSim's own fit of this walk is 2.5 cm (RMS) from its markers."""
    folder = shared_data / "markers" / "gait2392_subject01"
    file, (seen,) = read_coordinates(folder / "walk_ik.mot"), read_trc(folder / "walk.trc")
    position, turned = file.world_poses()
    time = file.start_s + file.frame_time_s * np.arange(len(position))
    at = seen.start_s + np.arange(len(seen.position)) / seen.rate_hz
    both = (at > time[0] - 1e-3) & (at < time[-1] + 1e-3)
    frame = np.searchsorted(time, at[both] - 1e-3)
    away = []
    for marker in parse_xml(folder / "subject01_scaled.osim").findall("Model/MarkerSet/objects/Marker"):
        body = text_of(marker, "socket_parent_frame").rpartition("/")[2]
        if marker.get("name") in seen.labels and body in file.rest.index:
            bone, place = file.rest.index[body], numbers_of(marker, "location", "marker", 3)
            shown = position[:, bone] + rotations.rotate(turned[:, bone], place)
            known = 1e-3 * seen.position[:, seen.labels.index(str(marker.get("name")))]
            away.append(np.linalg.norm(shown[frame] - known[both], axis=1))
    assert len(away) > 25
    assert np.sqrt(np.nanmean(np.square(away))) < 0.03


def test_a_model_of_the_user_gives_the_body_its_own_shape(tmp_path: Path) -> None:
    """Two shape parameters make the joints larger and longer; the model's origin is not at its pelvis."""
    arrays, _ = amass(22)
    mean = smpl_skeleton(22, 1.6).rest_position_world + [0.01, -0.3, 0.02]
    changes = np.stack([0.1 * mean, mean * [0.0, 0.05, 0.0]], axis=2)
    places = np.eye(24)[:, :22] @ np.eye(22)
    model = write_npz(
        tmp_path / "model.npz", {"v_template": mean, "shapedirs": changes, "J_regressor": places}
    )
    arrays["betas"] = np.array([1.0, 2.0, 7.0])
    heads = mean * [1.1, 1.2, 1.1]
    truth = chain(
        smpl_skeleton(22, 1.0).names,
        smpl_skeleton(22, 1.0).parents.tolist(),
        heads - heads[smpl_skeleton(22, 1.0).parents],
        matrices(arrays["poses"].reshape(FRAMES, 22, 3)),
        arrays["trans"] + heads[0],
    )
    truth = replace(truth, rotation=truth.rotation @ matrices(np.array([-np.pi / 2.0, 0.0, 0.0])))
    path = write_npz(tmp_path / "a.npz", arrays)
    clip = read_clip(path, ReadingChoices(fps=100.0, skeleton=model))
    assert_same(clip.motion, truth, FROM_AMASS)
    write_npz(model, {"v_template": mean, "shapedirs": changes, "J_regressor": places[:20]})
    with pytest.raises(InputError, match="'model.npz' is the model of another body"):
        read_clip(path, ReadingChoices(skeleton=model))
    with pytest.raises(InputError, match="'a.npz' has no array 'v_template'"):
        read_clip(path, ReadingChoices(skeleton=path))
