"""Finds the supports that an armature's motion was captured on, and adds them to the scene."""

from __future__ import annotations

from collections.abc import Generator, Sequence

from ...sim_core.base.wording import for_blender
from ...sim_core.jobs.supports_job import SupportScene, load_support_scene
from ...sim_core.scenario.job import save_job
from ..blender.blender_types import ArmatureObject, RigContext
from ..jobs.job_runner import JobKind
from ..jobs.job_session import JobSession
from ..writing.support_writer import add_supports, refuse_second_supports
from .bake_job import PreparedBake, frame_of, jobs_of, prepared_armature, reading_of, sources_of
from .bake_options import Participant, options_of

FIND = JobKind("supports", "search for supports", "find supports", save_job, load_support_scene)


class SupportsSession(JobSession[tuple[PreparedBake, ...], tuple[str, ...]]):
    """One search for supports; the last `step` returns sentences on what was added."""

    def __init__(self, context: RigContext, obj: ArmatureObject) -> None:
        refuse_second_supports(context)
        reading = reading_of(context, [Participant(obj, options_of(context, obj))])
        super().__init__([obj], reading, jobs_of, _finish, FIND, sources=sources_of, frame_at=frame_of)


def _finish(
    context: RigContext, prepared: Sequence[PreparedBake], results: tuple[SupportScene, ...]
) -> Generator[float, None, tuple[str, ...]]:
    obj, found = prepared_armature(prepared[0]), results[0]
    add_supports(context, found.scene, f"Supports of {obj.name}")
    yield 1.0
    return tuple(for_blender(note, prepared[0].sampled.frame_at) for note in found.notes)
