"""The base of operators with a job: the window stays responsive, Esc cancels, and no result is half written.

Each pressed button is an operator of its own in Blender's window, with one job of the queue. It waits until
its job is the first one, runs it, and ends as one undo step.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import bpy
from bpy.types import Context, Event, Object, Operator, Timer

from ..addon.bake.bake_report import BakeReport, messages_of
from ..addon.blender.blender_types import OperatorResult, RigContext, rig_context
from ..addon.jobs.job_queue import QUEUE, Session
from ..addon.jobs.progress import show_preview, show_progress
from ..addon.reading.sequence_reader import require_source
from ..sim_core.base.errors import HeftError
from .shared import accepts, has_armature, outside_edit_mode, reports_errors

if TYPE_CHECKING:
    _Base = Operator
else:
    _Base = object


class JobOperator(_Base):
    """Runs one session: modal in a window, blocking without one."""

    work: ClassVar[str] = "Simulation"
    period_s: ClassVar[float] = 0.05
    """Time between two steps [s]."""
    rest: ClassVar[float] = 0.5
    """Share of this time that the window has to itself after a step."""
    rests_until: ClassVar[float] = 0.0
    """Time of the next step: the window draws in between, although every waiting operator has a timer."""
    _session: Session | None = None
    _timer: Timer | None = None

    def make_session(self, context: RigContext) -> Session:
        """Return the session to run; may raise HeftError."""
        raise NotImplementedError

    def report_outcome(self, outcome: Any) -> None:
        """Report the outcome to the user."""
        raise NotImplementedError

    @classmethod
    def is_free(cls) -> bool:
        """Return whether no job runs; set the poll's message if not."""
        if not QUEUE:
            return True
        cls.poll_message_set("Heft is busy: press Esc to cancel")
        return False

    @classmethod
    def can_queue(cls, objects: Sequence[Object]) -> bool:
        """Return whether no job uses these objects yet; set the poll's message if not."""
        busy = QUEUE.busy(objects)
        if busy:
            cls.poll_message_set(f"'{busy}' is already being processed or queued")
        return not busy

    @reports_errors
    def execute(self, context: Context) -> OperatorResult:
        """Run the job to its end."""
        rig = rig_context(context)
        outcome = self.make_session(rig).wait(rig)
        self.report_outcome(outcome)
        return {"FINISHED"}

    def invoke(self, context: Context, event: Event) -> OperatorResult:
        """Run the job while the window stays responsive, if there is a window."""
        if bpy.app.background:
            return self.execute(context)
        return self.start(context)

    def start(self, context: Context) -> OperatorResult:
        """Add the job to the queue and run it once its turn comes."""
        rig = rig_context(context)
        try:
            self._session = self.make_session(rig)
        except HeftError as problem:
            self.report({"ERROR"}, str(problem))
            return {"CANCELLED"}
        QUEUE.add(self._session)
        self._timer = rig.window_manager.event_timer_add(self.period_s, window=rig.window)
        rig.window_manager.modal_handler_add(self)
        show_progress(rig)
        return {"RUNNING_MODAL"}

    def modal(self, context: Context, event: Event) -> OperatorResult:
        """Do the next step of the job, leave it, or do what an event asks for."""
        session = self._session
        if session is None or session not in QUEUE:
            return self._cancelled(context)
        if session is not QUEUE.running:
            return {"PASS_THROUGH"}
        if event.type == "ESC" and event.value == "PRESS":
            return self.leave(context)
        return self._tick(context, session) if event.type == "TIMER" else self.take_event(event)

    def leave(self, context: Context) -> OperatorResult:
        """Do what Esc asks for: cancel the job."""
        self.report({"INFO"}, f"{self.work} cancelled; nothing was changed.")
        return self._cancelled(context)

    def take_event(self, event: Event) -> OperatorResult:
        """Let an event go on to Blender, if it cannot disturb the job."""
        # While a motion is read or written the current frame moves: nothing else may touch the scene.
        holds_scene = self._session is not None and self._session.holds_scene
        return {"RUNNING_MODAL"} if holds_scene else {"PASS_THROUGH"}

    def went_on(self, context: RigContext) -> OperatorResult:
        """Show what a step did that was not the last one."""
        show_preview(context)
        return {"RUNNING_MODAL"}

    def _tick(self, context: Context, session: Session) -> OperatorResult:
        """Do one step of the session; tell how it ended, once it does."""
        if time.monotonic() < JobOperator.rests_until:
            return {"RUNNING_MODAL"}
        try:
            outcome = session.step(rig_context(context))
        except HeftError as problem:
            self.report({"ERROR"}, str(problem))
            return self._cancelled(context)
        except Exception:
            self._cancelled(context)
            raise
        JobOperator.rests_until = time.monotonic() + self.rest * self.period_s
        if outcome is None:
            show_progress(rig_context(context))
            return self.went_on(rig_context(context))
        self._end(context)
        self.report_outcome(outcome)
        return {"FINISHED"}

    def cancel(self, context: Context) -> None:
        """End the job; Blender calls this when the window closes or another file is opened."""
        if self._session is not None and self._session in QUEUE:
            QUEUE.last_words = self._session.ended_by
        self._end(context)

    def _cancelled(self, context: Context) -> OperatorResult:
        self._end(context)
        return {"CANCELLED"}

    def _end(self, context: Context) -> None:
        if self._session is not None:
            QUEUE.remove(self._session)
        if self._timer is not None:
            rig_context(context).window_manager.event_timer_remove(self._timer)
            self._timer = None
        show_progress(rig_context(context))
        show_preview(rig_context(context))


class SourceOperator(JobOperator):
    """A job on the motion of the active armature."""

    @classmethod
    def poll(cls, context: Context) -> bool:
        """Return whether the armature has a motion, and no job uses it yet."""
        if not has_armature(cls, context) or not cls.can_queue([rig_context(context).object]):
            return False
        found = accepts(cls, partial(require_source, rig_context(context).object))
        return found and outside_edit_mode(cls, context)


class BakeOperator(JobOperator):
    """A job that writes new actions."""

    def report_outcome(self, outcome: tuple[BakeReport, ...]) -> None:
        """Report what was written for each armature."""
        for warns, text in messages_of(outcome):
            self.report({"WARNING" if warns else "INFO"}, text)
