"""Checks the installation in the child process, in the same way as bakes are run."""

from __future__ import annotations

from collections.abc import Generator

import bpy

from ...sim_core.doctor.examine import Examination, Surroundings
from ...sim_core.jobs.doctor_job import load_examination, save_surroundings
from ..blender.blender_types import RigContext
from ..presets.user_files import user_folder_for
from .job_runner import JobKind
from .job_session import JobSession

CHECK = JobKind("check", "check", "check", save_surroundings, load_examination)

_last: list[Examination] = []


def last_examination() -> Examination | None:
    """Return what the last check of this session found."""
    return _last[-1] if _last else None


class DoctorSession(JobSession[Surroundings, Examination]):
    """One check of the installation; the last `step` returns what was found."""

    def __init__(self) -> None:
        super().__init__([], _reading(), lambda around: [around], _finish, CHECK, "Starting the check")


def _reading() -> Generator[float, None, Surroundings]:
    folders = {
        "user folder": str(user_folder_for()),
        "Blender's temporary folder": bpy.app.tempdir,
    }
    yield 1.0
    return Surroundings({"blender": bpy.app.version_string}, folders)


def _finish(
    _context: RigContext, _around: Surroundings, results: tuple[Examination, ...]
) -> Generator[float, None, Examination]:
    yield 1.0
    _last[:] = results[:1]
    return results[0]
