"""The action of a motion that was made or played, instead of being an action of the armature."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import replace

import numpy as np

from ...sim_core.motion.motion import Motion
from ...sim_core.result.result import Result
from ..bake.bake_job import PreparedBake, finishing_bakes, prepared_armature
from ..bake.bake_report import BakeReport
from ..blender.blender_types import ArmatureObject, RigContext
from ..reading.motion_reader import SampledMotion
from ..reading.source_action import animated_bones, sources_played

Finishing = Callable[
    [RigContext, Sequence[PreparedBake], Sequence[Result]], Generator[float, None, tuple[BakeReport, ...]]
]
"""Writes results into new actions, yielding the share done."""


def finishing_made(name: str, held: bool) -> Finishing:
    """Return what writes a motion that was made of actions as a new one; name: of the new action."""

    def finishing(
        context: RigContext, prepared: Sequence[PreparedBake], results: Sequence[Result]
    ) -> Generator[float, None, tuple[BakeReport, ...]]:
        made = as_made(prepared[0], results[0], name, held)
        return (yield from finishing_bakes(context, [made], results))

    return finishing


def as_made(first: PreparedBake, result: Result, name: str, held: bool) -> PreparedBake:
    """Return what is needed to write a result that is not of an action; of several, the first stands for all.

    name: of the new action; held: see played_frames
    """
    sampled = played_frames(prepared_armature(first), first.sampled, result, held)
    return replace(first, sampled=sampled, source_name=name, made=True)


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
