"""A live play in its window: what keys and the mouse send, and which events are Blender's."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from bpy_extras import view3d_utils
from heft.addon.live import live_window
from heft.addon.live.live_keys import LiveKeys
from heft.addon.live.live_mouse import DRAG_PIXELS, LiveMouse
from heft.addon.live.live_view import View
from heft.addon.live.live_window import LiveWindow
from heft.sim_core.live.commands import Grab, Pause, Pull, Release, Speed, Step, Throw
from mathutils import Vector

BONES = ("hips", "hand")
BODY = np.array([[0.0, 0.0, 1.0], [0.5, 0.0, 1.5]])
"""Heads of the bones [m]."""
SCALE = 100.0
"""Pixels of a metre in the view, which looks along the Y axis from 5 m before the character."""


class Play(SimpleNamespace):
    """What the window needs of a play, and what it was sent."""

    def __init__(self) -> None:
        bones = np.zeros((2, 14), dtype=np.float32)
        bones[:, :3], bones[:, 3] = BODY, 1.0
        segments = np.zeros((2, 7), dtype=np.float32)
        segments[:, :3], segments[:, 3] = BODY, 1.0
        names = SimpleNamespace(bones=BONES, segments=("pelvis", "hand"))
        numbers = SimpleNamespace(pull_n=0.0, state=0, time_s=1.0, speed=1.0, assist_n=0.0)
        super().__init__(
            frame=SimpleNamespace(bones=bones, segments=segments, numbers=numbers),
            reader=SimpleNamespace(names=names),
            sent=[],
            paused=False,
            recording=False,
            recorded=False,
            steered=False,
            can_restart=True,
            stream=None,
        )
        self.send = self.sent.append
        self.record = lambda: self.__dict__.update(recording=True, recorded=True)


@pytest.fixture
def view(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A view from the front that needs no window."""
    projections = {
        "location_3d_to_region_2d": lambda _r, _s, at: Vector((SCALE * at.x, SCALE * at.z)),
        "region_2d_to_location_3d": lambda _r, _s, at, deep: Vector((at[0] / SCALE, deep.y, at[1] / SCALE)),
        "region_2d_to_origin_3d": lambda _r, _s, at: Vector((at[0] / SCALE, -5.0, at[1] / SCALE)),
        "region_2d_to_vector_3d": lambda _r, _s, _at: Vector((0.0, 1.0, 0.0)),
    }
    for name, projection in projections.items():
        monkeypatch.setattr(view3d_utils, name, projection)
    region: Any = SimpleNamespace(type="WINDOW", x=10, y=20, width=800, height=600)
    return View(region, SimpleNamespace(view_location=Vector()), 1.0)


def event(kind: str, value: str = "PRESS", x: float = 0.0, y: float = 0.0, **modifiers: bool) -> Any:
    """An event; x and y are a place in the view [m]."""
    at = {"mouse_x": 10 + round(SCALE * x), "mouse_y": 20 + round(SCALE * y)}
    keys = {"ctrl": False, "shift": False, "alt": False, "is_repeat": False} | modifiers
    return SimpleNamespace(type=kind, value=value, **at, **keys)


def mouse_of(play: Any) -> tuple[LiveMouse, Any]:
    display: Any = SimpleNamespace(pulled=None)
    return LiveMouse(play, display), display


def test_a_drag_grabs_pulls_and_releases(view: Any) -> None:
    """A part is grabbed once the mouse has moved a little; a button that goes up ends it anywhere."""
    play: Any = Play()
    mouse, display = mouse_of(play)
    assert mouse.take(event("LEFTMOUSE", x=0.5, y=1.5), view)
    shy = event("MOUSEMOVE", "NOTHING", 0.5 + (DRAG_PIXELS - 1) / SCALE, 1.5)
    assert mouse.take(shy, view) and play.sent == [] and mouse.grabbed == ""
    assert mouse.take(event("MOUSEMOVE", "NOTHING", 0.7, 1.6), view)
    assert mouse.grabbed == "hand"
    grabbed, pulled = play.sent
    assert isinstance(grabbed, Grab) and grabbed.segment == "hand" and pulled == Pull(grabbed.target)
    assert pulled.target == pytest.approx((0.7, 0.0, 1.6))
    assert display.pulled[0] == 1 and display.pulled[1] == pytest.approx(pulled.target)
    assert mouse.take(event("MOUSEMOVE", "NOTHING", 9.0, 9.0), None), "the drag goes on outside the view"
    assert mouse.take(event("LEFTMOUSE", "RELEASE", 9.0, 9.0), None)
    assert play.sent[2:] == [Release()] and mouse.grabbed == "" and display.pulled is None
    assert not mouse.take(event("MOUSEMOVE", "NOTHING", 0.7, 1.6), view), "nothing is pressed"


def test_a_click_throws_the_chosen_ball(view: Any) -> None:
    """The wheel with Ctrl and with Shift chooses it, and is Blender's without; outside no click is ours."""
    play: Any = Play()
    mouse, _ = mouse_of(play)
    assert not mouse.take(event("WHEELUPMOUSE"), view)
    assert not mouse.take(event("WHEELUPMOUSE", ctrl=True), None)
    assert not mouse.take(event("LEFTMOUSE"), None)
    assert mouse.take(event("WHEELUPMOUSE", ctrl=True), view) and mouse.mass > 2.0
    assert mouse.take(event("WHEELDOWNMOUSE", shift=True), view) and mouse.speed == 7.0
    assert mouse.take(event("LEFTMOUSE", x=0.5, y=1.5), view)
    assert mouse.take(event("LEFTMOUSE", "RELEASE", 0.5, 1.5), view)
    (thrown,) = play.sent
    assert isinstance(thrown, Throw) and thrown.mass == mouse.mass
    assert thrown.velocity[:2] == pytest.approx((0.0, 7.0))


def test_keys_change_time_recording_and_the_view() -> None:
    """Keys with Ctrl or Alt are Blender's; those of the speed work with Shift, as + needs it on keyboards."""
    play: Any = Play()
    keys = LiveKeys(play)
    for own in ("SPACE", "SPACE", "PERIOD", "R", "F"):
        assert keys.take(event(own))
    assert play.sent == [Pause(True), Pause(False), Step()]
    assert play.paused and play.recording and not keys.follows
    del play.sent[:]
    assert keys.take(event("EQUAL", shift=True)) and keys.take(event("MINUS"))
    assert play.sent == [Speed(1.25), Speed(pytest.approx(1.0))]
    for _ in range(9):
        keys.take(event("NUMPAD_PLUS"))
    assert keys.factor == 2.0
    others = [event("R", "RELEASE"), event("R", ctrl=True), event("R", alt=True), event("R", shift=True)]
    assert not any(keys.take(other) for other in [*others, event("G"), event("UP_ARROW")])


class Shown:
    """An area of a window; redrawn: how often it was to be drawn."""

    def __init__(self, kind: str, space: Any, regions: tuple[Any, ...]) -> None:
        self.type, self.regions = kind, regions
        self.spaces = SimpleNamespace(active=space)
        self.redrawn = 0

    def tag_redraw(self) -> None:
        self.redrawn += 1


class Space:
    """The data of a 3D view."""

    def __init__(self, view: View) -> None:
        self.region_3d = view.space


@pytest.fixture
def shown(view: Any, monkeypatch: pytest.MonkeyPatch) -> tuple[LiveWindow, Any]:
    """A play in one of two areas of a window, with a sidebar of 200 pixels at the right."""
    sidebar = SimpleNamespace(type="UI", x=610, y=20, width=200, height=600)
    area = Shown("VIEW_3D", Space(view), (sidebar, view.region))
    areas = [Shown("OUTLINER", None, ()), area]
    windows = [SimpleNamespace(screen=SimpleNamespace(areas=areas))]
    manager = SimpleNamespace(windows=windows)
    monkeypatch.setattr(live_window, "bpy", SimpleNamespace(context=SimpleNamespace(window_manager=manager)))
    monkeypatch.setattr(live_window, "SpaceView3D", Space)
    display = SimpleNamespace(pulled=None, lines=(), close=lambda: None)
    monkeypatch.setattr(live_window, "LiveDisplay", lambda _play, _metres: display)
    play: Any = Play()
    own: Any = area
    return LiveWindow(play, own, 1.0), areas


def test_events_over_a_panel_are_blenders(shown: tuple[LiveWindow, Any]) -> None:
    window, areas = shown
    assert window.take(event("LEFTMOUSE", x=5.0, y=2.0))
    assert window.take(event("LEFTMOUSE", "RELEASE", 5.0, 2.0))
    assert not window.take(event("LEFTMOUSE", x=6.5, y=2.0)), "over the sidebar"
    assert not window.take(event("LEFTMOUSE", x=5.0, y=7.0)), "over another area"
    assert window.take(event("SPACE", x=6.5, y=2.0)), "keys work everywhere"
    areas.pop()  # the user closes the area
    assert not window.take(event("LEFTMOUSE", x=5.0, y=2.0))


def test_the_view_follows_unless_f_was_pressed_and_is_put_back(shown: tuple[LiveWindow, Any]) -> None:
    window, (outliner, area) = shown
    place = area.spaces.active.region_3d.view_location
    for followed, x in ((True, 4.0), (False, 8.0)):
        before = place.copy()
        window.show()
        window.play.frame.bones[:, 0] += x
        window.show()
        assert (place != before) == followed
        assert window.take(event("F"))
    assert window.display.lines and (outliner.redrawn, area.redrawn) == (0, 4)
    window.close()
    assert place.length == pytest.approx(0.0, abs=1e-6)
