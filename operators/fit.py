"""The Fit button."""

from __future__ import annotations

from bpy.types import Context, Operator

from ..addon.blender_types import RigContext, rig_context
from ..addon.markers.fit_session import FitSession
from ..addon.markers.outcome import FitReport
from ..addon.markers.take_object import require_take
from .job_operator import JobOperator
from .markers import has_take


class HEFT_OT_fit_markers(JobOperator, Operator):
    """Fit a body to the markers and write its motion into a new action"""

    bl_idname = "heft.fit_markers"
    bl_label = "Fit"
    bl_options = {"REGISTER", "UNDO"}
    work = "Fit"

    @classmethod
    def poll(cls, context: Context) -> bool:
        if not has_take(cls, context) or not cls.can_queue([rig_context(context).object]):
            return False
        cls.poll_message_set("Leave Edit Mode first")
        return context.mode == "OBJECT"

    def make_session(self, context: RigContext) -> FitSession:
        return FitSession(context, require_take(context.object))

    def tell(self, outcome: FitReport) -> None:
        for note in outcome.notes:
            self.report({"INFO"}, note)
        self.report({"INFO"}, outcome.sentence)


CLASSES = (HEFT_OT_fit_markers,)
