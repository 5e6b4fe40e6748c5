"""A retargeting in small steps, like a bake."""

from __future__ import annotations

from collections.abc import Generator

from ...sim_core.retarget.job import RetargetOutcome, load_outcome, save_retarget_job
from ..blender_types import RigContext
from ..job_runner import JobKind
from ..job_session import JobSession
from .job import PreparedRetarget, finishing, preparing
from .outcome import RetargetReport
from .source import TargetObject

RETARGET = JobKind("sim_core.retarget.worker", "retargeting", "retarget", save_retarget_job, load_outcome)


class RetargetSession(JobSession[PreparedRetarget, RetargetReport]):
    """One retargeting; `step` gives its report in the end."""

    def __init__(self, reading: Generator[float, None, PreparedRetarget]) -> None:
        super().__init__(reading, lambda prepared: [prepared.job], _finish, RETARGET)


def panel_session(context: RigContext, target: TargetObject, simulate: bool) -> RetargetSession:
    """What the panel asks for."""
    return RetargetSession(preparing(context, target, simulate))


def _finish(
    context: RigContext, prepared: PreparedRetarget, results: tuple[RetargetOutcome, ...]
) -> Generator[float, None, RetargetReport]:
    return finishing(context, prepared, results[0])
