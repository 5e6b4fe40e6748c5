"""Undo steps and files that a script makes while a result is written: the half is never shown again."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
import pytest
from bpy.types import Object
from heft.addon.bake.bake_job import BakeSession
from heft.addon.bake.bake_options import participants_of
from heft.addon.blender import compat
from heft.addon.blender.half_written import mark_action
from heft.addon.jobs import job_session
from heft.addon.markers.fit import FitSession
from heft.sim_core.base.errors import InputError

from tests.blender.marker_takes import import_file, walker_file
from tests.blender.rigs import animate, fingerprint, humanoid
from tests.blender.runs_here import run_here

pytestmark = pytest.mark.usefixtures("heft_registered")


@pytest.fixture
def figure(monkeypatch: pytest.MonkeyPatch) -> Object:
    run_here(monkeypatch)
    obj = humanoid()
    animate(obj, "Hips")
    obj.heft.range_mode, obj.heft.frame_start, obj.heft.frame_end = "CUSTOM", 1, 5
    return obj


@pytest.fixture(autouse=True)
def short_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """A step of no length is one channel, so that scripts can come between any two."""
    monkeypatch.setattr(job_session, "STEP_S", 0.0001)


def run_until(session: Any, reached: Callable[[], bool]) -> None:
    """Run a job until a half of its result is in the file, and let a script make an undo step there."""
    bpy.ops.ed.undo_push(message="Before")
    while not reached():
        assert session.step(bpy.context) is None
        time.sleep(0.001)
    assert session.progress.stage == "Writing the keys"
    bpy.ops.ed.undo_push(message="Of a script")


def half_assigned() -> BakeSession:
    """A bake whose new action is the figure's already, but not checked yet."""
    session = BakeSession(bpy.context, participants_of(bpy.context, simulate=False))
    run_until(session, lambda: shown().name == "FigureAction_heft")
    return session


def shown() -> Any:
    return bpy.data.objects["Figure"].animation_data.action


@pytest.mark.parametrize("part", ["armature", "action"])
def test_redo_does_not_bring_back_half_a_fit(tmp_path: Path, part: str) -> None:
    take = import_file(walker_file(tmp_path, 30)[0])
    before = set(bpy.data.objects.keys()), set(bpy.data.armatures.keys()), set(bpy.data.actions.keys())
    session = FitSession(bpy.context, take)
    made = bpy.data.armatures if part == "armature" else bpy.data.actions
    run_until(session, lambda: len(made) > 0)
    for _ in range(2):
        bpy.ops.ed.undo()
        bpy.ops.ed.redo()
        found = set(bpy.data.objects.keys()), set(bpy.data.armatures.keys()), set(bpy.data.actions.keys())
        assert found == before
    with pytest.raises(InputError, match=r"nothing was written; fit again\.$"):
        session.step(bpy.context)


def test_redo_shows_the_source_in_place_of_half_a_bake(figure: Object) -> None:
    before = fingerprint(figure)
    session = half_assigned()
    bpy.ops.ed.undo()
    bpy.ops.ed.redo()
    assert list(bpy.data.actions.keys()) == ["FigureAction"]
    assert shown().name == "FigureAction"
    assert (shown().users, shown().use_fake_user) == (1, False)
    assert fingerprint(bpy.data.objects["Figure"]) == before
    with pytest.raises(InputError, match=r"nothing was written; simulate again\.$"):
        session.step(bpy.context)


def test_a_whole_result_stays_and_the_half_before_it_does_not(figure: Object) -> None:
    session = half_assigned()
    while session.step(bpy.context) is None:
        pass
    source = figure.heft.source_action
    assert source.users == 2, "the fake user and the record"
    bpy.ops.ed.undo_push(message="Simulate")
    bpy.ops.ed.undo()  # to the step of the script
    assert list(bpy.data.actions.keys()) == ["FigureAction"]
    assert shown().name == "FigureAction"
    bpy.ops.ed.redo()
    assert shown().name == "FigureAction_heft"
    assert bpy.data.objects["Figure"].heft.baked_action == shown()
    bpy.ops.ed.undo_push(message="Later")
    bpy.ops.ed.undo()
    assert shown().name == "FigureAction_heft"


def test_a_file_that_was_saved_meanwhile_opens_without_the_half(figure: Object, tmp_path: Path) -> None:
    session = half_assigned()  # which would take its part back if nobody held it
    path = str(tmp_path / "meanwhile.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path, copy=True)
    assert shown().name == "FigureAction_heft"
    session.cancel()
    bpy.ops.wm.open_mainfile(filepath=path)
    assert list(bpy.data.actions.keys()) == ["FigureAction"]
    assert shown().name == "FigureAction"


def test_a_second_half_is_taken_back_to_the_source_of_the_first(figure: Object) -> None:
    """As where a retargeted motion is simulated: its action is a copy of one that is new as well."""
    bpy.ops.ed.undo_push(message="Before")
    for name in ("first", "second"):
        source = compat.action_of(figure)
        target = compat.copy_action(source, name)
        mark_action(target.action, source, False)
        source.action.use_fake_user = True
        compat.assign_action(figure.animation_data, target)
    bpy.ops.ed.undo_push(message="Of a script")
    bpy.ops.ed.undo()
    bpy.ops.ed.redo()
    assert list(bpy.data.actions.keys()) == ["FigureAction"]
    assert shown().name == "FigureAction"


def test_a_deleted_source_is_not_held_by_the_mark(figure: Object) -> None:
    session = half_assigned()
    bpy.data.actions.remove(bpy.data.actions["FigureAction"])
    with pytest.raises(InputError):
        while session.step(bpy.context) is None:
            pass
    assert list(bpy.data.actions.keys()) == []
