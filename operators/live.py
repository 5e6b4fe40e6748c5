"""The buttons Play Live, Keep and Forget."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from bpy.types import Context, Event, Operator

from ..addon.blender.blender_types import OperatorResult, RigContext, rig_context
from ..addon.live.plays import forget_take, keep_take, take_of
from ..addon.reading.rig_reader import metres_per_unit
from ..addon.reading.sequence_reader import require_source
from ..sim_core.base.errors import InputError
from .job_operator import BakeOperator, JobOperator
from .shared import accepts, has_armature, outside_edit_mode, reports_errors

if TYPE_CHECKING:
    from ..addon.live.live_play import LivePlay
    from ..addon.live.live_take import TakeSession
    from ..sim_core.jobs.live_job import Played


class HEFT_OT_play_live(JobOperator, Operator):
    """Play with the simulated character in the 3D view: pull it, throw balls at it. No key is changed"""

    bl_idname = "heft.play_live"
    bl_label = "Play Live"
    bl_options = {"REGISTER"}
    work = "Live play"
    period_s = 1.0 / 60.0
    rest = 0.0

    @classmethod
    def poll(cls, context: Context) -> bool:
        if not has_armature(cls, context) or not cls.is_free():
            return False
        return accepts(cls, partial(require_source, rig_context(context).object)) and outside_edit_mode(
            cls, context
        )

    def execute(self, context: Context) -> OperatorResult:
        self.report({"ERROR"}, "Live play needs a window; on the command line take heft live.")
        return {"CANCELLED"}

    def make_session(self, context: RigContext) -> LivePlay:
        """Return the simulation; the view shows it as soon as it runs."""
        from ..addon.live.live_play import LivePlay
        from ..addon.live.live_window import LiveWindow

        if context.area is None or context.area.type != "VIEW_3D":
            raise InputError("Live play is shown in a 3D view; press the button there.")
        play = LivePlay(context, context.object)
        self.live_window = LiveWindow(play, context.area, metres_per_unit(context.scene))
        return play

    def take_event(self, event: Event) -> OperatorResult:
        """Do what the mouse and the keys ask for, once the play is shown."""
        if self.live_window.play.frame is None:
            return super().take_event(event)
        return {"RUNNING_MODAL"} if self.live_window.take(event) else {"PASS_THROUGH"}

    def went_on(self, context: RigContext) -> OperatorResult:
        """Show the next frame."""
        self.live_window.show()
        return {"PASS_THROUGH"}

    def leave(self, context: Context) -> OperatorResult:
        """End; a recorded take waits for its log."""
        play = self.live_window.play
        if not play.recorded or play.ending:
            self.report({"INFO"}, "Live play ended; everything is as it was before.")
            return self._cancelled(context)
        play.end()
        return {"RUNNING_MODAL"}

    def report_outcome(self, outcome: Played) -> None:
        """Remember the take, and report how to keep it."""
        keep_take(self.live_window.play, outcome)
        told = f"A take of {outcome.log.seconds:.1f} s was recorded: press Keep to write it as actions."
        self.report({"INFO"}, told)

    def _end(self, context: Context) -> None:
        self.live_window.close()
        super()._end(context)
        if context.area is not None:
            context.area.tag_redraw()


class HEFT_OT_keep_take(BakeOperator, Operator):
    """Write the recorded take as new actions of the character and of what it pushed"""

    bl_idname = "heft.keep_take"
    bl_label = "Keep"
    bl_options = {"REGISTER", "UNDO"}
    work = "Keep"

    @classmethod
    def poll(cls, context: Context) -> bool:
        cls.poll_message_set("Play Live and press R to record a take first")
        return (
            has_armature(cls, context)
            and take_of(rig_context(context).object) is not None
            and cls.can_queue([rig_context(context).object])
        )

    def make_session(self, context: RigContext) -> TakeSession:
        from ..addon.live.live_take import TakeSession

        take = take_of(context.object)
        if take is None:
            raise InputError("There is no take; play live and press R to record one.")
        return TakeSession(context.object, take)


class HEFT_OT_forget_take(Operator):
    """Forget the recorded take"""

    bl_idname = "heft.forget_take"
    bl_label = "Forget"

    @classmethod
    def poll(cls, context: Context) -> bool:
        return HEFT_OT_keep_take.poll(context)

    @reports_errors
    def execute(self, context: Context) -> OperatorResult:
        forget_take(rig_context(context).object)
        return {"FINISHED"}


CLASSES = (HEFT_OT_play_live, HEFT_OT_keep_take, HEFT_OT_forget_take)
