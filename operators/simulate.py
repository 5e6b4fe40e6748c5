"""The Simulate button."""

from __future__ import annotations

from functools import partial

from bpy.props import BoolProperty
from bpy.types import Context, Operator

from ..addon.action_clips import require_source
from ..addon.bake_job import armatures_of, participants_of
from ..addon.bake_session import BakeSession
from ..addon.blender_types import RigContext, rig_context
from ..addon.outcome import BakeReport, messages_of
from .job_operator import JobOperator
from .mapping import has_armature
from .refusals import accepts, outside_edit_mode


class HEFT_OT_simulate(JobOperator, Operator):
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

    @classmethod
    def poll(cls, context: Context) -> bool:
        if not has_armature(cls, context) or not cls.can_queue(armatures_of(rig_context(context))):
            return False
        found = all(accepts(cls, partial(require_source, obj)) for obj in armatures_of(rig_context(context)))
        return found and outside_edit_mode(cls, context)

    def make_session(self, context: RigContext) -> BakeSession:
        return BakeSession(context, participants_of(context, self.simulate))

    def tell(self, outcome: tuple[BakeReport, ...]) -> None:
        for warns, text in messages_of(outcome):
            self.report({"WARNING" if warns else "INFO"}, text)


CLASSES = (HEFT_OT_simulate,)
