"""The Make Plausible button: the smallest change that forces can produce, without a simulation."""

from __future__ import annotations

from bpy.types import Context, Operator

from ..addon.bake_job import plausible_participants_of
from ..addon.bake_session import BakeSession
from ..addon.blender_types import RigContext
from ..addon.outcome import BakeReport, messages_of
from .job_operator import JobOperator
from .simulate import HEFT_OT_simulate


class HEFT_OT_make_plausible(JobOperator, Operator):
    """Change the animation as little as possible so that forces can produce it, into a new action; nothing \
is simulated"""

    bl_idname = "heft.make_plausible"
    bl_label = "Make Plausible"
    bl_options = {"REGISTER", "UNDO"}
    work = "Make Plausible"

    @classmethod
    def poll(cls, context: Context) -> bool:
        return HEFT_OT_simulate.poll(context)

    def make_session(self, context: RigContext) -> BakeSession:
        return BakeSession(context, plausible_participants_of(context))

    def tell(self, outcome: tuple[BakeReport, ...]) -> None:
        for warns, text in messages_of(outcome):
            self.report({"WARNING" if warns else "INFO"}, text)


CLASSES = (HEFT_OT_make_plausible,)
