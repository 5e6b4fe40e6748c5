"""A fit in small steps, like a bake."""

from __future__ import annotations

from collections.abc import Generator

from ...sim_core.jobs.fit_job import FitOutcome, load_outcome, save_fit_job
from ..blender_types import RigContext
from ..job_runner import JobKind
from ..job_session import JobSession
from ..kept_object import KeptObject
from .fit_job import PreparedFit, finishing_fit, prepare_fit
from .outcome import FitReport
from .take_object import TakeObject, require_take

FIT = JobKind("fit", "fit", "fit", save_fit_job, load_outcome)


class FitSession(JobSession[PreparedFit, FitReport]):
    """One fit; `step` gives its report in the end."""

    def __init__(self, context: RigContext, obj: TakeObject) -> None:
        reading = _reading(context, KeptObject.of(obj))
        super().__init__([obj], reading, lambda prepared: [prepared.job], _finish, FIT, "Reading the markers")


def _reading(context: RigContext, kept: KeptObject) -> Generator[float, None, PreparedFit]:
    """All in one step: the samples lie in one mesh."""
    prepared = prepare_fit(context, require_take(kept.require("fit")))
    yield 1.0
    return prepared


def _finish(
    context: RigContext, prepared: PreparedFit, results: tuple[FitOutcome, ...]
) -> Generator[float, None, FitReport]:
    return finishing_fit(context, prepared, results[0])
