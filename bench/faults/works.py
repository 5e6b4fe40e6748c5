"""The jobs that faults happen to, each in a small file of its own, and the button that runs them."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import bpy
import numpy as np
from bpy.types import Object
from heft.addon.bake.bake_job import BakeSession
from heft.addon.bake.bake_options import participants_of
from heft.addon.bake.supports_session import SupportsSession
from heft.addon.blender.blender_types import RigContext
from heft.addon.jobs.job_queue import QUEUE, Session
from heft.addon.live.live_play import LivePlay
from heft.addon.markers.fit import FitSession
from heft.addon.report.report_export import PageSession
from heft.addon.retarget.retarget_job import panel_session
from heft.addon.writing.support_writer import add_supports
from heft.operators.job_operator import JobOperator
from heft.operators.live import HEFT_OT_play_live
from heft.operators.markers import HEFT_OT_fit_markers
from heft.operators.report import HEFT_OT_save_report
from heft.operators.retarget import HEFT_OT_retarget
from heft.operators.scene import HEFT_OT_find_supports
from heft.operators.simulate import HEFT_OT_simulate
from heft.sim_core.jobs.live_job import Played
from heft.sim_core.scene.scene import Role, Scene, SceneObject
from heft.sim_core.scene.shapes import Box

from tests.blender.marker_takes import import_file, walker_file
from tests.blender.rigs import animate, humanoid, pass_through

LAST_FRAME = 8
LAST_TICK = 20
"""Control interval at which a live play is ended."""
PAUSE_S = 0.005
"""Between two turns while the child works [s]."""


class DirectButton(JobOperator):
    """A pressed button: its job is in the queue, and a harness sends the events that a window would."""

    def __init__(self, kind: type[JobOperator], session: Session) -> None:
        self._kind, self._session = kind, session
        self.session = session
        self.said: list[tuple[str, str]] = []
        self.ended = False
        self.longest_s = 0.0
        QUEUE.add(session)

    def report(self, level: set[str], text: str) -> None:
        """Keep what the user would read."""
        self.said.append((next(iter(level)), text))

    def report_outcome(self, outcome: Any) -> None:
        """Report as the real button does."""
        self._kind.report_outcome(self, outcome)

    def turn(self, event: str = "TIMER") -> None:
        """Send an event: that of the timer, or a pressed key."""
        JobOperator.rests_until = 0.0
        began = time.monotonic()
        try:
            self.ended = (
                self.modal(bpy.context, SimpleNamespace(type=event, value="PRESS"))
                & {
                    "FINISHED",
                    "CANCELLED",
                }
                != set()
            )
        except BaseException:
            self.ended = True
            raise
        finally:
            self.longest_s = max(self.longest_s, time.monotonic() - began)
        if not self.session.holds_scene:
            time.sleep(PAUSE_S)


class BriefPlay(LivePlay):
    """A live play that its user records from its first frame on, and soon ends."""

    def step(self, context: RigContext) -> Played | None:
        """Do what the user does, and what every play does."""
        if self.frame is not None and not self.recorded:
            self.record()
        elif self.frame is not None and self.frame.numbers.tick > LAST_TICK and not self.ending:
            self.end()
        return super().step(context)


class PlayButton(JobOperator):
    """Tells of the end of a live play; the real button needs a window."""

    bl_idname = HEFT_OT_play_live.bl_idname

    def report_outcome(self, outcome: Played) -> None:
        """Report the take."""
        self.report({"INFO"}, f"A take of {outcome.log.seconds:.1f} s was recorded.")


@dataclass(frozen=True)
class Work:
    """One kind of job.

    build: makes the scene in an empty file; begin: makes a session for the active object
    """

    button: type[JobOperator]
    build: Callable[[Path], object]
    begin: Callable[[Object, Path], Session]

    def press(self, folder: Path) -> DirectButton:
        """Press the button for the active object, without a window."""
        return DirectButton(self.button, self.begin(bpy.context.view_layer.objects.active, folder))


def _figure(_folder: Path) -> Object:
    obj = humanoid()
    animate(obj, "Hips")
    obj.heft.range_mode, obj.heft.frame_start, obj.heft.frame_end = "CUSTOM", 1, LAST_FRAME
    obj.heft.quality = "draft"
    return obj


def _figure_on_a_step(folder: Path) -> None:
    """A bake among supports: one that was found, and a prop."""
    obj = _figure(folder)
    step = SceneObject("step", Role.GROUND, Box(np.full(3, 0.1)), position=np.array([1.0, 0.0, 0.1]))
    add_supports(bpy.context, Scene((step,)), "Supports")
    bpy.context.view_layer.objects.active = obj


def _two_figures(folder: Path) -> None:
    source, target = _figure(folder), _figure(folder)
    target.name, target.heft_retarget.source = "Double", source


def _take(folder: Path) -> None:
    _figure(folder)  # whose keys no fit may touch
    import_file(walker_file(folder, 30)[0])


def _bake(obj: Object, _folder: Path) -> Session:
    return BakeSession(bpy.context, participants_of(bpy.context))


def _page(obj: Object, folder: Path) -> Session:
    pass_through(bpy.context, obj)
    return PageSession(obj, folder / "page.html")


WORKS = {
    "bake": Work(HEFT_OT_simulate, _figure, _bake),
    "bake among supports": Work(HEFT_OT_simulate, _figure_on_a_step, _bake),
    "supports": Work(HEFT_OT_find_supports, _figure, lambda obj, _: SupportsSession(bpy.context, obj)),
    "fit": Work(HEFT_OT_fit_markers, _take, lambda obj, _: FitSession(bpy.context, obj)),
    "retarget": Work(HEFT_OT_retarget, _two_figures, lambda obj, _: panel_session(bpy.context, [obj], False)),
    "live": Work(PlayButton, _figure, lambda obj, _: BriefPlay(bpy.context, obj)),
    "page": Work(HEFT_OT_save_report, _figure, _page),
}
