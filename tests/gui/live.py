"""Live play in the window: pulled, hit, paused, recorded and kept, and nothing lost when it is disturbed."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

import bpy
from bpy_extras import view3d_utils

from .figure import (
    MODULE,
    RIG,
    SOURCE,
    build_scene,
    children,
    differences,
    progress,
    rig,
    select_alone,
    state,
)
from .window import OPTIONS, SHARED, Steps, Window, picture, wait_until

LIMIT_S = 120.0
AGE_MS = 50.0


def a_character_is_played_live(window: Window) -> Steps:
    """The mouse pulls and throws, keys pause and record, Esc puts everything back; Keep writes the take."""
    build_scene(window)
    yield from window.open_sidebar("Heft")
    before = state()
    yield from started(window)
    yield from played(0.4)
    bone = next(name for name in play().reader.names.bones if "hand" in name.lower())
    x, y = at(window, rig().matrix_world @ rig().pose.bones[bone].head)
    event = window.window.event_simulate
    event(type="MOUSEMOVE", value="NOTHING", x=x, y=y)
    event(type="LEFTMOUSE", value="PRESS", x=x, y=y)
    yield 0.1
    for step in range(12):
        event(type="MOUSEMOVE", value="NOTHING", x=x + 8 * step, y=y + 4 * step)
        yield 0.04
    yield from wait_until(lambda: play().frame.numbers.pull_n > 1.0, 10.0, "the pull")
    window.window.event_simulate(type="SPACE", value="PRESS", x=x + 88, y=y + 44)
    yield from wait_until(lambda: play().paused, 10.0, "the pause")
    yield from picture("live_pull")
    window.window.event_simulate(type="SPACE", value="PRESS", x=x + 88, y=y + 44)
    event(type="LEFTMOUSE", value="RELEASE", x=x + 90, y=y + 45)
    yield 0.2
    tick = play().frame.numbers.tick
    window.press("BACK_SPACE")
    yield from wait_until(lambda: play().frame.numbers.tick < tick, 10.0, "the new start")
    yield from played(0.5)
    window.press("R")
    yield 0.2
    x, y = at(window, rig().matrix_world @ rig().pose.bones[0].head)
    yield from window.click(x, y)
    yield from played(0.6)
    yield from picture("live_ball")
    window.press("SPACE")
    yield from wait_until(lambda: play().paused, 10.0, "the pause")
    yield 1.0
    tick = play().frame.numbers.tick
    yield 1.0
    assert play().frame.numbers.tick == tick, "time did not stand"
    window.press("SPACE")
    yield from played(0.5)
    age_ms = play().age_ms
    window.press("R")
    yield 0.2
    window.press("ESC")
    yield from wait_until(lambda: not progress().running, LIMIT_S, "the end of live play")
    yield 0.3
    changed = differences(before, state())
    assert not changed, f"after Esc these are not as before: {', '.join(changed)}"
    yield from picture("live_recorded", window.sidebar_without_tabs())
    yield from the_take_is_kept(window, before)
    told = f"poses are {age_ms:.0f} ms old (median), machine load {os.getloadavg()[0]:.1f}"
    assert age_ms < AGE_MS or not OPTIONS["timing"], told
    return told


def the_take_is_kept(window: Window, before: dict[str, Any]) -> Steps:
    """As new actions, which one undo takes back."""
    select_alone(RIG)
    with window.context():
        bpy.ops.ed.undo_push(message="Before Keep")
        assert bpy.ops.heft.keep_take("INVOKE_DEFAULT") == {"RUNNING_MODAL"}
    yield from wait_until(lambda: rig().heft.outcome.present, LIMIT_S, "the take")
    yield 0.5
    assert rig().animation_data.action.name != SOURCE, "the rig still plays the source"
    assert any(obj.name.startswith("heft ball") for obj in bpy.data.objects), "the ball is not there"
    yield from picture("live_kept")
    window.press("Z", ctrl=True)
    yield 1.0
    changed = differences(before, state())
    assert not changed, f"after one undo these are not as before: {', '.join(changed)}"


def a_disturbed_live_play_loses_nothing(window: Window) -> Steps:
    """The process dies, something is undone, another scene is shown, the armature or the file goes."""
    build_scene(window)
    yield from window.open_sidebar("Heft")
    path = str(SHARED / "live.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    before = state()
    for disturb in (_kill, _undo, _scene, _delete, _open):
        select_alone(RIG)
        yield from started(window)
        yield from played(0.3)
        yield from disturb(window, path)
        yield from wait_until(lambda: not progress().running, LIMIT_S, f"the end after {disturb.__name__}")
        yield 0.5
        assert not children(), f"{disturb.__name__}: the process still runs"
        if disturb is _delete:
            bpy.ops.wm.open_mainfile(filepath=path)
            yield 1.0
        changed = differences(before, state())
        assert not changed, f"after {disturb.__name__} these are not as before: {', '.join(changed)}"
    return "5 disturbances"


def _kill(window: Window, path: str) -> Steps:
    os.kill(play()._runner.process_id, 9)
    yield 0.1


def _undo(window: Window, path: str) -> Steps:
    with window.context():  # not by a key, which the message on the disturbance before may catch
        bpy.ops.ed.undo_push(message="Something")
        bpy.ops.ed.undo()
    yield 0.5


def _scene(window: Window, path: str) -> Steps:
    first = window.window.scene
    window.window.scene = bpy.data.scenes.new("Other")
    yield 0.5
    other, window.window.scene = window.window.scene, first
    bpy.data.scenes.remove(other)


def _delete(window: Window, path: str) -> Steps:
    bpy.data.objects.remove(rig())
    yield 0.1


def _open(window: Window, path: str) -> Steps:
    bpy.ops.wm.open_mainfile(filepath=path)
    yield 1.0


def started(window: Window) -> Steps:
    """Until the live simulation shows its first pose."""
    with window.context():
        assert bpy.ops.heft.play_live("INVOKE_DEFAULT") == {"RUNNING_MODAL"}

    def shows() -> bool:
        assert progress().running, "live play ended"
        return bool(plays()) and plays()[0].frame is not None

    yield from wait_until(shows, LIMIT_S, "the first pose")


def played(seconds: float) -> Steps:
    """Until so much more time was simulated."""
    until = play().frame.numbers.time_s + seconds
    yield from wait_until(lambda: play().frame.numbers.time_s > until, LIMIT_S, "the play")


def plays() -> list[Any]:
    """The plays of the add-on."""
    found: list[Any] = import_module(f"{MODULE}.addon.live.plays").PLAYING
    return found


def play() -> Any:
    """The one that runs."""
    return plays()[0]


def at(window: Window, point: Any) -> tuple[int, int]:
    """Where a point of the scene is on the screen [pixels]."""
    region, space = window.region("WINDOW"), window.view.spaces.active
    x, y = view3d_utils.location_3d_to_region_2d(region, space.region_3d, point)
    return round(region.x + x), round(region.y + y)
