"""The library benchmark: which clips it takes, what it counts, and that it goes on where it stopped."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.library import __main__ as library
from bench.library.clips import LibraryClip, read_library
from bench.library.report import Row, tables
from sim_core.cli.batch.batch_folder import FAILED, FELL, UP, ItemRecord
from sim_core.motion.bvh_writer import write_bvh
from tests.core.sample_people import person, standing


def touch(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()


def test_a_folder_of_anything_is_read(tmp_path: Path) -> None:
    touch(tmp_path, "a.bvh", "walks/b.BVH", "walks/old/a.bvh", "walks/notes.txt", "c.fbx")
    found = read_library(tmp_path)
    assert {clip.name: clip.group for clip in found.clips} == {
        f"{tmp_path.name}_a": "all",
        "b": "walks",
        "old_a": "walks/old",
    }
    assert {path.name for path in found.skipped} == {"notes.txt", "c.fbx"}


def test_a_list_gives_groups_and_rates(tmp_path: Path) -> None:
    touch(tmp_path, "x/a.bvh", "b.bvh", "c.c3d")
    (tmp_path / "list.csv").write_text("file,group,fps\nx/a.bvh,walk,\nb.bvh,flip,60\nc.c3d,walk,\n")
    found = read_library(tmp_path / "list.csv")
    assert found.clips == (
        LibraryClip("a", tmp_path / "x" / "a.bvh", "walk"),
        LibraryClip("b", tmp_path / "b.bvh", "flip", 60.0),
    )
    assert found.skipped == (tmp_path / "c.c3d",)


@pytest.mark.parametrize(
    "text", ["clip,group\na.bvh,walk\n", "file,group\nreadme.txt,walk\n", "file\ngone.bvh\n"]
)
def test_a_list_that_cannot_be_read_rightly_is_refused(text: str, tmp_path: Path) -> None:
    touch(tmp_path, "a.bvh", "readme.txt")
    (tmp_path / "list.csv").write_text(text)
    with pytest.raises(SystemExit, match="--clips"):
        read_library(tmp_path / "list.csv")


def row(name: str, group: str, state: str, error_deg: float = 1.0, mpjpe: float = 20.0) -> Row:
    figures = {
        "full": state == UP,
        "up_s": 1.5,
        "seconds": 4.0,
        "joint_error_deg": error_deg,
        "joint_error_source_deg": 2.0,
        "mpjpe_source_mm": mpjpe,
        "mpjpe_global_source_mm": 3.0 * mpjpe,
    }
    clip = LibraryClip(name, Path(f"{name}.bvh"), group)
    if state == FAILED:
        return Row(clip, ItemRecord(name, "", FAILED, "It is | broken."))
    return Row(clip, ItemRecord(name, "", state, metrics=figures, cpu_seconds=10.0))


def test_groups_count_all_that_was_run_and_measure_what_reaches_the_end() -> None:
    rows = [
        row("a", "walk", UP, mpjpe=20.0),
        row("b", "walk", UP, mpjpe=40.0),
        row("c", "walk", FELL, mpjpe=500.0),
        row("d", "walk", UP, error_deg=30.0, mpjpe=700.0),
        row("e", "flip", FAILED),
        Row(LibraryClip("f", Path("f.bvh"), "flip"), None),
    ]
    lines = tables(rows).splitlines()
    assert "| walk | 2 of 4 | 1.0 | 2.0 | 30 | 90 | 2.5 |" in lines
    assert "| flip | 0 of 1 | - | - | - | - | - |" in lines
    assert "| all clips | 2 of 5 | 1.0 | 2.0 | 30 | 90 | 2.5 |" in lines
    outcomes = {line.split(" | ")[0].strip("| "): line.split(" | ")[2] for line in lines[7:]}
    assert outcomes["c"] == "falls at 1.5 s" and outcomes["d"] == "tumbles"
    assert outcomes["e"] == "refused: It is / broken." and outcomes["f"] == "not run yet"


def test_clips_are_baked_once_and_the_page_says_what_was_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(library, "CACHE", tmp_path / "cache")
    clips = tmp_path / "clips"
    touch(clips, "readme.txt", "broken.bvh")
    write_bvh(person(standing(0.3)), clips / "stand.bvh")
    words = ["--clips", str(clips), "--out", str(tmp_path), "--set", "quality=draft"]
    assert library.main(words) == 0
    printed = capfd.readouterr()
    assert f"{clips / 'readme.txt'}: skipped" in printed.out
    page = (tmp_path / "library.md").read_text()
    assert "2 of 2 clips were run; 1 files of other kinds were skipped" in page
    assert "| all | 1 of 2 |" in page and "| stand | all | to the end |" in page
    assert "| broken | all | refused: " in page
    assert library.main(words) == 0
    assert "1 of 2 items are finished already" in capfd.readouterr().err
    assert library.main([*words, "--report"]) == 0
    assert "[2/2]" not in capfd.readouterr().err
