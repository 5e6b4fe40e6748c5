"""Keypoints as programs for video write them: tables, arrays and folders, and what none of them may be."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sim_core.base.conventions import FloatArray
from sim_core.base.errors import InputError
from sim_core.markers.keypoint_names import BY_COUNT, MEDIAPIPE
from sim_core.markers.label_meaning import read_label
from sim_core.markers.read_markers import read_markers
from sim_core.markers.recognise_set import are_keypoints, find_set
from sim_core.markers.session_folder import is_marker_file
from sim_core.posefit.fit_body import EngineBody
from tests.core.sample_keypoints import keypoint_paths, write_keypoint_csv
from tests.core.sample_markers import write_trc
from tests.core.sample_subject import walker

RATE_HZ = 30.0
SIX_DIGITS_M = 1e-4
"""Coordinates are written with six digits, of up to 10 m."""


@pytest.fixture(scope="module")
def paths() -> FloatArray:
    """Points (T, 33, 3) of a walk, in MediaPipe's order."""
    known = walker(20)
    motion = known.rig.motion(known.take.time, *EngineBody(known.rig.body).poses(known.qpos))
    return keypoint_paths(motion, known.rig.mapping, MEDIAPIPE) + [0.3, 0.2, 0.0]


def write_rows(path: Path, header: Sequence[object], rows: Sequence[Sequence[object]]) -> Path:
    path.write_text("\n".join(",".join(str(cell) for cell in row) for row in [header, *rows]) + "\n")
    return path


def read_back(path: Path, paths: FloatArray, fps: float | None = RATE_HZ) -> tuple[str, ...]:
    """Assert that a file tells these points; return its notes."""
    file = read_markers(path, fps=fps)
    take = file.take()
    assert take.labels == tuple(MEDIAPIPE) and take.rate_hz == pytest.approx(RATE_HZ, rel=1e-5)
    np.testing.assert_allclose(take.position_world, paths, atol=SIX_DIGITS_M)
    return file.notes


@pytest.mark.parametrize("count", [17, 25, 26, 33, 133])
def test_names_of_all_lists_mean_points_of_a_body(count: int) -> None:
    names = BY_COUNT[count][1]
    landmarks = [read_label(name) for name in names]
    assert None not in landmarks and are_keypoints(names)
    for name, landmark in zip(names, landmarks, strict=True):
        assert landmark is not None
        assert landmark.side == ("L" if "left" in name else "R" if "right" in name else "")
    table = find_set(tuple(names))
    assert table is not None and set(table.rows) == set(names)
    assert bool(table.notes) == (count == 17), "COCO-17 alone has no feet"


@pytest.mark.parametrize(
    ("label", "part"),
    [
        ("RHip", "hips"), ("MidHip", "hips"), ("CHip", "hips"), ("Hip", "hips"), ("LBigToe", "foot.L"),
        ("right_foot_index", "foot.R"), ("LThumb", "hand.L"), ("left_pinky", "hand.L"), ("REar", "head"),
        ("mouth_left", "head"), ("left_eye_inner", "head"), ("Nose", "head"), ("LKnee", "thigh.L"),
    ],
)  # fmt: skip
def test_keypoints_belong_to_parts(label: str, part: str) -> None:
    joints = [
        f"{side}{joint}" for side in "LR" for joint in ("Shoulder", "Elbow", "Wrist", "Hip", "Knee", "Ankle")
    ]
    table = find_set(tuple(dict.fromkeys([*joints, label])))
    assert table is not None and table.rows[label].part == part


@pytest.mark.parametrize(
    "spelling", ["{n}_{a}", "{n}.{a}", "{n} {A}", "{a}_{n}", "\"('{n}', '{a}')\"", "{n}_{a}_mm"]
)
def test_coordinates_are_found_however_they_are_spelled(
    tmp_path: Path, paths: FloatArray, spelling: str
) -> None:
    header = [spelling.format(n=name, a=axis, A=axis.upper()) for name in MEDIAPIPE for axis in "xyz"]
    rows = [[f"{value:.3f}" for value in row] for row in 1000.0 * paths.reshape(len(paths), -1)]
    read_back(write_rows(tmp_path / "a.csv", header, rows), paths)


@pytest.mark.parametrize("up", ["y", "z"])
@pytest.mark.parametrize("per_metre", [1.0, 1000.0])
def test_unit_and_up_axis_are_found(tmp_path: Path, paths: FloatArray, per_metre: float, up: str) -> None:
    read_back(
        write_keypoint_csv(tmp_path / "a.csv", MEDIAPIPE, paths, RATE_HZ, per_metre, up), paths, fps=None
    )


def test_a_header_of_two_lines_is_one(tmp_path: Path, paths: FloatArray) -> None:
    names: list[object] = [cell for name in MEDIAPIPE for cell in (name, "", "")]
    rows: list[Sequence[object]] = [list("xyz") * len(MEDIAPIPE), *paths.reshape(len(paths), -1).tolist()]
    read_back(write_rows(tmp_path / "a.csv", names, rows), paths)


def long_rows(paths: FloatArray, *more: object) -> list[list[object]]:
    return [
        [frame, name, *(1000.0 * paths[frame, i]).tolist(), *more]
        for frame in range(len(paths))
        for i, name in enumerate(MEDIAPIPE)
    ]


def test_a_table_with_a_row_for_each_point_is_read_without_face_and_other_versions(
    tmp_path: Path, paths: FloatArray
) -> None:
    header = ["frame", "keypoint", "x", "y", "z", "model", "trajectory", "reprojection_error"]
    rows = long_rows(paths, "mediapipe.body", "3d_xyz", "")
    rows += long_rows(paths + 0.1, "mediapipe.body", "rigid_3d_xyz", "")
    rows += [[frame, "0001", 1.0, 2.0, 3.0, "mediapipe.face", "3d_xyz", ""] for frame in range(len(paths))]
    notes = read_back(write_rows(tmp_path / "freemocap_data_by_frame.csv", header, rows), paths)
    assert any("those of the body were read" in note for note in notes)


def test_persons_become_takes_and_doubled_points_are_refused(tmp_path: Path, paths: FloatArray) -> None:
    header = ["frame", "landmark", "x", "y", "z", "person"]
    both = [*long_rows(paths, 1), *long_rows(paths + 1.0, 2)]
    file = read_markers(write_rows(tmp_path / "two.csv", header, both), fps=RATE_HZ)
    assert [take.name for take in file.takes] == ["1", "2"]
    np.testing.assert_allclose(file.take("2").position_world, paths + 1.0, atol=SIX_DIGITS_M)
    doubled = [row[:5] for row in both]
    with pytest.raises(InputError, match="several places for 'nose' in its frame 1"):
        read_markers(write_rows(tmp_path / "doubled.csv", header[:5], doubled), fps=RATE_HZ)


def test_points_without_names_are_named_by_their_number(tmp_path: Path, paths: FloatArray) -> None:
    header = [f"{axis}{number}" for number in range(1, 34) for axis in "xyz"]
    notes = read_back(write_rows(tmp_path / "a.csv", header, paths.reshape(len(paths), -1).tolist()), paths)
    assert any("taken as those of MediaPipe" in note for note in notes)
    with_hands_and_face = np.concatenate([1000.0 * paths, np.ones((len(paths), 520, 3))], axis=1)
    np.save(tmp_path / "mediapipe_skeleton_3d.npy", with_hands_and_face)
    assert any("first 33" in note for note in read_back(tmp_path / "mediapipe_skeleton_3d.npy", paths))


def as_it_is(seconds: float) -> str:
    return f"{seconds:.6f}"


def in_milliseconds(seconds: float) -> str:
    return f"{1.7e12 + 1000.0 * seconds:.3f}"


def as_date(seconds: float) -> str:
    return f"2024-05-01T10:00:{seconds:09.6f}"


@pytest.mark.parametrize("spelled", [as_it_is, in_milliseconds, as_date])
def test_times_tell_the_rate_in_any_unit(
    tmp_path: Path, paths: FloatArray, spelled: Callable[[float], str]
) -> None:
    header = ["timestamp", *(f"{name}_{axis}" for name in MEDIAPIPE for axis in "xyz")]
    rows = [[spelled(i / RATE_HZ), *row] for i, row in enumerate(paths.reshape(len(paths), -1).tolist())]
    assert read_markers(write_rows(tmp_path / "a.csv", header, rows)).take().rate_hz == pytest.approx(
        RATE_HZ, rel=0.02
    )


def test_the_recording_tells_the_rate_and_measured_times_come_first(
    tmp_path: Path, paths: FloatArray
) -> None:
    output, videos = tmp_path / "output_data", tmp_path / "synchronized_videos"
    output.mkdir()
    videos.mkdir()
    file = write_keypoint_csv(output / "mediapipe_body_3d_xyz.csv", MEDIAPIPE, paths, None, 1000.0)
    with pytest.raises(InputError, match="--fps 30"):
        read_markers(file)
    (output / "recording_parameters.json").write_text(json.dumps({"a": [{"framerate": 25.0}]}))
    assert read_markers(file).take().rate_hz == pytest.approx(25.0)
    times: list[list[object]] = [[i, 1.7e9 + i / 29.97, 1.7e9 + i / 29.97 + 0.002] for i in range(50)]
    write_rows(videos / "walk_timestamps.csv", ["frame", "Camera_0", "Camera_1"], times)
    assert read_markers(file).take().rate_hz == pytest.approx(29.97, rel=1e-3)
    assert read_markers(file, fps=60.0).take().rate_hz == pytest.approx(60.0)


def test_frames_without_a_row_are_gaps(tmp_path: Path, paths: FloatArray) -> None:
    header = ["frame", *(f"{name}_{axis}" for name in MEDIAPIPE for axis in "xyz")]
    kept = [i for i in range(len(paths)) if not 5 <= i < 9]
    rows: list[list[object]] = [[100 + i, *paths[i].reshape(-1).tolist()] for i in kept]
    take = read_markers(write_rows(tmp_path / "a.csv", header, rows), fps=RATE_HZ).take()
    assert len(take.time) == len(paths)
    assert np.flatnonzero(~take.seen.any(axis=1)).tolist() == [5, 6, 7, 8]


def test_places_in_a_picture_are_refused(tmp_path: Path, paths: FloatArray) -> None:
    header = [f"{name}_{axis}" for name in MEDIAPIPE for axis in "xy"]
    flat = write_rows(tmp_path / "xy.csv", header, paths[..., :2].reshape(len(paths), -1).tolist())
    with pytest.raises(InputError, match="no z"):
        read_markers(flat, fps=RATE_HZ)
    low, high = paths.min(axis=(0, 1)), paths.max(axis=(0, 1))
    shares = write_keypoint_csv(tmp_path / "shares.csv", MEDIAPIPE, (paths - low) / (high - low), RATE_HZ)
    with pytest.raises(InputError, match="shares of its width and height"):
        read_markers(shares)
    assert len(read_markers(shares, unit=1.0).take().labels) == 33
    plane = write_keypoint_csv(tmp_path / "plane.csv", MEDIAPIPE, paths * [1.0, 0.0, 1.0], RATE_HZ)
    with pytest.raises(InputError, match="without depth"):
        read_markers(plane)


def test_points_relative_to_the_hips_say_so_and_may_point_down(tmp_path: Path, paths: FloatArray) -> None:
    hips = paths[:, [MEDIAPIPE.index("left_hip"), MEDIAPIPE.index("right_hip")]].mean(axis=1, keepdims=True)
    # MediaPipe's axes: x to the right of the picture, y down, z away from the camera.
    seen = (paths - hips)[..., [1, 2, 0]] * [-1.0, -1.0, 1.0]
    file = read_markers(write_keypoint_csv(tmp_path / "world.csv", MEDIAPIPE, seen, RATE_HZ))
    assert "feet slide" in file.notes[0]
    take = file.take()
    nose, heel = (take.position_world[:, take.index(label), 2] for label in ("nose", "left_heel"))
    assert (nose > heel + 1.0).all()


def trc_of(path: Path, paths: FloatArray) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    return write_trc(path, list(MEDIAPIPE), paths, rate=str(RATE_HZ), unit="m")


@pytest.mark.parametrize("chosen", [".", "Config.toml", "walk", "walk/pose-3d"])
def test_the_folder_of_pose2sim_tells_filtered_trials_of_all_persons(
    tmp_path: Path, paths: FloatArray, chosen: str
) -> None:
    places = tmp_path / "session" / "walk" / "pose-3d"
    trc_of(places / "walk_0-19_P0.trc", paths + 0.5)
    trc_of(places / "walk_0-19_P0_filt_butterworth.trc", paths)
    trc_of(places / "walk_0-19_P0_filt_butterworth_LSTM.trc", paths + 0.5)
    trc_of(places / "walk_0-19_P1.trc", paths + 1.0)
    (tmp_path / "session" / "Config.toml").write_text("")
    path = tmp_path / "session" / chosen
    assert is_marker_file(path)
    file = read_markers(path)
    assert [take.name for take in file.takes] == ["walk_0-19_P0", "walk_0-19_P1"]
    np.testing.assert_allclose(file.take().position_world, paths, atol=SIX_DIGITS_M)
    assert "'walk_0-19_P0_filt_butterworth.trc' was read, and not" in file.notes[0]


def test_the_folder_of_freemocap_tells_its_recording(tmp_path: Path, paths: FloatArray) -> None:
    output = tmp_path / "jump" / "output_data"
    output.mkdir(parents=True)
    np.save(output / "mediapipe_skeleton_3d.npy", paths + 0.5)
    write_keypoint_csv(output / "mediapipe_body_rigid_3d_xyz.csv", MEDIAPIPE, paths + 0.5, RATE_HZ)
    write_keypoint_csv(output / "mediapipe_body_3d_xyz.csv", MEDIAPIPE, paths, RATE_HZ, 1000.0)
    assert read_back(tmp_path / "jump", paths, fps=None)[0] == "'mediapipe_body_3d_xyz.csv' was read."


def test_other_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no keypoints"):
        read_markers(tmp_path)


def test_arrays_that_are_no_keypoints_are_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    np.save(path, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(InputError, match="not a readable file of arrays"):
        read_markers(path, fps=RATE_HZ)
    np.save(path, np.zeros((4, 7, 3)))
    with pytest.raises(InputError, match="7 points without names"):
        read_markers(path, fps=RATE_HZ)
    np.save(path, np.zeros((4, 33, 3)))
    path.write_bytes(path.read_bytes().replace(b"(4, 33, 3)", b"(9999999, 33, 3)".ljust(10))[:2000])
    began = time.monotonic()
    with pytest.raises(InputError):
        read_markers(path, fps=RATE_HZ)
    assert time.monotonic() - began < 1.0


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cut=st.integers(0, 3000), where=st.integers(0, 3000), junk=st.binary(max_size=12))
def test_damaged_tables_are_read_or_refused(
    tmp_path: Path, paths: FloatArray, cut: int, where: int, junk: bytes
) -> None:
    path = tmp_path / "damaged.csv"
    data = write_keypoint_csv(path, MEDIAPIPE, paths[:3], RATE_HZ).read_bytes()[: cut or None]
    path.write_bytes(data[:where] + junk + data[where + len(junk) :])
    try:
        take = read_markers(path).take()
    except InputError as problem:
        assert "damaged.csv" in str(problem) or "units apart" in str(problem)
    else:
        assert take.position_world.shape[0] >= 2
