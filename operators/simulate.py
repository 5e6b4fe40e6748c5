"""The Simulate button, and the way back to the source."""

from __future__ import annotations

from bpy.props import BoolProperty
from bpy.types import Context, Operator

from ..addon.action_clips import require_source
from ..addon.bake_job import armatures_of, participants_of, restore_source
from ..addon.bake_session import BakeSession
from ..addon.blender_types import OperatorResult, RigContext, rig_context
from ..addon.outcome import BakeReport, messages_of
from ..sim_core.errors import HeftError
from .job_operator import JobOperator
from .mapping import has_armature
from .refusals import tells_refusals


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
        if not has_armature(cls, context) or not cls.is_free():
            return False
        try:
            for obj in armatures_of(rig_context(context)):
                require_source(obj)
        except HeftError as problem:
            cls.poll_message_set(str(problem).rstrip("."))
            return False
        cls.poll_message_set("Leave Edit Mode first")
        return context.mode != "EDIT_ARMATURE"

    def make_session(self, context: RigContext) -> BakeSession:
        return BakeSession(context, participants_of(context, self.simulate))

    def tell(self, outcome: tuple[BakeReport, ...]) -> None:
        for warns, text in messages_of(outcome):
            self.report({"WARNING" if warns else "INFO"}, text)


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

    @tells_refusals
    def execute(self, context: Context) -> OperatorResult:
        name = restore_source(rig_context(context).object)
        self.report({"INFO"}, f"'{name}' is the action again.")
        return {"FINISHED"}


CLASSES = (HEFT_OT_simulate, HEFT_OT_use_source)
