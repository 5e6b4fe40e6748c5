"""Checking an action, and writing the report's page, in the child process."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace
from pathlib import Path

from ...sim_core.base.files import refuse_unwritable, write_text_atomically
from ...sim_core.jobs.page_job import PageJob, load_page, save_page_job
from ...sim_core.result.result import Result
from ..bake_job import Participant, PreparedBake, options_of, prepared_armature
from ..bake_session import jobs_of, reading_of, sources_of
from ..blender_types import ArmatureObject, RigContext
from ..job_runner import BAKE, JobKind
from ..job_session import JobSession
from .kept import kept_result
from .show import show_report
from .timeline import mark_worst_frames

CHECK = replace(BAKE, work="check", verb="check")
PAGE = JobKind("page", "report", "save the report", save_page_job, load_page)


class CheckSession(JobSession[tuple[PreparedBake, ...], str]):
    """Judges an armature's motion as it is; `step` gives a sentence in the end."""

    def __init__(self, context: RigContext, obj: ArmatureObject) -> None:
        participant = Participant(obj, options_of(context, obj, simulate=False))
        reading = reading_of(context, [participant])
        super().__init__([obj], reading, jobs_of, _finish_check, CHECK, sources=sources_of)


def _finish_check(
    context: RigContext, prepared: Sequence[PreparedBake], results: tuple[Result, ...]
) -> Generator[float, None, str]:
    obj = prepared_armature(prepared[0])
    show_report(obj, results[0], prepared[0].sampled)
    mark_worst_frames(context.scene, [obj])
    yield 1.0
    shown = obj.heft_report
    return f"Score {shown.before:.0f} of 100 ({shown.verdict}); {len(shown.worst)} frames are worth a look."


class PageSession(JobSession[PageJob, Path]):
    """Writes the page of an armature's last report; `step` gives its file in the end."""

    def __init__(self, obj: ArmatureObject, path: Path) -> None:
        refuse_unwritable(path)
        kept = kept_result(obj.heft_report.token)
        job = PageJob(kept.result, obj.name, kept.frame, kept.frame_time)

        def finish(
            _context: RigContext, _job: PageJob, pages: tuple[str, ...]
        ) -> Generator[float, None, Path]:
            write_text_atomically(path, pages[0])
            yield 1.0
            return path

        super().__init__(
            [obj], _reading(job), lambda prepared: [prepared], finish, PAGE, "Drawing the report"
        )


def _reading(job: PageJob) -> Generator[float, None, PageJob]:
    """There is nothing to read: the result is in memory."""
    yield 1.0
    return job
