"""C3D and TRC: what is read, in which units and axes, and one sentence for files that are broken."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from sim_core.base.conventions import FloatArray
from sim_core.base.errors import InputError
from sim_core.markers.c3d_libraries import read_with_libraries
from sim_core.markers.file_axes import TURNS
from sim_core.markers.raw_points import with_gaps
from sim_core.markers.read_markers import read_markers
from tests.core.sample_markers import INTEL, MIPS, standing_points, write_c3d, write_trc

SINGLE = 1e-6
"""C3D keeps single precision: a few micrometres at 2 m."""


def seen(points: FloatArray) -> FloatArray:
    """With residuals of 1 mm."""
    return np.concatenate([points, np.ones((*points.shape[:2], 1))], axis=2)


@pytest.mark.parametrize("processor", [INTEL, MIPS])
def test_c3d_is_read_in_metres(tmp_path: Path, processor: int) -> None:
    labels, points = standing_points()
    file = read_markers(write_c3d(tmp_path / "a.c3d", labels, seen(points), processor=processor))
    take = file.take()
    assert take.labels == tuple(labels) and file.unit_m == 1e-3
    assert np.allclose(take.position_world, 1e-3 * points, atol=SINGLE)
    if processor == MIPS:  # ezc3d takes residuals of less than its scale for zero, which is unknown
        assert np.allclose(take.residual, 1e-3)
    assert take.rate_hz == pytest.approx(100.0) and take.first_frame == 1


@pytest.mark.parametrize("turn", sorted(TURNS))
def test_up_axis_is_found_from_head_and_feet(tmp_path: Path, turn: str) -> None:
    """Whatever axes the file has, the body comes out upright and not mirrored."""
    labels, points = standing_points()
    take = read_markers(write_trc(tmp_path / "a.trc", labels, points @ TURNS[turn])).take()
    world = take.position_world
    assert np.allclose(world[..., 2], 1e-3 * points[..., 2], atol=1e-8)
    corner = np.array([1e-3 * points[0, i] - 1e-3 * points[0, 0] for i in (1, 2, 6)])
    found = np.array([world[0, i] - world[0, 0] for i in (1, 2, 6)])
    assert np.linalg.det(found) == pytest.approx(np.linalg.det(corner))


def test_declared_up_axis_that_is_wrong_is_said(tmp_path: Path) -> None:
    labels, points = standing_points()
    file = read_markers(write_c3d(tmp_path / "a.c3d", labels, seen(points), up="+Y"))
    assert any("head is above the feet" in note for note in file.notes)
    assert file.take().position_world[0, 0, 2] == pytest.approx(1.7)


def test_gaps_are_nan(tmp_path: Path) -> None:
    labels, points = standing_points()
    points[1, 2], points[2, 3], points[3, 4] = 0.0, np.nan, -9999.99
    take = read_markers(write_trc(tmp_path / "a.trc", labels, points)).take()
    assert [tuple(index) for index in np.argwhere(~take.seen)] == [(1, 2), (2, 3), (3, 4)]
    with_residuals = seen(np.nan_to_num(points))
    with_residuals[4, 5, 3] = -1.0
    take = read_markers(write_c3d(tmp_path / "a.c3d", labels, with_residuals)).take()
    assert [tuple(index) for index in np.argwhere(~take.seen)] == [(1, 2), (2, 3), (3, 4), (4, 5)]


def test_a_place_with_one_zero_is_no_gap() -> None:
    point = np.array([[[0.0, 5.0, 0.0], [-9999.0, 3.0, 2.0]]])
    assert np.isfinite(with_gaps(point)).all()


def test_subjects_become_takes_without_prefix(tmp_path: Path) -> None:
    labels, points = standing_points()
    both = [f"Ann:{label}" for label in labels] + [f"Bob:{label}" for label in labels] + ["*17"]
    doubled = seen(np.concatenate([points, points + 500.0, points[:, :1]], axis=1))
    file = read_markers(write_c3d(tmp_path / "a.c3d", both, doubled))
    assert [take.name for take in file.takes] == ["Ann", "Bob"]
    assert file.take("Bob").labels[:8] == tuple(labels) and file.take("2") is file.take("Bob")
    assert file.take("Ann").labelled.tolist() == [True] * 8 + [False]
    with pytest.raises(InputError, match="no take 'Eve'"):
        file.take("Eve")


def test_frame_numbers_that_jump_make_several_takes(tmp_path: Path) -> None:
    labels, points = standing_points(6)
    file = read_markers(write_trc(tmp_path / "a.trc", labels, points, numbers=[1, 2, 3, 40, 41, 42]))
    assert [len(take.time) for take in file.takes] == [3, 3]
    assert file.takes[1].first_frame == 40
    assert np.allclose(file.takes[1].position_world, 1e-3 * points[3:])


def test_unit_is_inferred_where_none_is_named(tmp_path: Path) -> None:
    labels, points = standing_points()
    file = read_markers(write_trc(tmp_path / "a.trc", labels, points / 10.0, unit="?"))
    assert file.unit_m == 0.01 and any("unit" in note for note in file.notes)


def test_unit_given_by_the_user_counts(tmp_path: Path) -> None:
    labels, points = standing_points()
    take = read_markers(write_trc(tmp_path / "a.trc", labels, points, unit="m"), unit=1e-3).take()
    assert take.position_world[0, 0, 2] == pytest.approx(1.7)


def sentence(problem: pytest.ExceptionInfo[InputError]) -> str:
    text = str(problem.value)
    assert text.endswith(".") and "\n" not in text
    return text


@pytest.mark.parametrize(
    ("options", "words"),
    [({"unit": "m"}, "look like mm"), ({"rate": "0"}, "rate")],
)
def test_wrong_trc_headers_are_refused(tmp_path: Path, options: dict[str, object], words: str) -> None:
    labels, points = standing_points()
    with pytest.raises(InputError, match=words) as problem:
        read_markers(write_trc(tmp_path / "a.trc", labels, points, **options))  # type: ignore[arg-type]
    sentence(problem)


@pytest.mark.parametrize(("options", "words"), [({"unit": "m"}, "look like mm"), ({"rate_hz": 0.0}, "rate")])
def test_wrong_c3d_headers_are_refused(tmp_path: Path, options: dict[str, object], words: str) -> None:
    labels, points = standing_points()
    with pytest.raises(InputError, match=words) as problem:
        read_markers(write_c3d(tmp_path / "a.c3d", labels, seen(points), **options))  # type: ignore[arg-type]
    sentence(problem)


@pytest.mark.parametrize("keep", [0, 100, 700, 1500, -600])
def test_c3d_that_is_cut_off_is_refused(tmp_path: Path, keep: int) -> None:
    labels, points = standing_points(20)
    path = write_c3d(tmp_path / "a.c3d", labels, seen(points))
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(InputError) as problem:
        read_markers(path)
    assert "a.c3d" in sentence(problem)


def test_files_without_frames_are_refused(tmp_path: Path) -> None:
    labels, points = standing_points()
    with pytest.raises(InputError, match="no frames") as problem:
        read_markers(write_trc(tmp_path / "a.trc", labels, points[:0]))
    sentence(problem)
    with pytest.raises(InputError, match="no frames|cut off") as problem:
        read_markers(write_c3d(tmp_path / "a.c3d", labels, seen(points)[:0]))
    sentence(problem)


@pytest.mark.parametrize("suffix", ["c3d", "trc"])
def test_of_points_with_one_name_the_one_seen_most_keeps_it(tmp_path: Path, suffix: str) -> None:
    labels, points = standing_points()
    doubled = labels[1]
    labels[3], points[2, 1] = doubled, 0.0
    path = tmp_path / f"a.{suffix}"
    file = read_markers(
        write_c3d(path, labels, seen(points)) if suffix == "c3d" else write_trc(path, labels, points)
    )
    take = file.take()
    assert np.allclose(take.position_world[:, take.index(doubled)], 1e-3 * points[:, 3], atol=SINGLE)
    assert take.labels[1] == f"{doubled} (2)" and take.labelled.tolist() == [True, False] + [True] * 6
    assert any(f"called '{doubled}'" in note for note in file.notes)


@pytest.mark.parametrize("name", ["a.trc", "a.c3d", "a.txt"])
def test_other_files_are_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("Hello\n" * 500)
    with pytest.raises(InputError) as problem:
        read_markers(tmp_path / name)
    sentence(problem)
    with pytest.raises(InputError) as problem:
        read_markers(tmp_path / f"absent_{name}")
    sentence(problem)


def test_unseen_markers_everywhere_are_refused(tmp_path: Path) -> None:
    labels, points = standing_points()
    with pytest.raises(InputError, match="ever seen") as problem:
        read_markers(write_trc(tmp_path / "a.trc", labels, np.zeros_like(points)))
    sentence(problem)


@pytest.mark.parametrize(("processor", "library"), [(INTEL, "ezc3d"), (MIPS, "c3d")])
def test_without_its_library_a_c3d_is_refused_and_a_trc_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, processor: int, library: str
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    labels, points = standing_points()
    with pytest.raises(InputError, match=f"'{library}' does not run .* as TRC"):
        read_with_libraries(write_c3d(tmp_path / "a.c3d", labels, seen(points), processor=processor))
    assert read_markers(write_trc(tmp_path / "a.trc", labels, points)).take().labels == tuple(labels)


def test_plates_and_outputs_of_a_real_file(shared_data: Path) -> None:
    """66.5 kg walk over two plates: forces point up, and about body weight passes through a foot."""
    take = read_markers(shared_data / "markers/btk_pig/PiG_walk_One.c3d").take()
    assert len(take.plates) == 2 and take.parameters["Bodymass"] == pytest.approx(66.5)
    for plate in take.plates:
        assert plate.corners_world.shape == (4, 3)
        assert np.ptp(plate.corners_world, axis=0)[:2] == pytest.approx([0.498, 0.498], abs=0.001)
        assert len(plate.time) == 10 * len(take.time)
    assert 0.9 < take.plates[0].force_world[:, 2].max() / (66.5 * 9.81) < 1.4
    assert "LKneeAngles" in take.outputs and "LKneeAngles" not in take.labels
