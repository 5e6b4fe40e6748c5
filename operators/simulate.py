"""The Simulate button, and the way back to the source."""

from __future__ import annotations

from typing import ClassVar

import bpy
from bpy.props import BoolProperty
from bpy.types import Context, Event, Operator, Timer

from ..addon.action_clips import require_source
from ..addon.bake_job import armatures_of, participants_of, restore_source
from ..addon.bake_session import BakeSession, bake_and_wait
from ..addon.blender_types import OperatorResult, RigContext, rig_context
from ..addon.outcome import BakeReport, messages_of
from ..sim_core.errors import HeftError
from ..sim_core.progress import Progress
from .mapping import has_armature

TIMER_S = 0.05


class HEFT_OT_simulate(Operator):
    """Simulate the animation of the selected armatures and bake the result into new actions"""

    bl_idname = "heft.simulate"
    bl_label = "Simulate"
    bl_options = {"REGISTER", "UNDO"}

    simulate: BoolProperty(
        name="Simulate",
        description="Without it the motion passes through the character unchanged, to check a rig",
        default=True,
        options={"HIDDEN", "SKIP_SAVE"},
    )

    session: ClassVar[BakeSession | None] = None
    _timer: Timer | None = None

    @classmethod
    def poll(cls, context: Context) -> bool:
        if not has_armature(cls, context):
            return False
        if cls.session is not None:
            cls.poll_message_set("A simulation is running: press Esc to stop it")
            return False
        try:
            for obj in armatures_of(rig_context(context)):
                require_source(obj)
        except HeftError as problem:
            cls.poll_message_set(str(problem).rstrip("."))
            return False
        cls.poll_message_set("Leave Edit Mode first")
        return context.mode != "EDIT_ARMATURE"

    def execute(self, context: Context) -> OperatorResult:
        try:
            rig = rig_context(context)
            reports = bake_and_wait(rig, participants_of(rig, self.simulate))
        except HeftError as problem:
            self.report({"ERROR"}, str(problem))
            return {"CANCELLED"}
        return self._finish(reports)

    def invoke(self, context: Context, event: Event) -> OperatorResult:
        if bpy.app.background:
            return self.execute(context)
        rig = rig_context(context)
        try:
            participants = participants_of(rig, self.simulate)
        except HeftError as problem:
            self.report({"ERROR"}, str(problem))
            return {"CANCELLED"}
        HEFT_OT_simulate.session = BakeSession(rig, participants)
        self._timer = rig.window_manager.event_timer_add(TIMER_S, window=rig.window)
        rig.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: Context, event: Event) -> OperatorResult:
        session = HEFT_OT_simulate.session
        if session is None:
            return self._cancelled(context)
        if event.type == "ESC" and event.value == "PRESS":
            self.report({"INFO"}, "Simulation stopped; nothing was changed.")
            return self._cancelled(context)
        if event.type != "TIMER":
            # While the motion is read the current frame moves: nothing else may touch the scene.
            return {"RUNNING_MODAL"} if session.is_reading else {"PASS_THROUGH"}
        try:
            reports = session.step(rig_context(context))
        except HeftError as problem:
            self.report({"ERROR"}, str(problem))
            return self._cancelled(context)
        except Exception:
            self._cancelled(context)
            raise
        if reports is None:
            _show_progress(rig_context(context), session.progress)
            return {"RUNNING_MODAL"}
        self._end(context)
        return self._finish(reports)

    def cancel(self, context: Context) -> None:
        """Blender calls this when the window closes or another file is opened."""
        self._end(context)

    def _cancelled(self, context: Context) -> OperatorResult:
        self._end(context)
        return {"CANCELLED"}

    def _end(self, context: Context) -> None:
        stop_running()
        if self._timer is not None:
            rig_context(context).window_manager.event_timer_remove(self._timer)
            self._timer = None
        _show_progress(rig_context(context), None)

    def _finish(self, reports: tuple[BakeReport, ...]) -> OperatorResult:
        for warns, text in messages_of(reports):
            self.report({"WARNING" if warns else "INFO"}, text)
        return {"FINISHED"}


class HEFT_OT_use_source(Operator):
    """Show the action that was simulated again; the bake stays in the file"""

    bl_idname = "heft.use_source"
    bl_label = "Back to Source"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        if not has_armature(cls, context):
            return False
        cls.poll_message_set("The source action of the last bake is gone")
        return rig_context(context).object.heft.source_action is not None

    def execute(self, context: Context) -> OperatorResult:
        try:
            name = restore_source(rig_context(context).object)
        except HeftError as problem:
            self.report({"ERROR"}, str(problem))
            return {"CANCELLED"}
        self.report({"INFO"}, f"'{name}' is the action again.")
        return {"FINISHED"}


def stop_running() -> None:
    """End the bake that runs, if any."""
    session, HEFT_OT_simulate.session = HEFT_OT_simulate.session, None
    if session is not None:
        session.cancel()


def _show_progress(context: RigContext, progress: Progress | None) -> None:
    """In the panel and the status bar; None takes it away."""
    shown = context.window_manager.heft
    stage, fraction = (progress.stage, progress.fraction) if progress else ("", 0.0)
    now = (progress is not None, stage, f"{fraction:.0%}")
    if now == (shown.running, shown.stage, f"{shown.fraction:.0%}"):
        return
    shown.running, shown.stage, shown.fraction = progress is not None, stage, fraction
    if context.workspace is not None:
        context.workspace.status_text_set(f"{stage} {fraction:.0%}  (Esc stops)" if progress else None)
    _redraw_sidebars(context)


def _redraw_sidebars(context: RigContext) -> None:
    """The sidebars alone: drawing a whole 3D view for each step would slow the window down."""
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            for region in area.regions:
                if area.type == "VIEW_3D" and region.type == "UI":
                    region.tag_redraw()


CLASSES = (HEFT_OT_simulate, HEFT_OT_use_source)
