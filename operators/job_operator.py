"""What operators of the child process share: the window lives on, Esc stops, nothing is half done."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import bpy
from bpy.types import Context, Event, Operator, Timer

from ..addon.blender_types import OperatorResult, RigContext, rig_context
from ..addon.job_session import JobSession
from ..sim_core.errors import HeftError
from ..sim_core.progress import Progress
from .refusals import tells_refusals

TIMER_S = 0.05

if TYPE_CHECKING:
    _Base = Operator
else:
    _Base = object


class JobOperator(_Base):
    """Runs one session: modal in a window, blocking without one."""

    session: ClassVar[JobSession[Any, Any] | None] = None
    """Set on this class, so that one job runs at a time."""
    work: ClassVar[str] = "Simulation"
    _timer: Timer | None = None

    def make_session(self, context: RigContext) -> JobSession[Any, Any]:
        """What to run; may raise HeftError."""
        raise NotImplementedError

    def tell(self, outcome: Any) -> None:
        """Report what came out."""
        raise NotImplementedError

    @classmethod
    def is_free(cls) -> bool:
        """For polls: whether nothing runs, with the reason when not."""
        if JobOperator.session is None:
            return True
        cls.poll_message_set("Heft is at work: press Esc to stop it")
        return False

    @tells_refusals
    def execute(self, context: Context) -> OperatorResult:
        rig = rig_context(context)
        outcome = self.make_session(rig).wait(rig)
        self.tell(outcome)
        return {"FINISHED"}

    def invoke(self, context: Context, event: Event) -> OperatorResult:
        if bpy.app.background:
            return self.execute(context)
        return self.start(context)

    def start(self, context: Context) -> OperatorResult:
        """Run while the window lives on."""
        rig = rig_context(context)
        try:
            JobOperator.session = self.make_session(rig)
        except HeftError as problem:
            self.report({"ERROR"}, str(problem))
            return {"CANCELLED"}
        self._timer = rig.window_manager.event_timer_add(TIMER_S, window=rig.window)
        rig.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: Context, event: Event) -> OperatorResult:
        session = JobOperator.session
        if session is None:
            return self._cancelled(context)
        if event.type == "ESC" and event.value == "PRESS":
            self.report({"INFO"}, f"{self.work} stopped; nothing was changed.")
            return self._cancelled(context)
        if event.type != "TIMER":
            # While a motion is read or written the current frame moves: nothing else may touch the scene.
            return {"RUNNING_MODAL"} if session.holds_scene else {"PASS_THROUGH"}
        try:
            outcome = session.step(rig_context(context))
        except HeftError as problem:
            self.report({"ERROR"}, str(problem))
            return self._cancelled(context)
        except Exception:
            self._cancelled(context)
            raise
        if outcome is None:
            _show_progress(rig_context(context), session.progress)
            return {"RUNNING_MODAL"}
        self._end(context)
        self.tell(outcome)
        return {"FINISHED"}

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


def stop_running() -> None:
    """End the job that runs, if any."""
    session, JobOperator.session = JobOperator.session, None
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
