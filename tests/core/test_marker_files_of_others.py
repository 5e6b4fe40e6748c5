"""Marker files as other programs write them: readable ones are read, damaged ones refused in bounded time."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest

from sim_core.base.conventions import FloatArray
from sim_core.base.errors import InputError
from sim_core.markers.c3d_layout import BLOCK
from sim_core.markers.c3d_libraries import read_with_libraries
from sim_core.markers.file_axes import find_file_axes
from sim_core.markers.read_markers import read_markers
from tests.core.sample_markers import INTEL, MIPS, standing_points, write_c3d, write_trc

SINGLE = 1e-6
"""C3D keeps single precision: a few micrometres at 2 m."""
LONGEST_S = 5.0
"""Longest time until a file is refused [s]."""


def seen(points: FloatArray) -> FloatArray:
    """With residuals of 1 mm."""
    return np.concatenate([points, np.ones((*points.shape[:2], 1))], axis=2)


def with_line_4(path: Path, line: str) -> Path:
    lines = path.read_text().split("\n")
    lines[3] = line
    path.write_text("\n".join(lines))
    return path


@pytest.mark.parametrize("between", ["\t", "\t\t", "\t\t\t\t"])
def test_labels_of_a_trc_may_have_any_number_of_tabs_between_them(tmp_path: Path, between: str) -> None:
    labels, points = standing_points()
    path = write_trc(tmp_path / "a.trc", labels, points)
    take = read_markers(with_line_4(path, "Frame#\tTime\t" + between.join(labels) + between)).take()
    assert take.labels == tuple(labels)
    assert np.allclose(take.position_world, 1e-3 * points, atol=1e-8)


def test_a_label_above_each_column_of_a_trc_counts_once(tmp_path: Path) -> None:
    labels, points = standing_points()
    path = write_trc(tmp_path / "a.trc", labels, points)
    thrice = "\t".join(label for label in labels for _ in "XYZ")
    assert read_markers(with_line_4(path, f"Frame#\tTime\t{thrice}")).take().labels == tuple(labels)


def test_a_trc_whose_names_do_not_fit_its_markers_is_refused(tmp_path: Path) -> None:
    labels, points = standing_points()
    path = write_trc(tmp_path / "a.trc", labels[:5], points)
    with pytest.raises(InputError, match="names 5 markers, but the frames hold 8, and NumMarkers says 5"):
        read_markers(path)


def test_markers_without_a_name_at_the_end_of_a_trc_are_kept(tmp_path: Path) -> None:
    labels, points = standing_points()
    path = write_trc(tmp_path / "a.trc", labels, points)
    file = read_markers(with_line_4(path, "Frame#\tTime\t" + "\t\t\t".join(labels[:6])))
    assert file.take().labelled.tolist() == [True] * 6 + [False] * 2
    assert any("names 6 of 8" in note for note in file.notes)


@pytest.mark.parametrize("told", [3, 9])
def test_a_stale_number_of_frames_is_said(tmp_path: Path, told: int) -> None:
    labels, points = standing_points()
    file = read_markers(write_trc(tmp_path / "a.trc", labels, points, frames=told))
    assert len(file.take().time) == len(points)
    assert any(f"says it has {told} frames" in note for note in file.notes)


@pytest.mark.parametrize("lost", [1, 30, 90])
def test_a_trc_that_ends_within_a_line_is_refused(tmp_path: Path, lost: int) -> None:
    labels, points = standing_points()
    path = write_trc(tmp_path / "a.trc", labels, points, frames=9)
    path.write_bytes(path.read_bytes()[:-lost])
    with pytest.raises(InputError, match="cut off"):
        read_markers(path)


@pytest.mark.parametrize("processor", [INTEL, MIPS])
@pytest.mark.parametrize("extra", [["ghost", "ghoul"], None])
def test_a_c3d_may_name_more_or_fewer_points_than_it_has(
    tmp_path: Path, processor: int, extra: list[str] | None
) -> None:
    labels, points = standing_points()
    named = labels[:6] if extra is None else labels + extra
    # The sample's USED follows its labels, so the header alone tells the number of points.
    path = write_c3d(tmp_path / "a.c3d", named, seen(points), processor=processor)
    data = bytearray(path.read_bytes())
    at = data.index(b"USED") + 8
    data[at : at + 2] = len(labels).to_bytes(2, "big" if processor == MIPS else "little")
    path.write_bytes(bytes(data))
    take = read_markers(path).take()
    assert len(take.labels) == len(labels) and take.labels[:6] == tuple(labels[:6])
    assert np.allclose(take.position_world, 1e-3 * points, atol=SINGLE)


def test_a_c3d_that_only_the_second_library_reads_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    labels, points = standing_points()
    path = write_c3d(tmp_path / "a.c3d", labels, seen(points))

    def refuses(*_: object, **__: object) -> None:
        raise OSError("not a C3D file")

    monkeypatch.setattr("ezc3d.c3d", refuses)
    file = read_with_libraries(path)
    assert np.allclose(file.position, points, atol=1e3 * SINGLE)
    assert any("departs from the format" in note for note in file.notes)


@pytest.mark.parametrize("processor", [INTEL, MIPS])
def test_damaged_c3ds_are_read_or_refused_soon(tmp_path: Path, processor: int) -> None:
    """Bytes of header and parameters are overwritten: no crash of a library, no long search."""
    labels, points = standing_points(20)
    path = write_c3d(tmp_path / "a.c3d", labels, seen(points), processor=processor)
    whole, rng = path.read_bytes(), np.random.default_rng(0)
    longest, refused = 0.0, 0
    for _ in range(12):
        data = bytearray(whole)
        for at in rng.integers(2, BLOCK + 480, size=int(rng.integers(1, 5))):
            data[at] = int(rng.choice([0, 255, int(rng.integers(256))]))
        path.write_bytes(bytes(data))
        began = time.perf_counter()
        try:
            read_markers(path)
        except InputError as problem:
            assert str(problem).endswith(".")
            refused += 1
        longest = max(longest, time.perf_counter() - began)
    assert longest < LONGEST_S and refused > 1


def test_a_wrong_declaration_of_up_does_not_turn_legs_over(tmp_path: Path) -> None:
    """Markers of legs alone show which way is up: the pelvis is above the knees, and they above the feet."""
    heights = {"asis": 980.0, "psis": 990.0, "knee": 500.0, "ankle": 90.0, "heel": 40.0, "toe": 30.0}
    labels = [f"{side}_{name}" for name in heights for side in "lr"]
    points = np.array(
        [[40.0 * i, 100.0 * (i % 2), z] for i, z in enumerate(np.repeat(list(heights.values()), 2))]
    )
    moving = seen(np.tile(points, (5, 1, 1)) + np.arange(5)[:, None, None] * [10.0, 0.0, 0.0])
    file = read_markers(write_c3d(tmp_path / "a.c3d", labels, moving, up="-Z"))
    assert file.take().position_world[0, 0, 2] == pytest.approx(0.98)
    assert any("says -Z is up" in note for note in file.notes)


def test_force_plates_show_which_way_is_up() -> None:
    """Points without telling names are above the plates."""
    points = np.random.default_rng(0).uniform([0.0, 0.0, 50.0], [400.0, 400.0, 1800.0], (5, 20, 3))
    corners = np.array([[0.0, 0.0, 0.0], [400.0, 0.0, 0.0], [400.0, 400.0, 0.0], [0.0, 400.0, 0.0]])
    names = tuple(f"q{i}" for i in range(20))
    axes = find_file_axes(names, points, "mm", "-Z", None, [corners])
    assert np.allclose(axes.turn, np.eye(3)) and "above the force plates" in axes.notes[0]
    assert not find_file_axes(names, points, "mm", "+Z", None, [corners]).notes


def test_a_parameter_beyond_the_end_is_named_with_its_place(tmp_path: Path) -> None:
    labels, points = standing_points()
    path = write_c3d(tmp_path / "a.c3d", labels, seen(points))
    data = bytearray(path.read_bytes())
    at = data.index(b"LABELS") + len("LABELS")
    data[at + 4 : at + 6] = b"\xff\xff"
    path.write_bytes(bytes(data))
    with pytest.raises(InputError, match=f"damaged at byte {at - 8}"):
        read_markers(path)
