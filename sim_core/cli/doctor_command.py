"""Check that this installation works, with a small bake, and say what to do where it does not."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

from ..doctor.examine import DoctorJob, DoctorReport, examine
from .console import Console


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add nothing: the command has no options of its own."""


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Return what was found; `failed` counts the checks that failed."""
    folders = {"temporary folder": tempfile.gettempdir(), "working folder": str(Path.cwd())}
    examination = examine(DoctorJob(folders=folders), Console().progress)
    return examination.as_dict() if options.json else listed(examination)


def listed(examination: DoctorReport) -> dict[str, Any]:
    """Return one line for each check."""
    own = {check.name for check in examination.checks}
    system = {name: version for name, version in examination.versions.items() if name not in own}
    checks = {check.name: check.sentence() for check in examination.checks}
    return {**system, **checks, "failed": examination.failed}
