"""Finds the supports that an armature's motion was captured on, and adds them to the scene."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace

from ...sim_core.base.wording import for_blender
from ...sim_core.jobs.supports_job import SupportScene, load_support_scene
from ...sim_core.scenario.job import save_job
from ..blender.blender_types import ArmatureObject, RigContext
from ..jobs.job_runner import JobKind
from ..jobs.job_session import JobSession
from ..reading.scene_reader import furniture_near
from ..writing.support_writer import add_supports, move_armature, refuse_second_supports, use_objects
from .bake_job import PreparedBake, frame_of, jobs_of, prepared_armature, reading_of, sources_of
from .bake_options import Participant, options_of

FIND = JobKind("supports", "search for supports", "find supports", save_job, load_support_scene)


NEAR = 0.5
"""How far beside the path of its joints a motion may rest on something [m]."""


class SupportsSession(JobSession[tuple[PreparedBake, ...], tuple[str, ...]]):
    """One search for supports; the last `step` returns sentences on what was added."""

    def __init__(self, context: RigContext, obj: ArmatureObject) -> None:
        refuse_second_supports(context)
        reading = _among_furniture(context, obj)
        super().__init__([obj], reading, jobs_of, _finish, FIND, sources=sources_of, frame_at=frame_of)


def _among_furniture(
    context: RigContext, obj: ArmatureObject
) -> Generator[float, None, tuple[PreparedBake, ...]]:
    """Read a motion, and the objects near it, whether they have a role or not."""
    (prepared,) = yield from reading_of(context, [Participant(obj, options_of(context, obj))])
    path = prepared.job.motion.position_world[..., :2].reshape(-1, 2)
    near = furniture_near(context, path.min(axis=0) - NEAR, path.max(axis=0) + NEAR)
    scene = replace(prepared.job.scene, objects=(*prepared.job.scene.objects, *near))
    return (replace(prepared, job=replace(prepared.job, scene=scene)),)


def _finish(
    context: RigContext, prepared: Sequence[PreparedBake], results: tuple[SupportScene, ...]
) -> Generator[float, None, tuple[str, ...]]:
    obj, found = prepared_armature(prepared[0]), results[0]
    add_supports(context, found.scene, f"Supports of {obj.name}")
    done = (*use_objects(context, found.used), *move_armature(context, obj, found.aside))
    yield 1.0
    return (*(for_blender(note, prepared[0].sampled.frame_at) for note in found.notes), *done)
