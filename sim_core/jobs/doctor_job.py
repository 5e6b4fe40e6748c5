"""An examination on its way between Blender and its child process, as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..base.files import AnyPath, write_text_atomically
from ..base.json_files import dataclass_from_json, read_json_file, to_json
from ..base.worker_process import EventWriter
from ..doctor.checks import Check
from ..doctor.examine import Examination, Surroundings, examine


def save_surroundings(around: Surroundings, path: AnyPath) -> None:
    write_text_atomically(path, to_json(asdict(around)))


def load_surroundings(path: AnyPath) -> Surroundings:
    around: Surroundings = dataclass_from_json(Surroundings, read_json_file(path, "check"), f"'{path}'")
    return around


def save_examination(examination: Examination, path: AnyPath) -> None:
    write_text_atomically(path, to_json(examination.as_dict()))


def load_examination(path: AnyPath) -> Examination:
    data: dict[str, Any] = read_json_file(path, "check")
    checks = tuple(dataclass_from_json(Check, entry, f"A check in '{path}'") for entry in data["checks"])
    return Examination(data["versions"], data["origins"], checks)


def run_jobs(job_paths: Sequence[Path], result_paths: Sequence[Path], events: EventWriter) -> None:
    """Examine the installation; the worker's task for jobs of this kind."""
    for job_path, result_path in zip(job_paths, result_paths, strict=True):
        save_examination(examine(load_surroundings(job_path), events.progress), result_path)
