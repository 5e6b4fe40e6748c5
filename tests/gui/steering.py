"""A character that walks along a curve, and one that the arrow keys steer, in the window."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import bpy
import numpy as np

from tools.demo.body import Body
from tools.demo.mannequin import write_action
from tools.demo.motions import make

from .controls import click_control, click_header
from .figure import MODULE, RIG, SOURCE, build_scene, differences, progress, rig, select_alone, state
from .live import play, played, started
from .window import Steps, Window, picture, wait_until

LIMIT_S = 120.0
STAND = "standing"
ACROSS_M, LENGTH_M = 1.5, 2.5
"""Where the curve runs beside the character, and how long it is [m]."""
AWAY_M = 0.35
"""How far beside the curve the hips may be on average: a clip that walks straight is bent onto it [m]."""


def a_character_walks_along_a_curve(window: Window) -> Steps:
    """By the button below the list of actions; one undo takes the walk back."""
    build_scene(window)
    rig().heft.quality = "draft"
    listed(window, SOURCE)
    start = hips()
    way = drawn([(ACROSS_M, start.y, 0.0), (ACROSS_M, start.y - LENGTH_M, 0.0)])
    select_alone(RIG)
    bpy.data.objects[way].select_set(True)
    yield from window.open_sidebar("Heft")
    with window.context():
        bpy.ops.ed.undo_push(message="Draw a way")
    before = state()
    header = yield from click_header(window, bpy.types.HEFT_PT_source, "heft.quality")
    yield from click_control(window, "heft.walk_along", lambda: progress().running)
    yield from wait_until(lambda: not progress().running, LIMIT_S, "the walk")
    yield 0.5
    made = rig().animation_data.action
    assert made.name == f"{RIG}_along_{way}_heft", f"the rig plays {made.name}"
    away = [abs(own[0] - ACROSS_M) for own in path_of(made)]
    assert np.mean(away) < AWAY_M, f"it walks {np.mean(away):.2f} m beside the curve"
    yield from picture("walk_along")
    window.press("Z", ctrl=True)
    yield 1.0
    changed = differences(before, state())
    assert not changed, f"after one undo these are not as before: {', '.join(changed)}"
    yield from window.click(*header)
    return f"{100.0 * np.mean(away):.0f} cm beside the curve"


def arrow_keys_steer_a_character(window: Window) -> Steps:
    """It stands, walks after the up arrow, and stands again after the down arrow; the view goes along."""
    build_scene(window)
    rig().heft.quality = "draft"
    compat = import_module(f"{MODULE}.addon.blender.compat")
    walk = rig().animation_data.action.name
    write_action(rig(), STAND, make(STAND, Body()), compat)
    listed(window, STAND, walk)
    before, looked_at = state(), view_location(window)
    yield from started(window)
    assert play().steered, "two actions are not steered through"
    yield from played(0.5)
    stood = hips()
    assert moved_in(stood) < 0.15, "it walks before it is asked to"
    window.press("R")
    yield 0.2
    window.press("UP_ARROW")
    yield from wait_until(lambda: moved_in(stood) > 0.8, LIMIT_S, "the walk after the up arrow")
    yield from wait_until(lambda: view_location(window) != looked_at, LIMIT_S, "the view that goes along")
    yield from picture("steering")
    window.press("DOWN_ARROW")
    yield from wait_until(stands_still(), LIMIT_S, "the stand after the down arrow")
    window.press("R")
    yield 0.2
    window.press("ESC")
    yield from wait_until(lambda: not progress().running, LIMIT_S, "the end of live play")
    yield 0.3
    changed = differences(before, state())
    assert not changed, f"after Esc these are not as before: {', '.join(changed)}"
    assert (view_location(window) - looked_at).length < 1e-4, "the view is not where it was"
    plays = import_module(f"{MODULE}.addon.live.plays")
    steered = [getattr(own.command, "direction", "") for own in plays.take_of(rig()).played.log.commands]
    assert [own for own in steered if own] == ["forward", "stop"], f"the log has {steered}"
    plays.forget_take(rig())
    return "forward and stop"


def listed(window: Window, *actions: str) -> None:
    """Make a list of actions the rig's source."""
    select_alone(RIG)
    rig().heft.source_mode = "SEQUENCE"
    rig().heft.sequence.clear()
    with window.context():
        for name in actions:
            assert bpy.ops.heft.clip_add("EXEC_DEFAULT", action=name) == {"FINISHED"}


def drawn(points: list[tuple[float, float, float]]) -> str:
    """A curve through points; returns its name."""
    data = bpy.data.curves.new("Way", "CURVE")
    data.dimensions = "3D"
    spline = data.splines.new("POLY")
    spline.points.add(len(points) - 1)
    for own, place in zip(spline.points, points, strict=True):
        own.co = (*place, 1.0)
    obj = bpy.data.objects.new("Way", data)
    bpy.context.scene.collection.objects.link(obj)
    return str(obj.name)


def view_location(window: Window) -> Any:
    """What the 3D view looks at."""
    return window.view.spaces.active.region_3d.view_location.copy()


def hips() -> Any:
    """Where the hips are [m]."""
    return (rig().matrix_world @ rig().pose.bones["hips"].head).copy()


def moved_in(place: Any) -> float:
    """How far over the ground the hips are from a place [m]."""
    return float((hips() - place).xy.length)


def stands_still() -> Any:
    """Return what says whether the hips have hardly moved for half a second of play."""
    seen: list[tuple[float, Any]] = []

    def is_still() -> bool:
        seen.append((play().frame.numbers.time_s, hips()))
        earlier = [own for own in seen if own[0] < seen[-1][0] - 0.5]
        return bool(earlier) and moved_in(earlier[-1][1]) < 0.03

    return is_still


def path_of(action: Any) -> list[Any]:
    """Where the hips are at every fifth frame of the rig's action."""
    start, end = (int(frame) for frame in action.frame_range)
    shown, found = bpy.context.scene.frame_current, []
    for frame in range(start, end + 1, 5):
        bpy.context.scene.frame_set(frame)
        found.append(hips())
    bpy.context.scene.frame_set(shown)
    return found
