"""Jobs that meet faults (bench/faults, in its smallest form), what its checks notice, and many file loads."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from random import Random

import bpy
import pytest
from bpy.types import Object

from bench.common.processes import children
from bench.faults.checks import (
    bad_sentences,
    keys_of_actions,
    left_files,
    lost_by_saving,
    lost_keys,
)
from bench.faults.loads import hold_through_loads
from bench.faults.trials import meet
from tests.blender.rigs import animate, humanoid
from tests.blender.user_edits import change_a_key, delete_the_object

pytestmark = pytest.mark.usefixtures("heft_registered")


@pytest.fixture(autouse=True)
def own_temporary_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Files of other programs must not be taken for those of a job."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


@pytest.mark.parametrize(
    ("work", "fault", "phase", "share"),
    [
        ("bake", "Esc", "reading", 0.5),
        ("bake", "new file", "reading", 0.5),
        ("bake", "new file", "writing", 0.5),
        ("bake", "file opened", "writing", 0.9),
        ("bake", "NaN keys", "reading", 0.1),
        ("bake", "child killed", "working", 0.1),
        ("bake", "object deleted", "working", 0.1),
        ("bake", "temporary folder cleaned", "reading", 0.0),
        ("bake", "Blender killed", "reading", 0.1),
        ("bake among supports", "child killed", "working", 0.1),
        ("supports", "Esc", "working", 0.1),
        ("fit", "child ended", "working", 0.1),
        ("fit", "disk full", "reading", 0.0),
        ("fit", "another scene", "writing", 0.7),
        ("retarget", "temporary folder denied", "reading", 0.1),
        ("retarget", "job file damaged", "reading", 0.1),
        ("retarget", "undo and redo", "reading", 0.3),
        ("retarget", "second Heft", "writing", 0.5),
        ("live", "child killed", "working", 0.1),
        ("live", "undo and redo", "working", 0.9),
    ],
)
def test_nothing_is_lost_or_left(work: str, fault: str, phase: str, share: float) -> None:
    assert meet(work, fault, phase, share, Random(1)).defects == []


@pytest.fixture
def figure() -> Object:
    obj = humanoid()
    animate(obj, "Hips")
    return obj


def test_lost_keys_are_noticed(figure: Object, tmp_path: Path) -> None:
    before = keys_of_actions()
    assert list(lost_keys(before, keys_of_actions())) == []
    assert list(lost_by_saving(tmp_path)) == []
    figure, before = bpy.data.objects["Figure"], keys_of_actions()
    change_a_key(figure)
    assert list(lost_keys(before, keys_of_actions())) == ["the keys of 'FigureAction' are changed"]
    before = keys_of_actions()
    delete_the_object(figure)
    assert list(lost_keys(before, keys_of_actions())) == [
        "'FigureAction' has no user and would be lost by saving"
    ]
    bpy.data.actions.remove(bpy.data.actions["FigureAction"])
    assert list(lost_keys(before, keys_of_actions())) == ["the action 'FigureAction' is gone"]


def test_threads_that_end_meanwhile_do_not_disturb_the_count_of_children() -> None:
    before, ends = children(), time.monotonic() + 1.0

    def come_and_go() -> None:
        while time.monotonic() < ends:
            several = [threading.Thread(target=int) for _ in range(8)]
            for one in several:
                one.start()
            for one in several:
                one.join()

    busy = [threading.Thread(target=come_and_go) for _ in range(4)]
    for thread in busy:
        thread.start()
    while time.monotonic() < ends:
        assert children() == before
    for thread in busy:
        thread.join()


def test_orphans_and_files_are_noticed(tmp_path: Path) -> None:
    before = children()
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    assert children() - before == {child.pid}
    child.communicate(b"\n")
    assert children() == before
    part = tmp_path / ".1.heft-part"
    part.touch()
    assert part in left_files(tmp_path)


@pytest.mark.parametrize(
    ("said", "count"),
    [
        ([("INFO", "A note."), ("INFO", "Baked.")], 0),
        ([("ERROR", "The disk is full; try again.")], 0),
        ([], 1),
        ([("ERROR", "One."), ("ERROR", "Two.")], 1),
        ([("INFO", "Baked."), ("ERROR", "It failed.")], 1),
        ([("ERROR", "KeyError: 'x'")], 1),
    ],
)
def test_only_one_sentence_will_do(said: list[tuple[str, str]], count: int) -> None:
    assert len(list(bad_sentences(said))) == count


def test_registration_survives_many_file_loads() -> None:
    assert hold_through_loads(50) == []
