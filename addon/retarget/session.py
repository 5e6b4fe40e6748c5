"""A retargeting in small steps, like a bake."""

from __future__ import annotations

from collections.abc import Generator

from ...sim_core.jobs.retarget_job import RetargetOutcome, load_outcome, save_retarget_job
from ..blender_types import RigContext
from ..job_runner import JobKind
from ..job_session import JobSession
from ..kept_object import KeptObject
from .job import PreparedRetarget, finishing, preparing
from .outcome import RetargetReport
from .source import TargetObject, target_of

RETARGET = JobKind("retarget", "retargeting", "retarget", save_retarget_job, load_outcome)


class RetargetSession(JobSession[PreparedRetarget, RetargetReport]):
    """One retargeting; `step` gives its report in the end."""

    def __init__(self, target: TargetObject, reading: Generator[float, None, PreparedRetarget]) -> None:
        super().__init__(
            [target],
            reading,
            lambda prepared: [prepared.job],
            _finish,
            RETARGET,
            sources=lambda prepared: [prepared.target],
        )


def panel_session(context: RigContext, target: TargetObject, simulate: bool) -> RetargetSession:
    """What the panel asks for."""
    kept = KeptObject.of(target)

    def reading() -> Generator[float, None, PreparedRetarget]:
        return (yield from preparing(context, target_of(kept.require("retarget")), simulate))

    return RetargetSession(target, reading())


def _finish(
    context: RigContext, prepared: PreparedRetarget, results: tuple[RetargetOutcome, ...]
) -> Generator[float, None, RetargetReport]:
    return finishing(context, prepared, results[0])
