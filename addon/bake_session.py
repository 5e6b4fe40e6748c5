"""A bake in small steps: read the motions, simulate in the child process, write the actions."""

from __future__ import annotations

from collections.abc import Sequence

from ..sim_core.job import Job
from ..sim_core.progress import Report, ignore_progress
from .bake_job import Participant, PreparedBake, finishing_bakes, prepare_bakes
from .blender_types import RigContext
from .job_session import JobSession
from .outcome import BakeReport


class BakeSession(JobSession[tuple[PreparedBake, ...], tuple[BakeReport, ...]]):
    """One bake; `step` gives reports in the end, one for each armature."""

    def __init__(self, context: RigContext, participants: Sequence[Participant]) -> None:
        super().__init__(prepare_bakes(context, participants), jobs_of, finishing_bakes)


def bake_and_wait(
    context: RigContext, participants: Sequence[Participant], report: Report = ignore_progress
) -> tuple[BakeReport, ...]:
    """Run a whole bake; progress is reported on the way."""
    return BakeSession(context, participants).wait(context, report)


def jobs_of(prepared: tuple[PreparedBake, ...]) -> list[Job]:
    """Of all who take part."""
    return [each.job for each in prepared]
