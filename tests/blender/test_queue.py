"""Several buttons pressed: one job after the other, each its own, and Esc stops the one that runs."""

from __future__ import annotations

import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import bpy
import pytest
from bpy.types import Object
from heft.addon.bake.bake_job import BakeSession
from heft.addon.bake.bake_options import Participant, options_of
from heft.addon.jobs.job_queue import QUEUE
from heft.addon.jobs.progress import show_progress
from heft.operators.job_operator import JobOperator
from heft.sim_core.base.progress import Progress

from tests.blender.rigs import animate, humanoid
from tests.blender.runs_here import run_here

pytestmark = pytest.mark.usefixtures("heft_registered")

TIMER = SimpleNamespace(type="TIMER", value="NOTHING")
ESC = SimpleNamespace(type="ESC", value="PRESS")
MOUSE = SimpleNamespace(type="MOUSEMOVE", value="NOTHING")
LONG_ENOUGH = 5000
PAUSE_S = 0.002
"""Between events, for the threads."""


class Button(JobOperator):
    """A pressed Simulate button."""

    def __init__(self, obj: Object) -> None:
        self.object, self.reports = obj, list[str]()

    def make_session(self, context: Any) -> BakeSession:
        return BakeSession(context, [Participant(self.object, options_of(context, self.object, False))])

    def report_outcome(self, outcome: Any) -> None:
        self.reports.append(outcome[0].action_name)

    def report(self, kind: set[str], text: str) -> None:
        self.reports.append(text)


class Window:
    """Blender's context in a window, which the module does not have."""

    def __init__(self) -> None:
        self.timers: list[object] = []
        self.window, self.workspace, self.buttons = None, None, list[Button]()
        self.window_manager = SimpleNamespace(
            heft=bpy.context.window_manager.heft,
            windows=(),
            event_timer_add=self._add_timer,
            event_timer_remove=self.timers.remove,
            modal_handler_add=lambda button: self.buttons.insert(0, button),
        )

    def __getattr__(self, name: str) -> Any:
        return getattr(bpy.context, name)

    def _add_timer(self, _seconds: float, window: object) -> object:
        self.timers.append(object())
        return self.timers[-1]

    def press(self, obj: Object) -> Button:
        button = Button(obj)
        assert button.start(self) == {"RUNNING_MODAL"}
        return button

    def send(self, event: Any) -> bool:
        """As Blender does: the operator that started last is asked first; whether the event was eaten."""
        JobOperator.rests_until = 0.0
        time.sleep(PAUSE_S)
        for button in tuple(self.buttons):
            answer = button.modal(self, event)
            if answer & {"FINISHED", "CANCELLED"}:
                self.buttons.remove(button)
            if "PASS_THROUGH" not in answer:
                return True
        return False

    def run(self) -> None:
        for _ in range(LONG_ENOUGH):
            if not self.buttons:
                return
            self.send(TIMER)
        raise AssertionError("the queue never got empty")


@pytest.fixture
def window(monkeypatch: pytest.MonkeyPatch) -> Iterator[Window]:
    run_here(monkeypatch)
    yield Window()
    QUEUE.clear()


def figure(name: str) -> Object:
    obj = humanoid()
    animate(obj, "Hips")
    obj.name = name
    obj.animation_data.action.name = f"{name} walks"
    obj.heft.range_mode, obj.heft.frame_start, obj.heft.frame_end = "CUSTOM", 1, 4
    return obj


def titles() -> list[str]:
    return [row.name for row in bpy.context.window_manager.heft.jobs]


def test_one_after_the_other_each_with_its_own_action(window: Window) -> None:
    ann, bo = figure("Ann"), figure("Bo")
    first, second = window.press(ann), window.press(bo)
    assert titles() == ["Simulate Ann", "Simulate Bo"]
    while not first.reports:
        assert not second.reports
        window.send(TIMER)
    assert titles() == ["Simulate Bo"]
    window.run()
    assert (first.reports, second.reports) == (["Ann walks_heft"], ["Bo walks_heft"])
    assert bo.animation_data.action.name == "Bo walks_heft"
    assert not window.timers
    assert not bpy.context.window_manager.heft.running


def test_esc_stops_the_one_that_runs_and_the_next_goes_on(window: Window) -> None:
    ann, bo = figure("Ann"), figure("Bo")
    first, second = window.press(ann), window.press(bo)
    window.send(TIMER)
    assert window.send(ESC)
    assert first.reports == ["Simulation cancelled; nothing was changed."]
    assert ann.animation_data.action.name == "Ann walks"
    window.run()
    assert second.reports == ["Bo walks_heft"]


def test_a_waiting_job_can_be_removed(window: Window) -> None:
    ann, bo = figure("Ann"), figure("Bo")
    window.press(ann), window.press(bo)
    assert bpy.ops.heft.queue_remove(index=0) == {"FINISHED"}
    assert titles() == ["Simulate Ann"]
    window.run()
    assert bo.animation_data.action.name == "Bo walks"
    assert not bpy.ops.heft.queue_remove.poll()


def test_a_search_can_be_asked_for_its_best(window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    """The button is there while the child says that it can finish, and passes the wish on."""
    assert not bpy.ops.heft.finish_search.poll()
    window.press(figure("Ann"))
    session = QUEUE.running
    assert session is not None and not bpy.ops.heft.finish_search.poll()
    asked: list[bool] = []
    monkeypatch.setattr(session, "finish_early", lambda: asked.append(True))
    monkeypatch.setattr(session, "progress", Progress("Searching", 0.5, can_finish=True))
    assert bpy.ops.heft.finish_search() == {"FINISHED"}
    assert asked == [True]


def test_a_job_without_an_end_shows_no_share(window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    window.press(figure("Ann"))
    shown, session = bpy.context.window_manager.heft, QUEUE.running
    show_progress(bpy.context)
    assert shown.running and not shown.is_endless
    monkeypatch.setattr(type(session), "is_endless", True)
    show_progress(bpy.context)
    assert shown.running and shown.is_endless


def test_a_failure_does_not_hold_up_the_rest(window: Window) -> None:
    ann, bo = figure("Ann"), figure("Bo")
    first, second = window.press(ann), window.press(bo)
    bpy.data.objects.remove(ann)
    window.run()
    assert first.reports[0].startswith("'Ann' was deleted")
    assert second.reports == ["Bo walks_heft"]


def test_a_job_that_ends_with_its_file_is_told_in_the_panel(window: Window) -> None:
    """In a window Blender takes the button away with the old file, so that it cannot report."""
    button = window.press(figure("Ann"))
    window.send(TIMER)
    bpy.ops.wm.read_homefile(use_empty=True)
    window = Window()
    window.timers.append(button._timer)
    button.cancel(window)
    told = "Another file was opened in the meantime, so nothing was written; simulate again."
    assert button.reports == [] and QUEUE.last_words == told
    window.press(figure("Bo"))
    assert QUEUE.last_words == ""


def test_while_the_scene_is_held_nothing_reaches_it(window: Window) -> None:
    window.press(figure("Ann"))
    window.press(figure("Bo"))
    assert window.send(MOUSE)
    while QUEUE.running is not None and QUEUE.running.holds_scene:
        window.send(TIMER)
    assert not window.send(MOUSE)


def test_an_armature_is_queued_once_and_others_may_follow(window: Window) -> None:
    ann = figure("Ann")
    window.press(ann)
    assert not bpy.ops.heft.simulate.poll()
    assert not bpy.ops.heft.retarget.poll()
    assert not bpy.ops.heft.check_installation.poll()
    bpy.context.view_layer.objects.active = figure("Bo")
    assert bpy.ops.heft.simulate.poll()
    QUEUE.clear()
    window.run()
    bpy.context.view_layer.objects.active = ann
    assert bpy.ops.heft.simulate.poll()
