"""Operators of the report: check, jump to a frame, mark frames, plot curves, save the page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import BoolProperty, IntProperty, StringProperty
from bpy.types import Context, Event, Operator

from ..addon.blender.blender_types import OperatorResult, RigContext, rig_context
from ..addon.report.report_store import has_stored_result
from .job_operator import JobOperator, SourceOperator
from .shared import has_armature, reports_errors

if TYPE_CHECKING:
    from ..addon.bake.bake_job import CheckSession
    from ..addon.report.report_export import PageSession

SUFFIX = ".html"


class HEFT_OT_check(SourceOperator, Operator):
    """Find problems of the animation: sliding feet, unexplained forces, joints beyond their strength. Nothing is changed"""  # noqa: E501 - Blender shows it as one line

    bl_idname = "heft.check"
    bl_label = "Check"
    bl_options = {"REGISTER", "UNDO"}
    work = "Check"

    def make_session(self, context: RigContext) -> CheckSession:
        from ..addon.bake.bake_job import CheckSession

        return CheckSession(context, context.object)

    def report_outcome(self, outcome: str) -> None:
        self.report({"INFO"}, outcome)


class HEFT_OT_jump_to_frame(Operator):
    """Go to this frame"""

    bl_idname = "heft.jump_to_frame"
    bl_label = "Jump to Frame"
    bl_options = {"INTERNAL"}

    frame: IntProperty(options={"SKIP_SAVE"})

    def execute(self, context: Context) -> OperatorResult:
        rig_context(context).scene.frame_set(self.frame)
        return {"FINISHED"}


class HEFT_OT_mark_worst_frames(Operator):
    """Add timeline markers at the worst frames, replacing those of the last report"""

    bl_idname = "heft.mark_worst_frames"
    bl_label = "Mark Frames"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        return _has_report(cls, context)

    def execute(self, context: Context) -> OperatorResult:
        from ..addon.report.report_export import mark_worst_frames

        rig = rig_context(context)
        rig.object.heft_report.marks = True
        self.report({"INFO"}, f"{mark_worst_frames(rig.scene, [rig.object])} frames are marked.")
        return {"FINISHED"}


class HEFT_OT_clear_marks(Operator):
    """Remove the report's timeline markers; other markers stay"""

    bl_idname = "heft.clear_marks"
    bl_label = "Unmark"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        from ..addon.report.report_export import PREFIX

        cls.poll_message_set("There are no report markers")
        markers = rig_context(context).scene.timeline_markers
        return any(marker.name.startswith(PREFIX) for marker in markers)

    def execute(self, context: Context) -> OperatorResult:
        from ..addon.report.report_export import clear_marks

        self.report({"INFO"}, f"{clear_marks(rig_context(context).scene)} markers were removed.")
        return {"FINISHED"}


class HEFT_OT_plot_report(Operator):
    """Write the measures as curves on an Empty, for the Graph Editor; other actions are not changed"""

    bl_idname = "heft.plot_report"
    bl_label = "Plot Curves"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        return _has_kept_report(cls, context)

    @reports_errors
    def execute(self, context: Context) -> OperatorResult:
        from ..addon.report.report_export import plot_curves

        rig = rig_context(context)
        empty = plot_curves(rig, rig.object)
        self.report({"INFO"}, f"The Graph Editor shows the curves of '{empty.name}' while it is selected.")
        return {"FINISHED"}


class HEFT_OT_save_report(JobOperator, Operator):
    """Save the report as an HTML page with plots and pictures"""

    bl_idname = "heft.save_report"
    bl_label = "Save Report"
    work = "Drawing"

    filepath: StringProperty(subtype="FILE_PATH", options={"SKIP_SAVE"})
    check_existing: BoolProperty(default=True, options={"HIDDEN"})
    filter_glob: StringProperty(default="*.html", options={"HIDDEN"})

    @classmethod
    def poll(cls, context: Context) -> bool:
        return _has_kept_report(cls, context) and cls.is_free()

    def make_session(self, context: RigContext) -> PageSession:
        from ..addon.report.report_export import PageSession

        path = bpy.path.ensure_ext(bpy.path.abspath(self.filepath), SUFFIX)
        return PageSession(context.object, Path(path))

    def invoke(self, context: Context, event: Event) -> OperatorResult:
        rig = rig_context(context)
        self.filepath = bpy.path.clean_name(f"{rig.object.name}_report") + SUFFIX
        rig.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context: Context) -> OperatorResult:
        # Once a name is chosen, the page is written while the window stays responsive.
        return JobOperator.execute(self, context) if bpy.app.background else self.start(context)

    def report_outcome(self, outcome: Path) -> None:
        self.report({"INFO"}, f"Saved '{outcome}'.")


def _has_report(operator: Any, context: Context) -> bool:
    if not has_armature(operator, context):
        return False
    operator.poll_message_set("Simulate or check first")
    return bool(rig_context(context).object.heft_report.present)


def _has_kept_report(operator: Any, context: Context) -> bool:
    if not _has_report(operator, context):
        return False
    operator.poll_message_set("The curves are not saved in the file: simulate or check again")
    return has_stored_result(rig_context(context).object.heft_report.token)


CLASSES = (
    HEFT_OT_check,
    HEFT_OT_jump_to_frame,
    HEFT_OT_mark_worst_frames,
    HEFT_OT_clear_marks,
    HEFT_OT_plot_report,
    HEFT_OT_save_report,
)
