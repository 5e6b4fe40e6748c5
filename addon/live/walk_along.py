"""Walk Along: actions of an armature become a walk along a curve, simulated and written like a bake."""

from __future__ import annotations

from bpy.types import Object

from ...sim_core.jobs.walk_job import WalkJob, save_walk
from ...sim_core.result.result import load_result
from ..bake.bake_job import PreparedBake, frame_of, sources_of
from ..bake.bake_report import BakeReport
from ..blender.blender_types import ArmatureObject, RigContext
from ..jobs.job_runner import JobKind
from ..jobs.job_session import JobSession
from ..reading.action_links import switches_of
from ..reading.ground_path import path_points
from .live_play import live_job_of, reading_actions
from .made_action import finishing_made

WALK = JobKind("walk", "walk", "walk", save_walk, load_result)


class WalkSession(JobSession[tuple[PreparedBake, ...], tuple[BakeReport, ...]]):
    """Walks along a curve or an empty's way; the last `step` returns the report."""

    def __init__(self, context: RigContext, obj: ArmatureObject, path: Object) -> None:
        points, switches = path_points(context, path), switches_of(obj)
        super().__init__(
            [obj],
            reading_actions(context, obj),
            lambda prepared: [WalkJob(live_job_of(prepared, switches), points)],
            finishing_made(f"{obj.name}_along_{path.name}", held=False),
            WALK,
            "Reading the actions",
            sources=sources_of,
            frame_at=frame_of,
        )

