"""Operators of the retargeting, and of its list of targets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpy.props import BoolProperty
from bpy.types import Context, Operator

from ..addon.blender.blender_types import OperatorResult, RigContext, rig_context
from ..addon.retarget.retarget_inputs import chosen_targets, require_source_of, target_of
from .job_operator import JobOperator
from .shared import OnArmature, accepts, has_armature, has_row, outside_edit_mode, remove_row

if TYPE_CHECKING:
    from ..addon.retarget.retarget_job import RetargetSession
    from ..addon.retarget.retarget_report import RetargetReport


class HEFT_OT_retarget(JobOperator, Operator):
    """Copy the source's motion to this armature, and to other selected ones that have a source, together"""

    bl_idname = "heft.retarget"
    bl_label = "Retarget"
    bl_options = {"REGISTER", "UNDO"}
    work = "Retargeting"

    simulate: BoolProperty(
        name="Simulate",
        description="Also simulate the motion with this character's masses, into a second action",
        options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, context: Context) -> bool:
        if not has_armature(cls, context):
            return False
        targets = chosen_targets(rig_context(context))
        if not cls.can_queue(targets):
            return False
        found = accepts(cls, lambda: [require_source_of(target) for target in targets])
        return found and outside_edit_mode(cls, context)

    def make_session(self, context: RigContext) -> RetargetSession:
        from ..addon.retarget.retarget_job import panel_session

        return panel_session(context, chosen_targets(context), self.simulate)

    def report_outcome(self, outcome: tuple[RetargetReport, ...]) -> None:
        for one in outcome:
            for note in one.notes:
                self.report({"INFO"}, note)
            self.report({"WARNING" if one.fell_frame is not None else "INFO"}, one.sentence)


class HEFT_OT_reach_add(OnArmature, Operator):
    """Add a target for a hand or a foot: a selected Empty, from the current frame on"""

    bl_idname = "heft.reach_add"
    bl_label = "Add Target"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: Context) -> OperatorResult:
        chosen, scene = target_of(context.object).heft_retarget, rig_context(context).scene
        row = chosen.reaches.add()
        row.target = next((obj for obj in context.selected_objects if obj.type == "EMPTY"), None)
        row.frame_start = scene.frame_current
        row.frame_end = scene.frame_current + scene.render.fps
        chosen.reaches_index = len(chosen.reaches) - 1
        return {"FINISHED"}


class HEFT_OT_reach_remove(Operator):
    """Remove the selected target from the list"""

    bl_idname = "heft.reach_remove"
    bl_label = "Remove Target"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        if not has_armature(cls, context):
            return False
        return has_row(cls, target_of(context.object).heft_retarget, "reaches")

    def execute(self, context: Context) -> OperatorResult:
        remove_row(target_of(context.object).heft_retarget, "reaches")
        return {"FINISHED"}


CLASSES = (
    HEFT_OT_retarget,
    HEFT_OT_reach_add,
    HEFT_OT_reach_remove,
)
