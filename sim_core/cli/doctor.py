"""Check that this installation works, with a small bake, and say what to do where it does not."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

from ..doctor.examine import Examination, Surroundings, examine
from .console import Console


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """None of its own."""


def run(options: argparse.Namespace) -> dict[str, Any]:
    """What was found; `failed` counts what is not well."""
    folders = {"temporary folder": tempfile.gettempdir(), "working folder": str(Path.cwd())}
    examination = examine(Surroundings(folders=folders), Console().progress)
    return examination.as_dict() if options.json else listed(examination)


def listed(examination: Examination) -> dict[str, Any]:
    """For reading: a line for each."""
    own = {check.name for check in examination.checks}
    system = {name: version for name, version in examination.versions.items() if name not in own}
    checks = {check.name: check.sentence() for check in examination.checks}
    return {**system, **checks, "failed": examination.failed}
