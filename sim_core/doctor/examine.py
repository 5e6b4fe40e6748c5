"""All checks of the installation, in order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..base.errors import InputError
from ..base.files import refuse_unwritable
from ..base.progress import Progress, ProgressCallback, ignore_progress
from .checks import Check, check_packages, origins, versions


@dataclass(frozen=True)
class DoctorJob:
    """What only the caller knows.

    versions: of the program around Heft, such as Blender
    folders: where Heft must be able to write, by their use
    """

    versions: Mapping[str, str] = field(default_factory=dict)
    folders: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class DoctorReport:
    """The outcome of all checks; origins: the folder that each package was loaded from."""

    versions: Mapping[str, str]
    origins: Mapping[str, str]
    checks: tuple[Check, ...]

    @property
    def failed(self) -> int:
        """Number of checks that failed."""
        return sum(not check.well for check in self.checks)

    def as_dict(self) -> dict[str, Any]:
        """Return the report as JSON values."""
        checks = [vars(check) for check in self.checks]
        return {
            "versions": dict(self.versions),
            "origins": dict(self.origins),
            "checks": checks,
            "failed": self.failed,
        }


def examine(job: DoctorJob, report: ProgressCallback = ignore_progress) -> DoctorReport:
    """Run all checks; never raises, since what does not work is a check that failed."""
    report(Progress("Checking packages", 0.0))
    checks = [*check_packages(), *(_folder(use, Path(name)) for use, name in job.folders.items())]
    if all(check.well for check in checks):
        # Imported here, because they load the packages that were checked above.
        from .checks import check_solvers
        from .self_test import check_bake

        checks += check_solvers()
        report(Progress("Simulating two seconds", 0.3))
        checks.append(check_bake(lambda p: report(Progress(p.stage, 0.3 + 0.7 * p.fraction))))
    return DoctorReport({**versions(), **job.versions}, origins(), tuple(checks))


def _folder(use: str, folder: Path) -> Check:
    try:
        refuse_unwritable(folder / "heft-doctor")
    except InputError as problem:
        advice = f"Make '{folder}' writable, or choose another one."
        return Check(use, False, str(problem).rstrip("."), advice)
    return Check(use, True, f"{folder} is writable")
