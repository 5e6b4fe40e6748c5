"""Files say with which Heft they were saved, and an older one is opened with lines on what has changed."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest
from heft.addon.presets import file_version

from sim_core import VERSION
from tests.blender.test_scene_reader import cube

pytestmark = pytest.mark.usefixtures("heft_registered")


@pytest.mark.parametrize(
    ("saved", "present", "lines"),
    [
        ("", "1.0.0", 3),
        ("0.9.2", "1.2.0", 3),
        ("1.0.0", "1.0.0", 0),
        ("1.0.0", "1.9.0", 0),
        ("0.9.10", "0.10.0", 0),
        ("2.0.0", "1.0.0", 1),
    ],
)
def test_news_are_what_changed_between_two_versions(saved: str, present: str, lines: int) -> None:
    assert len(file_version.news_since(saved, present)) == lines


def test_a_file_that_uses_heft_is_stamped_and_others_are_not(tmp_path: Path) -> None:
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "without.blend"))
    assert bpy.context.scene.heft_file.version == ""
    cube("Step", "GROUND")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "with.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "with.blend"))
    assert bpy.context.scene.heft_file.version == VERSION
    assert file_version.file_news() == ()


def test_an_older_file_is_told_until_it_is_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cube("Step", "GROUND")
    monkeypatch.setattr(file_version, "VERSION", "0.1.0")
    path = str(tmp_path / "old.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    monkeypatch.setattr(file_version, "VERSION", "1.0.0")
    bpy.ops.wm.open_mainfile(filepath=path)
    first, *changes = file_version.file_news()
    assert first == "Saved with Heft 0.1.0:" and tuple(changes) == file_version.CHANGES["1.0.0"]
    bpy.ops.wm.save_mainfile()
    assert file_version.file_news() == ()
    bpy.ops.wm.open_mainfile(filepath=path)
    assert file_version.file_news() == ()
