"""Operators of control markers."""

from __future__ import annotations

from bpy.props import StringProperty
from bpy.types import Context, Operator

from ..addon.blender_types import OperatorResult, RigContext, rig_context
from ..addon.markers.control import PullReport, PullSession, add_control, controls_of
from .job_operator import JobOperator
from .mapping import has_armature
from .refusals import outside_edit_mode, tells_refusals


class HEFT_OT_add_control_marker(Operator):
    """Add an Empty that pulls the active bone; move it, animate it, then press Pull"""

    bl_idname = "heft.add_control_marker"
    bl_label = "Add Control Marker"
    bl_options = {"REGISTER", "UNDO"}

    bone: StringProperty(name="Bone", description="Its name; empty takes the active bone of Pose Mode")

    @classmethod
    def poll(cls, context: Context) -> bool:
        return has_armature(cls, context)

    @tells_refusals
    def execute(self, context: Context) -> OperatorResult:
        rig = rig_context(context)
        active = rig.object.data.bones.active
        name = self.bone or ("" if active is None else active.name)
        made = add_control(context, rig.object, name)
        self.report({"INFO"}, f"'{made.name}' pulls the bone '{name}'.")
        return {"FINISHED"}


class HEFT_OT_pull(JobOperator, Operator):
    """Let the control markers pull the character, and write the motion into a new action"""

    bl_idname = "heft.pull"
    bl_label = "Pull"
    bl_options = {"REGISTER", "UNDO"}
    work = "Pull"

    @classmethod
    def poll(cls, context: Context) -> bool:
        if not has_armature(cls, context) or not cls.can_queue([rig_context(context).object]):
            return False
        rig = rig_context(context)
        cls.poll_message_set("Add a control marker to a bone first")
        if not controls_of(context, rig.object):
            return False
        return outside_edit_mode(cls, context)

    def make_session(self, context: RigContext) -> PullSession:
        return PullSession(context, context.object)

    def tell(self, outcome: PullReport) -> None:
        for note in outcome.notes:
            self.report({"INFO"}, note)
        self.report({"INFO"}, outcome.sentence)


CLASSES = (HEFT_OT_add_control_marker, HEFT_OT_pull)
