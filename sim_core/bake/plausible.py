"""A motion made plausible without a simulation: the dynamic filter alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..base import rotations
from ..base.progress import ProgressCallback, ignore_progress
from ..motion.motion import Motion
from ..motion.skeleton import NO_PARENT
from ..result.result import Result
from ..scenario.job import Job
from .pipeline import bake


@dataclass(frozen=True, eq=False)
class Plausible:
    """The changed motion of the whole skeleton at its own size and times, and the result it comes from."""

    motion: Motion
    result: Result

    @property
    def figures(self) -> dict[str, Any]:
        """How far the motion was changed, and the unexplained share of the weight before and after.

        Empty where nothing was changed.
        """
        change = self.result.meta.reference
        if change is None:
            return {}
        parts = change.parts
        return {
            "root_mean_cm": change.root_mean_cm,
            "root_max_cm": change.root_max_cm,
            "joint_mean_deg": float(np.mean([part.mean_deg for part in parts.values()])),
            "joint_max_deg": max(part.max_deg for part in parts.values()),
            "joint_most_changed": max(parts, key=lambda name: parts[name].mean_deg),
            "residual_before_share": change.residual_before_share,
            "residual_after_share": change.residual_after_share,
        }


def make_plausible(job: Job, report: ProgressCallback = ignore_progress) -> Plausible:
    """Make the smallest change of a job's motion after which ground forces can produce it."""
    settings = replace(job.settings, only_plausible=True)
    result = bake(replace(job, settings=settings), report)
    return Plausible(_with_all_bones(job.motion, result), result)


def _with_all_bones(source: Motion, result: Result) -> Motion:
    """Return the motion of all bones: mapped ones as in the result, others rigidly with their parents."""
    skeleton = source.skeleton
    column_of = {str(name): i for i, name in enumerate(result.bone_name)}
    position, quaternion = source.position_world.copy(), source.quaternion_world.copy()
    for bone, parent in enumerate(skeleton.parents.tolist()):
        if skeleton.names[bone] in column_of:
            column = column_of[skeleton.names[bone]]
            position[:, bone] = result.bone_position[:, column]
            quaternion[:, bone] = result.bone_quaternion_world[:, column]
        elif parent != NO_PARENT:
            rotation = rotations.multiply(
                quaternion[:, parent], rotations.conjugate(source.quaternion_world[:, parent])
            )
            offset = source.position_world[:, bone] - source.position_world[:, parent]
            position[:, bone] = position[:, parent] + rotations.rotate(rotation, offset)
            quaternion[:, bone] = rotations.multiply(rotation, source.quaternion_world[:, bone])
    return Motion(skeleton, source.time, position, quaternion)
