"""The table of markers: recognised, edited, saved and loaded again, and broken files reported."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest
from bpy.types import Object
from heft.addon.markers import marker_table
from heft.addon.markers.marker_table import table_of
from heft.addon.presets import user_files

from tests.blender.marker_takes import import_file, walking_file
from tests.blender.test_operators import assert_one_sentence
from tests.core.sample_markers import standing_points, write_trc

pytestmark = pytest.mark.usefixtures("heft_registered")


@pytest.fixture
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "own"
    folder.mkdir()
    monkeypatch.setattr(user_files, "user_folder_for", lambda _kind: folder)
    return folder


@pytest.fixture
def take(tmp_path: Path) -> Object:
    return import_file(walking_file(tmp_path)[0])


def parts(obj: Object) -> dict[str, str]:
    return {row.label: row.part for row in obj.heft_take.rows}


def test_a_known_set_is_recognised_on_import(take: Object) -> None:
    assert take.heft_take.set_name == "Plug-in Gait"
    assert parts(take) | {"LANK": "shin.L", "RTOE": "foot.R", "LFHD": "head"} == parts(take)
    table = table_of(take)
    assert table.rows["LTOE"].offset is not None
    mirrored = np.array(table.rows["LTOE"].offset) * [1.0, -1.0, 1.0]
    assert np.allclose(table.rows["RTOE"].offset, mirrored, atol=1e-6)


def test_a_part_chosen_by_hand_forgets_the_old_place(take: Object) -> None:
    row = next(row for row in take.heft_take.rows if row.label == "LANK")
    row.part = "thigh.L"
    placement = table_of(take).rows["LANK"]
    assert (placement.part, placement.offset) == ("thigh.L", None)
    row.part = "NONE"
    assert "LANK" not in table_of(take).rows
    bpy.ops.heft.recognise_markers()
    assert row.part == "shin.L"
    assert row.has_offset


def test_unknown_markers_leave_the_table_empty(tmp_path: Path) -> None:
    labels, points = standing_points()
    path = write_trc(tmp_path / "x.trc", [f"Q{n}_thing" for n in range(len(labels))], points)
    obj = import_file(path)
    assert set(parts(obj).values()) == {"NONE"}
    with pytest.raises(RuntimeError) as caught:
        bpy.ops.heft.recognise_markers()
    assert_one_sentence(str(caught.value))


def test_a_saved_set_comes_back(take: Object, own_folder: Path) -> None:
    next(row for row in take.heft_take.rows if row.label == "LASI").part = "chest"
    before, wanted = parts(take), table_of(take)
    assert bpy.ops.heft.save_marker_set(name="Studio A") == {"FINISHED"}
    assert bpy.ops.heft.load_marker_set(preset="cmu_41") == {"FINISHED"}
    assert parts(take) != before
    (own,) = [key for key, _ in marker_table.set_keys() if key.startswith(user_files.USER_PREFIX)]
    assert bpy.ops.heft.load_marker_set(preset=own) == {"FINISHED"}
    assert parts(take) == before
    assert take.heft_take.set_name == "Studio A"
    for label, placement in table_of(take).rows.items():
        same = wanted.rows[label]
        assert (placement.offset is None) == (same.offset is None)
        assert placement.offset is None or np.allclose(placement.offset, same.offset, atol=1e-6)
    with pytest.raises(RuntimeError, match="already"):
        bpy.ops.heft.save_marker_set(name="Studio A")
    assert bpy.ops.heft.remove_marker_set(preset=own) == {"FINISHED"}
    assert list(own_folder.iterdir()) == []


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        "{}",
        '{"centre": []}',
        '{"centre": {"LASI": ["elbow", null, 0.1]}}',
        '{"centre": {"LASI": ["hips"]}}',
        '{"centre": {"LASI": ["hips", [1, 2], "bone"]}}',
    ],
)
def test_a_broken_set_says_what_is_wrong_and_changes_nothing(
    take: Object, own_folder: Path, text: str
) -> None:
    (own_folder / "mine.json").write_text(text)
    before = parts(take)
    with pytest.raises(RuntimeError) as caught:
        bpy.ops.heft.load_marker_set(preset=f"{user_files.USER_PREFIX}mine")
    assert_one_sentence(str(caught.value))
    assert "mine" in str(caught.value)
    assert parts(take) == before
    assert take.heft_take.set_name == "Plug-in Gait"


def test_the_folder_of_own_sets_can_be_written() -> None:
    folder = marker_table.FILES.path()
    assert folder.is_dir()
    assert folder.name == marker_table.FILES.folder
