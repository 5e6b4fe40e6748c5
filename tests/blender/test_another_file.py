"""Another file is opened or made while a job reads or writes: it ends with a sentence, not with a crash."""

from __future__ import annotations

import time
from collections.abc import Callable

import bpy
import pytest
from bpy.types import Object
from heft.addon.bake.bake_job import BakeSession
from heft.addon.bake.bake_options import participants_of
from heft.addon.blender import compat, result_actions
from heft.addon.blender.result_actions import checksum, taking_checksum
from heft.addon.jobs import job_session
from heft.sim_core.base.errors import InputError

from tests.blender.rigs import animate, humanoid
from tests.blender.runs_here import run_here
from tests.blender.user_edits import factory_settings, new_file, open_file

pytestmark = pytest.mark.usefixtures("heft_registered")


@pytest.fixture
def figure(monkeypatch: pytest.MonkeyPatch) -> Object:
    run_here(monkeypatch)
    # A step of no length is one sample, so that files can be opened between any two.
    monkeypatch.setattr(job_session, "READING_STEP_S", 0.0001)
    monkeypatch.setattr(job_session, "STEP_S", 0.0001)
    obj = humanoid()
    animate(obj, "Hips")
    obj.heft.range_mode, obj.heft.frame_start, obj.heft.frame_end = "CUSTOM", 1, 12
    return obj


@pytest.mark.parametrize("replace_file", [new_file, factory_settings, open_file])
@pytest.mark.parametrize("steps", [0, 1, 3, 8, 20, 60, 150])
def test_a_job_ends_with_its_file(figure: Object, replace_file: Callable[[], None], steps: int) -> None:
    session = BakeSession(bpy.context, participants_of(bpy.context, simulate=False))
    for _ in range(steps):
        if session.step(bpy.context) is not None:
            break
        time.sleep(0.001)
    replace_file()
    actions = len(bpy.data.actions)
    for _ in range(2):
        with pytest.raises(InputError, match="Another file was opened .* simulate again"):
            session.step(bpy.context)
    assert len(bpy.data.actions) == actions


def test_curves_that_go_while_they_are_read_are_not_touched(
    figure: Object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(result_actions, "PARTS_A_STEP", 1)
    action = figure.animation_data.action
    whole = checksum(action)
    reading = taking_checksum(action)
    for _ in range(3):
        next(reading)
    for curve in compat.curves_of(compat.action_of(figure)):
        curve.keyframe_points.clear()
    with pytest.raises(StopIteration) as end:
        while True:
            next(reading)
    assert end.value.value != whole, "the change is noticed"
    reading = taking_checksum(action)
    next(reading)
    bpy.data.actions.remove(action)
    with pytest.raises(ReferenceError):
        next(reading)


@pytest.mark.parametrize("step", ["undo", "redo"])
@pytest.mark.parametrize("stage", ["Reading the motion", "Writing the keys"])
def test_a_job_ends_before_an_undo_frees_what_it_holds(figure: Object, step: str, stage: str) -> None:
    bpy.ops.ed.undo_push(message="Animated")
    bpy.context.scene.frame_end = 90
    bpy.ops.ed.undo_push(message="Shortened")
    if step == "redo":
        bpy.ops.ed.undo()
    session = BakeSession(bpy.context, participants_of(bpy.context, simulate=False))
    for _ in range(3):
        session.step(bpy.context)
    while session.progress.stage != stage or not session.holds_scene:
        assert session.step(bpy.context) is None
        time.sleep(0.001)
    for _ in range(4):
        assert session.step(bpy.context) is None
    actions = {action.name: checksum(action) for action in bpy.data.actions if "_heft" not in action.name}
    getattr(bpy.ops.ed, step)()
    with pytest.raises(
        InputError, match=r"Something was undone or redone .*nothing was written; simulate again\.$"
    ):
        session.step(bpy.context)
    assert {action.name: checksum(action) for action in bpy.data.actions} == actions
