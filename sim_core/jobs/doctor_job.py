"""Jobs that check the installation, and their files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..base.files import AnyPath, write_text_atomically
from ..base.json_files import dataclass_from_json, read_json_file, to_json
from ..base.worker_process import EventWriter
from ..doctor.checks import Check
from ..doctor.examine import DoctorJob, DoctorReport, examine


def save_doctor_job(job: DoctorJob, path: AnyPath) -> None:
    """Write what only the caller knows to a file."""
    write_text_atomically(path, to_json(asdict(job)))


def load_doctor_job(path: AnyPath) -> DoctorJob:
    """Read a job."""
    job: DoctorJob = dataclass_from_json(DoctorJob, read_json_file(path, "check"), f"'{path}'")
    return job


def save_doctor_report(examination: DoctorReport, path: AnyPath) -> None:
    """Write a report to a file."""
    write_text_atomically(path, to_json(examination.as_dict()))


def load_doctor_report(path: AnyPath) -> DoctorReport:
    """Read a report."""
    data: dict[str, Any] = read_json_file(path, "check")
    checks = tuple(dataclass_from_json(Check, entry, f"A check in '{path}'") for entry in data["checks"])
    return DoctorReport(data["versions"], data["origins"], checks)


def run_jobs(job_paths: Sequence[Path], result_paths: Sequence[Path], events: EventWriter) -> None:
    """Check the installation."""
    for job_path, result_path in zip(job_paths, result_paths, strict=True):
        save_doctor_report(examine(load_doctor_job(job_path), events.progress), result_path)
