"""Walk Along: actions of an armature become a walk along a curve, simulated and written like a bake."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace
from functools import partial

from bpy.types import Object

from ...sim_core.jobs.walk_job import WalkJob, save_walk
from ...sim_core.result.result import Result, load_result
from ..bake.bake_job import PreparedBake, finishing_bakes, frame_of, prepared_armature, sources_of
from ..bake.bake_report import BakeReport
from ..blender.blender_types import ArmatureObject, RigContext
from ..jobs.job_runner import JobKind
from ..jobs.job_session import JobSession
from ..reading.ground_path import path_points
from .live_play import live_job_of, reading_actions
from .live_take import played_frames

WALK = JobKind("walk", "walk", "walk", save_walk, load_result)


class WalkSession(JobSession[tuple[PreparedBake, ...], tuple[BakeReport, ...]]):
    """Walks along a curve or an empty's way; the last `step` returns the report."""

    def __init__(self, context: RigContext, obj: ArmatureObject, path: Object) -> None:
        points = path_points(context, path)
        super().__init__(
            [obj],
            reading_actions(context, obj),
            lambda prepared: [WalkJob(live_job_of(prepared), points)],
            partial(_finishing, f"{obj.name}_along_{path.name}"),
            WALK,
            "Reading the actions",
            sources=sources_of,
            frame_at=frame_of,
        )


def _finishing(
    name: str, context: RigContext, prepared: Sequence[PreparedBake], results: Sequence[Result]
) -> Generator[float, None, tuple[BakeReport, ...]]:
    """Write the walk as a new action; of several actions, the first one stands for all."""
    first = prepared[0]
    sampled = played_frames(prepared_armature(first), first.sampled, results[0])
    walked = replace(first, sampled=sampled, source_name=name, made=True)
    return (yield from finishing_bakes(context, [walked], results))
