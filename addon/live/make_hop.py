"""Make a Hop: a model hops, its motion is put on the armature, simulated and written like a bake."""

from __future__ import annotations

from ...sim_core.jobs.hop_job import HopJob, save_hop
from ...sim_core.result.result import load_result
from ..bake.bake_job import PreparedBake, frame_of, reading_of, sources_of
from ..bake.bake_options import Participant, options_of
from ..bake.bake_report import BakeReport
from ..blender.blender_types import ArmatureObject, RigContext
from ..jobs.job_runner import JobKind
from ..jobs.job_session import JobSession
from .hop_dials import dials_of
from .made_action import finishing_made

HOP = JobKind("hop", "hop", "make a hop", save_hop, load_result)


class HopSession(JobSession[tuple[PreparedBake, ...], tuple[BakeReport, ...]]):
    """Makes an armature hop; the last `step` returns the report."""

    def __init__(self, context: RigContext, obj: ArmatureObject) -> None:
        dials = dials_of(obj)
        super().__init__(
            [obj],
            reading_of(context, [Participant(obj, options_of(context, obj))]),
            lambda prepared: [HopJob(prepared[0].job, dials)],
            finishing_made(f"{obj.name}_hop", held=True),
            HOP,
            sources=sources_of,
            frame_at=frame_of,
        )
