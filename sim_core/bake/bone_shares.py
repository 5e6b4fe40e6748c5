"""Bones that are simulated only in part: the result mixed with the clip, bone by bone, sample by sample."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..base import rotations
from ..base.conventions import FloatArray
from ..motion.local_poses import composed, parents_among, seen_from_parents
from ..result.result import Result
from ..scenario.job import Job

MANY = 4
"""So many bones are named."""


def with_bone_shares(job: Job, result: Result) -> Result:
    """The result as the job's bone_share wants it; forces, joints and metrics stay the simulation's.

    A bone's own rotation, seen from the simulated bone above it, goes the short way from the clip's (0) to
    the simulated one (1); bones below are carried along. Bones that carry the body are mixed in the world.
    """
    if job.bone_share is None or not job.settings.simulate:
        return result
    names = [str(name) for name in result.bone_name]
    bones = [job.motion.skeleton.index[name] for name in names]
    share = _at(result.source_time, job.motion.time, job.bone_share[:, bones])
    if np.all(share == 1.0):
        return result
    source, parents = job.motion.at(result.source_time), parents_among(job.motion.skeleton, names)
    from_place, from_turn = seen_from_parents(
        source.position_world[:, bones], source.quaternion_world[:, bones], parents
    )
    to_place, to_turn = seen_from_parents(result.bone_position, result.bone_quaternion_world, parents)
    position, quaternion = composed(
        from_place + share[..., None] * (to_place - from_place),
        rotations.slerp(from_turn, to_turn, share),
        parents,
    )
    return replace(
        result, bone_position=position, bone_quaternion_world=quaternion, meta=_told(result, names, share)
    )


def _at(time: FloatArray, own_time: FloatArray, values: FloatArray) -> FloatArray:
    """Values (T, M) at other times; both start where the motions of all characters do."""
    if len(time) == len(own_time):
        return values
    return np.stack([np.interp(time, own_time, column) for column in values.T], axis=1)


def _told(result: Result, names: list[str], share: FloatArray) -> dict[str, Any]:
    """The meta with what is not simulated, and the share of the body that is the clip by mass."""
    meta = dict(result.meta)
    bones = {
        name: float(1.0 - own.mean()) for name, own in zip(names, share.T, strict=True) if np.any(own < 1.0)
    }
    animated = float(1.0 - share.mean())
    meta["animated"] = {"share": animated, "bones": bones}
    meta["notes"] = [*meta["notes"], _sentence(animated, list(bones))]
    if meta["metrics"]:
        column = [names.index(str(joint)) for joint in result.joint_name]
        by_mass = float(result.body_mass @ share[:, column].mean(axis=0) / result.body_mass.sum())
        carried = 1.0 - meta["metrics"]["kinematic_share"]
        meta["metrics"] = {**meta["metrics"], "kinematic_share": 1.0 - carried * by_mass}
    return meta


def _sentence(animated: float, bones: list[str]) -> str:
    listed = ", ".join(f"'{name}'" for name in bones[:MANY])
    more = f" and {len(bones) - MANY} more" if len(bones) > MANY else ""
    return (
        f"{listed}{more} follow the animation at some frames, which no forces explain: "
        f"{max(animated, 0.001):.1%} of all bones and frames."
    )
