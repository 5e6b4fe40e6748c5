"""What the user does while a bake runs: most of it is survived, the rest is reported and changes nothing."""

from __future__ import annotations

import time
from collections.abc import Callable

import bpy
import numpy as np
import pytest
from bpy.types import Object
from heft.addon.bake.bake_job import BakeSession
from heft.addon.bake.bake_options import participants_of
from heft.addon.bake.bake_report import BakeReport
from heft.addon.blender import compat
from heft.addon.jobs import job_session
from heft.addon.jobs.job_queue import QUEUE
from heft.addon.overlay.draw import preview_points
from heft.sim_core.base.errors import HeftError, InputError
from heft.sim_core.base.progress import PreviewFrame

from tests.blender.rigs import animate, fingerprint, humanoid
from tests.blender.runs_here import run_here
from tests.blender.user_edits import (
    add_a_key,
    add_objects,
    change_a_key,
    change_the_frame,
    delete_a_bone,
    delete_it_in_the_view,
    delete_the_object,
    go_to_pose_mode,
    move_a_bone,
    rename_the_action,
    rename_the_object,
    save_the_file,
    select_nothing,
)

pytestmark = pytest.mark.usefixtures("heft_registered")

LONG_ENOUGH = 5000
PAUSE_S = 0.002
"""Between steps, for the threads."""


@pytest.fixture
def figure(monkeypatch: pytest.MonkeyPatch) -> Object:
    run_here(monkeypatch)
    obj = humanoid()
    animate(obj, "Hips")
    obj.heft.range_mode, obj.heft.frame_start, obj.heft.frame_end = "CUSTOM", 1, 5
    return obj


def at_work() -> BakeSession:
    """A bake that has read all, and whose simulation is about to be asked for its result."""
    session = BakeSession(bpy.context, participants_of(bpy.context, simulate=False))
    for _ in range(LONG_ENOUGH):
        if not session.holds_scene:
            return session
        assert session.step(bpy.context) is None
    raise AssertionError("the reading never ended")


def to_the_end(session: BakeSession) -> tuple[BakeReport, ...]:
    for _ in range(LONG_ENOUGH):
        reports = session.step(bpy.context)
        time.sleep(PAUSE_S)
        assert not session.obstacle
        if reports is not None:
            return reports
    raise AssertionError("the bake never ended")


@pytest.mark.parametrize(
    "edit",
    [
        rename_the_object,
        rename_the_action,
        change_the_frame,
        go_to_pose_mode,
        select_nothing,
        add_objects,
        save_the_file,
    ],
)
def test_it_is_survived(figure: Object, edit: Callable[[Object], None]) -> None:
    session = at_work()
    edit(figure)
    frame, mode, source = bpy.context.scene.frame_current, figure.mode, figure.animation_data.action
    (report,) = to_the_end(session)
    assert figure.animation_data.action.name == report.action_name == f"{source.name}_heft"
    assert figure.heft.outcome.present
    assert (bpy.context.scene.frame_current, figure.mode) == (frame, mode)


@pytest.mark.parametrize(
    "edit", [delete_the_object, delete_it_in_the_view, delete_a_bone, move_a_bone, change_a_key, add_a_key]
)
def test_it_is_told_and_nothing_is_changed(figure: Object, edit: Callable[[Object], None]) -> None:
    session = at_work()
    edit(figure)
    actions = set(bpy.data.actions.keys())
    deleted = edit in (delete_the_object, delete_it_in_the_view)
    before = None if deleted else fingerprint(figure)
    with pytest.raises(InputError, match=r"in the meantime, so nothing was written; .*simulate again\.$"):
        to_the_end(session)
    assert set(bpy.data.actions.keys()) == actions
    assert before is None or fingerprint(figure) == before


def in_edit_mode(obj: Object) -> Callable[[], None]:
    bpy.ops.object.mode_set(mode="EDIT")
    return lambda: bpy.ops.object.mode_set(mode="OBJECT")


def with_another_action(obj: Object) -> Callable[[], None]:
    source = compat.action_of(obj)
    source.action.use_fake_user = True
    compat.assign_action(obj.animation_data, compat.new_action(obj, "Idea"))
    return lambda: compat.assign_action(obj.animation_data, source)


def without_action(obj: Object) -> Callable[[], None]:
    source = compat.action_of(obj)
    source.action.use_fake_user = True
    obj.animation_data.action = None
    return lambda: compat.assign_action(obj.animation_data, source)


def out_of_the_view_layer(obj: Object) -> Callable[[], None]:
    scene, apart = bpy.context.scene, bpy.data.collections.new("Apart")
    scene.collection.children.link(apart)
    scene.collection.objects.unlink(obj)
    apart.objects.link(obj)
    bpy.context.view_layer.layer_collection.children["Apart"].exclude = True

    def back() -> None:
        bpy.context.view_layer.layer_collection.children["Apart"].exclude = False

    return back


@pytest.mark.parametrize("edit", [in_edit_mode, with_another_action, without_action, out_of_the_view_layer])
def test_the_result_waits_and_says_for_what(
    figure: Object, edit: Callable[[Object], Callable[[], None]]
) -> None:
    session = at_work()
    undo = edit(figure)
    bpy.context.view_layer.update()
    for _ in range(LONG_ENOUGH):
        assert session.step(bpy.context) is None
        time.sleep(PAUSE_S)
        if session.obstacle:
            break
    assert session.obstacle.endswith("to get the result")
    assert session.progress.stage == session.obstacle
    assert not session.holds_scene
    undo()
    bpy.context.view_layer.update()
    assert to_the_end(session)[0].action_name == "FigureAction_heft"


def test_the_done_part_can_be_seen_at_the_current_frame(figure: Object) -> None:
    session = at_work()
    QUEUE.add(session)
    try:
        assert len(preview_points(bpy.context)) == 0
        fps = bpy.context.scene.render.fps
        session.previews += [PreviewFrame(frame / fps, (((float(frame),) * 6,),)) for frame in (1, 3, 5)]
        found = []
        for frame in (1, 3, 5, 9):
            bpy.context.scene.frame_set(frame)
            found.append(np.unique(preview_points(bpy.context)).tolist())
        assert found == [[1.0, 5.0], [3.0, 5.0], [5.0], [5.0]]
        bpy.context.window_manager.heft.preview = False
        assert len(preview_points(bpy.context)) == 0
    finally:
        bpy.context.window_manager.heft.preview = True
        QUEUE.clear()


def test_without_a_window_nobody_can_clear_the_way(figure: Object) -> None:
    session = at_work()
    in_edit_mode(figure)
    with pytest.raises(InputError, match=r"Leave Edit Mode .* nothing was written\.$"):
        session.wait(bpy.context)


def test_a_bake_that_waits_for_its_turn_reads_the_object_under_its_new_name(figure: Object) -> None:
    session = BakeSession(bpy.context, participants_of(bpy.context, simulate=False))
    assert session.title == "Simulate Figure"
    figure.name = "Somebody"
    assert session.title == "Simulate Somebody"
    assert to_the_end(session)[0].character == "Somebody"


def delete_the_keys(obj: Object) -> None:
    bpy.data.actions.remove(obj.animation_data.action)


@pytest.mark.parametrize("edit", [delete_the_object, delete_a_bone, delete_the_keys])
def test_a_script_that_edits_while_two_results_are_written_leaves_no_part_of_them(
    figure: Object, edit: Callable[[Object], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first of two characters has its new action already when a script edits it."""
    monkeypatch.setattr(job_session, "STEP_S", 0.0001)
    other = humanoid()
    animate(other, "Hips")
    other.heft.range_mode, other.heft.frame_start, other.heft.frame_end = "CUSTOM", 1, 5
    figure.select_set(True)
    sources = set(bpy.data.actions.keys())
    session = at_work()
    first, second = (kept.require("find") for kept in session.objects)
    while not (second.animation_data.action.name in sources and has_new_action(first, sources)):
        assert session.step(bpy.context) is None
    bpy.context.view_layer.objects.active = first
    kept = second.animation_data.action
    edit(first)
    with pytest.raises(HeftError):
        to_the_end(session)
    assert set(bpy.data.actions.keys()) <= sources, "no new action is left"
    assert second.animation_data.action == kept
    assert edit is delete_the_object or first.animation_data.action.name in sources


def has_new_action(obj: Object, sources: set[str]) -> bool:
    return obj.animation_data.action is not None and obj.animation_data.action.name not in sources


@pytest.mark.parametrize("edit", [delete_a_bone, move_a_bone])
def test_bones_that_are_edited_while_the_motion_is_read_are_told(
    figure: Object, edit: Callable[[Object], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Poses before and after the edit would be those of two rigs."""
    monkeypatch.setattr(job_session, "READING_STEP_S", 0.0001)
    session = BakeSession(bpy.context, participants_of(bpy.context, simulate=False))
    for _ in range(3):
        assert session.step(bpy.context) is None
    assert session.holds_scene
    edit(figure)
    with pytest.raises(InputError, match=r"changed while its motion was read, .*nothing was written; .*\.$"):
        to_the_end(session)


def show_another_scene() -> None:
    bpy.context.window.scene = bpy.data.scenes.new("Elsewhere")


def show_another_layer() -> None:
    bpy.context.window.view_layer = bpy.context.scene.view_layers.new("Elsewhere")


def delete_the_scene() -> None:
    old = bpy.context.scene
    show_another_scene()
    bpy.data.scenes.remove(old)


@pytest.mark.parametrize("show", [show_another_scene, show_another_layer, delete_the_scene])
@pytest.mark.parametrize("phase", ["reading", "writing"])
def test_another_scene_is_neither_read_nor_written(
    figure: Object, show: Callable[[], None], phase: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There, the poses of the figure do not follow its keys: it would seem to stand still."""
    monkeypatch.setattr(job_session, "READING_STEP_S", 0.0001)
    monkeypatch.setattr(job_session, "STEP_S", 0.0001)
    actions = set(bpy.data.actions.keys())
    session = BakeSession(bpy.context, participants_of(bpy.context, simulate=False))
    for _ in range(LONG_ENOUGH):
        assert session.step(bpy.context) is None
        if session.holds_scene and (phase == "reading" or session.progress.stage == "Writing the keys"):
            break
        time.sleep(PAUSE_S)
    assert session.step(bpy.context) is None
    show()
    with pytest.raises(InputError, match="Another scene or view layer .* nothing was written; simulate ag"):
        to_the_end(session)
    assert set(bpy.data.actions.keys()) == actions
