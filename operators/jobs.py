"""Operators of the job queue, and of the check of the installation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpy.props import IntProperty
from bpy.types import Context, Operator

from ..addon.blender.blender_types import OperatorResult, RigContext, rig_context
from ..addon.jobs.job_queue import QUEUE
from ..addon.jobs.progress import show_progress
from .job_operator import JobOperator

if TYPE_CHECKING:
    from ..addon.jobs.doctor_session import DoctorSession
    from ..sim_core.doctor.examine import DoctorReport


class HEFT_OT_queue_remove(Operator):
    """Remove this job from the queue"""

    bl_idname = "heft.queue_remove"
    bl_label = "Remove from Queue"
    bl_options = {"INTERNAL"}

    index: IntProperty(options={"SKIP_SAVE"}, description="Index in the queue, from 0")

    @classmethod
    def poll(cls, context: Context) -> bool:
        cls.poll_message_set("No job is waiting")
        return len(QUEUE.waiting) > 0

    def execute(self, context: Context) -> OperatorResult:
        if not 0 <= self.index < len(QUEUE.waiting):
            return {"CANCELLED"}
        QUEUE.remove(QUEUE.waiting[self.index])
        show_progress(rig_context(context))
        return {"FINISHED"}


class HEFT_OT_finish_search(Operator):
    """End the search now and keep the best result so far"""

    bl_idname = "heft.finish_search"
    bl_label = "Keep Best So Far"
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        cls.poll_message_set("Nothing is being searched")
        return QUEUE.running is not None and QUEUE.running.progress.can_finish

    def execute(self, context: Context) -> OperatorResult:
        if QUEUE.running is None:
            return {"CANCELLED"}
        QUEUE.running.finish_early()
        return {"FINISHED"}


class HEFT_OT_check_installation(JobOperator, Operator):
    """Test Heft's packages, solvers and folders, and simulate a test character for two seconds"""

    bl_idname = "heft.check_installation"
    bl_label = "Check Installation"
    bl_options = {"REGISTER"}
    work = "Check"

    @classmethod
    def poll(cls, context: Context) -> bool:
        return cls.is_free()

    def make_session(self, context: RigContext) -> DoctorSession:
        from ..addon.jobs.doctor_session import DoctorSession

        return DoctorSession()

    def report_outcome(self, outcome: DoctorReport) -> None:
        for check in outcome.checks:
            if not check.well:
                self.report({"ERROR"}, f"{check.name}: {check.found}. {check.advice}")
        if not outcome.failed:
            self.report({"INFO"}, f"All {len(outcome.checks)} checks passed.")


CLASSES = (
    HEFT_OT_queue_remove,
    HEFT_OT_finish_search,
    HEFT_OT_check_installation,
)
