"""The Check Installation button of the preferences."""

from __future__ import annotations

from bpy.types import Context, Operator

from ..addon.blender_types import RigContext
from ..addon.doctor import DoctorSession
from ..sim_core.doctor.examine import Examination
from .job_operator import JobOperator


class HEFT_OT_check_installation(JobOperator, Operator):
    """Look at Heft's packages, solvers and folders, and simulate two seconds of a test figure"""

    bl_idname = "heft.check_installation"
    bl_label = "Check Installation"
    bl_options = {"REGISTER"}
    work = "Check"

    @classmethod
    def poll(cls, context: Context) -> bool:
        return cls.is_free()

    def make_session(self, context: RigContext) -> DoctorSession:
        return DoctorSession()

    def tell(self, outcome: Examination) -> None:
        for check in outcome.checks:
            if not check.well:
                self.report({"ERROR"}, f"{check.name}: {check.found}. {check.advice}")
        if not outcome.failed:
            self.report({"INFO"}, f"All {len(outcome.checks)} checks are well.")


CLASSES = (HEFT_OT_check_installation,)
