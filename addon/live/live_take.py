"""Keep: a recorded take repeated from its log and written as new actions, like a bake."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace
from functools import partial

import bpy
import numpy as np
from bpy.types import Object

from ...sim_core.jobs.take_job import TakeJob, save_take
from ...sim_core.live.balls import PREFIX, radius_of
from ...sim_core.motion.motion import Motion
from ...sim_core.result.result import Result, load_result
from ..bake.bake_job import PreparedBake, finishing_bakes, frame_of, prepared_armature, sources_of
from ..bake.bake_report import BakeReport
from ..blender.blender_types import ArmatureObject, RigContext
from ..blender.steps import at_once
from ..jobs.job_runner import JobKind
from ..jobs.job_session import JobSession
from ..reading.motion_reader import SampledMotion
from ..reading.source_action import animated_bones, sources_played
from .live_play import live_job_of
from .plays import RecordedTake, forget_take

TAKE = JobKind("take", "take", "keep", save_take, load_result)
RINGS, SPOKES = 8, 16
"""Faces of a ball from pole to pole and around."""


class TakeSession(JobSession[tuple[PreparedBake, ...], tuple[BakeReport, ...]]):
    """Keeps a take; the last `step` returns the report."""

    def __init__(self, obj: ArmatureObject, take: RecordedTake) -> None:
        super().__init__(
            [obj],
            at_once(take.prepared),
            lambda prepared: [TakeJob(live_job_of(prepared, take.stream), take.played)],
            partial(_finishing, take.stream is not None),
            TAKE,
            "Repeating the take",
            sources=sources_of,
            frame_at=frame_of,
        )


def _finishing(
    performed: bool, context: RigContext, prepared: Sequence[PreparedBake], results: Sequence[Result]
) -> Generator[float, None, tuple[BakeReport, ...]]:
    """Write the take with balls for those that were thrown; they are gone again if it is not written."""
    first = prepared[0]  # of several actions, the first one stands for all
    sampled = played_frames(prepared_armature(first), first.sampled, results[0], held=performed)
    name = f"{first.source.object.name}_performed" if performed else first.source_name
    played = [replace(first, sampled=sampled, source_name=name, made=True)]
    added = _add_balls(context, results[0], played[0].sampled)
    try:
        reports = yield from finishing_bakes(context, played, results)
    except BaseException:
        for obj in added:
            mesh = obj.data
            bpy.data.objects.remove(obj)
            if isinstance(mesh, bpy.types.Mesh):
                bpy.data.meshes.remove(mesh)
        raise
    forget_take(played[0].source.armature())
    return reports


def played_frames(
    obj: ArmatureObject, sampled: SampledMotion, result: Result, held: bool = False
) -> SampledMotion:
    """Return the frames that a take lasts, each with a frame of the source for what is not simulated.

    Its action holds nothing else: the rest of a clip that is longer than the take does not follow it.
    held: always the first frame, because what was played is another motion than the source
    """
    keyed = animated_bones(obj, sources_played(obj))
    time = result.source_time
    steps = int(sampled.frame_sample[1] - sampled.frame_sample[0])
    count = (len(time) - 1) // steps + 1
    shown = np.arange(count) % (1 if held else len(sampled.frame))
    sample = np.arange(len(time)) % (1 if held else len(sampled.motion.time))
    motion = sampled.motion
    return replace(
        sampled,
        motion=Motion(motion.skeleton, time, motion.position_world[sample], motion.quaternion_world[sample]),
        frame=sampled.frame[0] + np.arange(count),
        frame_sample=steps * np.arange(count),
        pose_matrix=sampled.pose_matrix[shown],
        object_matrix=sampled.object_matrix[shown],
        object_location=sampled.object_location[shown],
        object_parent_linear=sampled.object_parent_linear[shown],
        keyed_bones=keyed if sampled.keyed_bones is None else sampled.keyed_bones,
        bone_share=None,
        rotation={name: values[shown] for name, values in sampled.rotation.items()},
    )


def _add_balls(context: RigContext, result: Result, sampled: SampledMotion) -> list[Object]:
    """Add the balls that were thrown as objects, which then get their keys like any prop."""
    added = []
    for number, name in enumerate(result.prop_name.tolist()):
        if not name.startswith(PREFIX) or bpy.data.objects.get(name) is not None:
            continue
        scale = sampled.metres_per_unit * result.meta.character.scale
        mass = float(name.removeprefix(PREFIX).removesuffix(" kg"))
        mesh = bpy.data.meshes.new(name)
        mesh.from_pydata(*_sphere(radius_of(mass) / scale))
        obj = bpy.data.objects.new(name, mesh)
        obj.location = (result.prop_position[0, number] / scale).tolist()
        context.scene.collection.objects.link(obj)
        added.append(obj)
    if added:
        context.view_layer.update()
    return added


def _sphere(radius: float) -> tuple[list[list[float]], list[tuple[int, int]], list[tuple[int, ...]]]:
    """Return points, no edges and faces of a ball."""
    tilt, turn = np.meshgrid(
        np.linspace(0.0, np.pi, RINGS + 1), np.arange(SPOKES) * 2.0 * np.pi / SPOKES, indexing="ij"
    )
    points = np.stack([np.sin(tilt) * np.cos(turn), np.sin(tilt) * np.sin(turn), np.cos(tilt)], axis=-1)
    faces: list[tuple[int, ...]] = [
        (
            ring * SPOKES + spoke,
            (ring + 1) * SPOKES + spoke,
            (ring + 1) * SPOKES + (spoke + 1) % SPOKES,
            ring * SPOKES + (spoke + 1) % SPOKES,
        )
        for ring in range(RINGS)
        for spoke in range(SPOKES)
    ]
    return (radius * points).reshape(-1, 3).tolist(), [], faces
