"""Checks the installation in the child process, in the same way as bakes are run."""

from __future__ import annotations

from collections.abc import Generator

import bpy

from ...sim_core.doctor.examine import DoctorJob, DoctorReport
from ...sim_core.jobs.doctor_job import load_doctor_report, save_doctor_job
from ..blender.blender_types import RigContext
from ..presets.user_files import user_folder_for
from .job_runner import JobKind
from .job_session import JobSession

CHECK = JobKind("check", "check", "check", save_doctor_job, load_doctor_report)

_last: list[DoctorReport] = []


def last_doctor_report() -> DoctorReport | None:
    """Return what the last check of this session found."""
    return _last[-1] if _last else None


class DoctorSession(JobSession[DoctorJob, DoctorReport]):
    """One check of the installation; the last `step` returns what was found."""

    def __init__(self) -> None:
        super().__init__([], _reading(), lambda around: [around], _finish, CHECK, "Starting the check")


def _reading() -> Generator[float, None, DoctorJob]:
    folders = {
        "user folder": str(user_folder_for()),
        "Blender's temporary folder": bpy.app.tempdir,
    }
    yield 1.0
    return DoctorJob({"blender": bpy.app.version_string}, folders)


def _finish(
    _context: RigContext, _around: DoctorJob, results: tuple[DoctorReport, ...]
) -> Generator[float, None, DoctorReport]:
    yield 1.0
    _last[:] = results[:1]
    return results[0]
