"""A bake in small steps: read the motions, simulate in the child process, write the actions."""

from __future__ import annotations

from collections.abc import Generator, Sequence

from ..sim_core.base.progress import ProgressCallback, ignore_progress
from ..sim_core.scenario.job import Job
from .bake_job import Participant, PreparedBake, finishing_bakes, prepare_bakes
from .blender_types import RigContext
from .job_session import JobSession
from .kept_object import KeptObject
from .outcome import BakeReport
from .rig_reader import require_armature
from .source_state import SourceState


class BakeSession(JobSession[tuple[PreparedBake, ...], tuple[BakeReport, ...]]):
    """One bake; `step` gives reports in the end, one for each armature."""

    def __init__(self, context: RigContext, participants: Sequence[Participant]) -> None:
        about = [participant.object for participant in participants]
        super().__init__(
            about, reading_of(context, participants), jobs_of, finishing_bakes, sources=sources_of
        )


def bake_and_wait(
    context: RigContext, participants: Sequence[Participant], report: ProgressCallback = ignore_progress
) -> tuple[BakeReport, ...]:
    """Run a whole bake; progress is reported on the way."""
    return BakeSession(context, participants).wait(context, report)


def reading_of(
    context: RigContext, participants: Sequence[Participant]
) -> Generator[float, None, tuple[PreparedBake, ...]]:
    """Reads them when its turn has come, whatever was renamed or undone until then."""
    kept = [(KeptObject.of(each.object), each.options) for each in participants]

    def reading() -> Generator[float, None, tuple[PreparedBake, ...]]:
        now = [Participant(require_armature(obj.require("simulate")), options) for obj, options in kept]
        return (yield from prepare_bakes(context, now))

    return reading()


def sources_of(prepared: tuple[PreparedBake, ...]) -> list[SourceState]:
    """Of all who take part."""
    return [each.source for each in prepared]


def jobs_of(prepared: tuple[PreparedBake, ...]) -> list[Job]:
    """Of all who take part."""
    return [each.job for each in prepared]
