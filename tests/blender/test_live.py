"""Live play: the pose of the armature, what becomes of it, commands, and takes that are kept."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, cast

import bpy
import numpy as np
import pytest
from heft.addon.bake.bake_report import BakeReport
from heft.addon.blender.steps import run_all
from heft.addon.live.live_keys import LiveKeys
from heft.addon.live.live_play import LivePlay, live_job_of, reading_actions
from heft.addon.live.live_take import TakeSession
from heft.addon.live.live_view import FREE_M, ViewAlong
from heft.addon.live.plays import RecordedTake, keep_take, take_of
from heft.addon.reading.action_links import may_go_over, other_actions, switches_of
from heft.addon.reading.sequence_reader import clips_of
from heft.sim_core.actions.link_switches import LinkSwitches
from heft.sim_core.base.errors import HeftError
from heft.sim_core.live.commands import Push, Restart, Steer, Throw
from mathutils import Vector

from tests.blender.rigs import LAST_FRAME, animate, fingerprint, humanoid

pytestmark = pytest.mark.usefixtures("heft_registered")
LIMIT_S = 90.0


@pytest.fixture
def figure() -> Any:
    obj = humanoid()
    animate(obj)
    bpy.context.scene.frame_set(1)
    return obj


@pytest.fixture
def play(figure: Any) -> Iterator[LivePlay]:
    figure.heft.quality, figure.heft.assist_cap = "draft", 15.0
    made = LivePlay(bpy.context, figure)
    yield made
    made.cancel()


def stepped(play: LivePlay, ticks: int) -> None:
    """Play until a control interval is shown."""
    until = time.monotonic() + LIMIT_S
    while play.frame is None or play.frame.numbers.tick < ticks:
        assert play.step(bpy.context) is None
        assert time.monotonic() < until
        time.sleep(0.005)


def logged(play: LivePlay) -> Any:
    until = time.monotonic() + LIMIT_S
    while (log := play.step(bpy.context)) is None:
        assert time.monotonic() < until
        time.sleep(0.005)
    return log


def test_a_play_has_no_progress_once_it_is_played(play: LivePlay) -> None:
    """It goes on until the user ends it; before, there is a share of reading and preparing that is done."""
    assert not play.is_endless
    stepped(play, 1)
    assert play.is_endless


def test_the_pose_follows_and_comes_back(figure: Any, play: LivePlay) -> None:
    before, keys = pose(figure), fingerprint(figure)
    stepped(play, 40)
    assert np.abs(pose(figure) - before).max() > 0.01
    bpy.context.view_layer.update()
    frame = play.frame
    for row, name in enumerate(play.reader.names.bones):
        shown = figure.matrix_world @ figure.pose.bones[name].head
        assert np.linalg.norm(np.array(shown) - frame.bones[row, :3]) < 0.03, name
    play.cancel()
    np.testing.assert_array_equal(pose(figure), before)
    assert fingerprint(figure) == keys


def test_a_take_is_kept_as_new_actions(figure: Any, play: LivePlay) -> None:
    source = figure.animation_data.action
    keys = fingerprint(figure)
    stepped(play, 5)
    play.record()
    play.send(Push("chest", (40.0, 0.0, 0.0), 0.1))
    play.send(Throw(1.0, (0.0, -1.5, 1.2), (0.0, 6.0, 1.0)))
    stepped(play, 70)
    play.end()
    keep_take(play, logged(play))
    take = take_of(figure)
    assert take is not None and len(take.played.log.commands) == 2
    (report,) = kept(figure, take)
    baked = figure.heft.baked_action
    assert baked is not None and baked != source
    start, end = baked.frame_range
    assert end - start >= 12 and end - start > 0.5 * LAST_FRAME
    assert any("Played live" in note for note in report.notes)
    skipped = (baked.name, bpy.data.objects["heft ball 1 kg"].animation_data.action.name)
    assert fingerprint(figure, skipped) == keys
    ball = bpy.data.objects["heft ball 1 kg"]
    assert ball.animation_data.action is not None
    assert take_of(figure) is None


def kept(figure: Any, take: RecordedTake) -> tuple[BakeReport, ...]:
    return TakeSession(figure, take).wait(bpy.context)


@pytest.mark.parametrize("fault", ["kill", "scene", "delete", "undo", "file"])
def test_nothing_is_lost(figure: Any, play: LivePlay, fault: str) -> None:
    before, keys = pose(figure), fingerprint(figure)
    stepped(play, 20)
    words = broken(fault, figure, play)
    with pytest.raises(HeftError, match=words):
        until = time.monotonic() + LIMIT_S
        while time.monotonic() < until:
            play.step(bpy.context)
            time.sleep(0.005)
    if fault != "delete":
        assert fingerprint(figure) == keys
        np.testing.assert_array_equal(pose(figure), before)


def broken(fault: str, figure: Any, play: LivePlay) -> str:
    """Disturb a play; return words of the sentence that says so."""
    if fault == "kill":
        os.kill(play._runner.process_id, 9)
        return "died"
    if fault == "scene":
        bpy.context.window.scene = bpy.data.scenes.new("Other")
        return "Another scene"
    if fault == "delete":
        bpy.data.objects.remove(figure)
        return "was deleted"
    if fault == "undo":
        play.leave_state()
        return "undone"
    play.leave_file()
    return "Another file"


def test_a_saved_file_has_the_users_pose(figure: Any, play: LivePlay, tmp_path: Any) -> None:
    before = pose(figure)
    stepped(play, 30)
    assert np.abs(pose(figure) - before).max() > 1e-3
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "x.blend"), copy=True)
    np.testing.assert_array_equal(pose(figure), before)


def pose(obj: Any) -> Any:
    return np.array([[*b.location, *b.rotation_quaternion, *b.rotation_euler] for b in obj.pose.bones])


@pytest.mark.parametrize("is_performed", [False, True])
def test_backspace_starts_again_unless_a_performer_is_followed(is_performed: bool) -> None:
    sent: list[Restart] = []
    play: Any = SimpleNamespace(steered=False, send=sent.append, can_restart=not is_performed)
    event: Any = SimpleNamespace(type="BACK_SPACE", value="PRESS", ctrl=False, shift=False, alt=False)
    assert LiveKeys(play).take(event) is not is_performed
    assert sent == ([] if is_performed else [Restart()])


@pytest.mark.parametrize(
    "key, wanted", [("UP_ARROW", "forward"), ("LEFT_ARROW", "left"), ("DOWN_ARROW", "stop")]
)
def test_arrow_keys_steer_where_there_are_several_actions(key: str, wanted: str) -> None:
    """A turn ends when its key is released; with one motion, arrows are left to Blender."""
    sent: list[Steer] = []
    play: Any = SimpleNamespace(steered=True, send=sent.append)
    keys, event = LiveKeys(play), cast(Any, SimpleNamespace)
    pressed, repeated, released = (
        event(type=key, value=value, is_repeat=again, ctrl=False, shift=False, alt=False)
        for value, again in (("PRESS", False), ("PRESS", True), ("RELEASE", False))
    )
    for event in (pressed, repeated, released):
        assert keys.take(event)
    assert sent == [Steer(wanted), *([Steer("forward")] if wanted == "left" else [])]
    play.steered = False
    assert not keys.take(pressed)


def test_the_view_goes_along_with_who_walks_away_and_comes_back() -> None:
    """It holds still for small motions, which the mouse aims at; what the user does to it meanwhile stays."""
    view: Any = SimpleNamespace(view_location=Vector((1.0, 2.0, 3.0)))
    along, metres = ViewAlong(0.1), np.zeros((2, 14), dtype=np.float32)
    for x in (0.0, FREE_M - 0.01):
        metres[:, 0] = x
        along.follow(view, cast(Any, SimpleNamespace(bones=metres)))
        assert view.view_location == Vector((1.0, 2.0, 3.0))
    metres[:, 0] = 4.0
    along.follow(view, cast(Any, SimpleNamespace(bones=metres)))
    assert view.view_location.x == pytest.approx(1.0 + (4.0 - FREE_M) / 0.1)
    view.view_location.y += 5.0
    along.put_back(view)
    assert view.view_location == Vector((1.0, 7.0, 3.0))


def test_the_actions_of_a_list_are_what_is_steered_through(figure: Any) -> None:
    """Each row of the list is read by itself and becomes a node, under its action's name."""
    figure.heft.quality, figure.heft.source_mode = "draft", "SEQUENCE"
    first = figure.animation_data.action
    second = first.copy()
    for action in (first, second):
        assert bpy.ops.heft.clip_add(action=action.name) == {"FINISHED"}
    prepared = run_all(reading_actions(bpy.context, figure))
    job = live_job_of(prepared, switches_of(figure))
    assert [own.name for own in job.jobs] == [first.name, second.name]
    assert job.switches == LinkSwitches()


def test_actions_links_and_mirrored_copies_are_switched_off(figure: Any, tmp_path: Any) -> None:
    """Per link by the row of the action that it leaves; kept in the file and passed to the job."""
    figure.heft.source_mode = "SEQUENCE"
    first = figure.animation_data.action
    actions = [first, first.copy(), first.copy()]
    for action in actions:
        bpy.ops.heft.clip_add(action=action.name)
    names = [action.name for action in actions]
    figure.heft.sequence_index = 0
    assert bpy.ops.heft.switch_link(action=names[1]) == {"FINISHED"}
    figure.heft.sequence[1].mirror = False
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "x.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "x.blend"))
    figure = bpy.data.objects["Figure"]
    rows = figure.heft.sequence
    assert switches_of(figure) == LinkSwitches(((names[0], names[1]),), (names[1],))
    assert [a.name for a in other_actions(figure, rows[0])] == names[1:]
    assert not may_go_over(rows[0], rows[1].action) and may_go_over(rows[1], rows[0].action)
    rows[2].use = False
    assert [clip.name for clip in clips_of(figure)] == names[:2]
    assert [a.name for a in other_actions(figure, rows[0])] == names[1:2]
    assert bpy.ops.heft.switch_link(action=names[1]) == {"FINISHED"}
    assert switches_of(figure).off == ()
    for row in rows:
        row.use = False
    with pytest.raises(HeftError, match="no action that is used"):
        clips_of(figure)
