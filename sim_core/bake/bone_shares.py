"""Bones that are simulated only in part: the result is blended with the clip bone by bone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..base import rotations
from ..base.conventions import FloatArray
from ..motion.skeleton import local_from_world, nearest_listed_parents, world_from_local
from ..result.meta import ResultMeta
from ..result.records import AnimatedShare
from ..result.result import Result
from ..scenario.job import Job

NAMED_BONES = 4
"""Number of bones that are named in the sentence for the user."""


def with_bone_shares(job: Job, result: Result) -> Result:
    """Return the result blended by the job's bone_share; forces, joints and metrics stay the simulation's.

    A bone's rotation relative to its parent goes along the shortest arc from the clip's (0) to the simulated
    one (1), and its children move with it. Root bones are blended in the world.
    """
    if job.bone_share is None or not job.settings.simulate:
        return result
    names = [str(name) for name in result.bone_name]
    bones = [job.motion.skeleton.index[name] for name in names]
    share = _at(result.source_time, job.motion.time, job.bone_share[:, bones])
    if np.all(share == 1.0):
        return result
    source, parents = job.motion.at(result.source_time), nearest_listed_parents(job.motion.skeleton, names)
    clip_position, clip_rotation = local_from_world(
        source.position_world[:, bones], source.quaternion_world[:, bones], parents
    )
    new_position, new_rotation = local_from_world(result.bone_position, result.bone_quaternion_world, parents)
    position, quaternion = world_from_local(
        clip_position + share[..., None] * (new_position - clip_position),
        rotations.slerp(clip_rotation, new_rotation, share),
        parents,
    )
    meta = _with_shares(result, names, share)
    return replace(result, bone_position=position, bone_quaternion_world=quaternion, meta=meta)


def _at(time: FloatArray, own_time: FloatArray, values: FloatArray) -> FloatArray:
    """Interpolate values (T, M) at other times."""
    if len(time) == len(own_time):
        return values
    return np.stack([np.interp(time, own_time, column) for column in values.T], axis=1)


def _with_shares(result: Result, names: list[str], share: FloatArray) -> ResultMeta:
    """Return the meta with the bones that follow the clip, and their share of the body by mass."""
    bones = {
        name: float(1.0 - own.mean()) for name, own in zip(names, share.T, strict=True) if np.any(own < 1.0)
    }
    animated = float(1.0 - share.mean())
    meta = result.meta.with_notes(_sentence(animated, list(bones)))
    metrics = meta.metrics
    if metrics is not None:
        column = [names.index(str(joint)) for joint in result.joint_name]
        by_mass = float(result.body_mass @ share[:, column].mean(axis=0) / result.body_mass.sum())
        simulated = 1.0 - metrics.kinematic_share
        metrics = replace(metrics, kinematic_share=1.0 - simulated * by_mass)
    return replace(meta, animated=AnimatedShare(animated, bones), metrics=metrics)


def _sentence(animated: float, bones: list[str]) -> str:
    listed = ", ".join(f"'{name}'" for name in bones[:NAMED_BONES])
    more = f" and {len(bones) - NAMED_BONES} more" if len(bones) > NAMED_BONES else ""
    return (
        f"{listed}{more} follow the animation at some frames, which no forces explain: "
        f"{max(animated, 0.001):.1%} of all bones and frames."
    )
