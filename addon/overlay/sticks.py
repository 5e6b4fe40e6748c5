"""Stick figures of an armature's bones: the source of a result, and a performer who is followed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...sim_core.base import rotations
from ...sim_core.base.conventions import FloatArray, IntArray
from ...sim_core.drawing.overlay_series import Ghost, source_at
from ...sim_core.motion.skeleton import Skeleton, nearest_listed_parents
from ...sim_core.result.result import Result
from ..blender.blender_types import ArmatureObject
from ..blender.matrices import from_blender
from ..reading.motion_reader import SampledMotion

ALONG = np.array([0.0, 1.0, 0.0])
"""A bone of Blender lies along its Y axis."""


@dataclass(frozen=True, eq=False)
class Sticks:
    """Which of M bones are joined by sticks.

    parent (M): the bone that each one's stick starts at, -1 for none
    leaf (L): bones without children; length (L): of these in the armature; size: of the armature in the world
    """

    parent: IntArray
    leaf: IntArray
    length: FloatArray
    size: float

    @staticmethod
    def of(obj: ArmatureObject, skeleton: Skeleton, bones: Sequence[str]) -> Sticks:
        """Join some bones of an armature."""
        parent = nearest_listed_parents(skeleton, list(bones))
        leaf = np.array([number for number in range(len(bones)) if number not in parent], dtype=np.int64)
        length = np.array([obj.data.bones[bones[own]].length for own in leaf])
        size = float(np.cbrt(abs(np.linalg.det(from_blender(obj.matrix_world)[:3, :3]))))
        return Sticks(parent, leaf, length, size)

    def ghost(self, head: FloatArray, axis: FloatArray) -> Ghost:
        """Return the figure of bones with heads and axes (F, M, 3) in the world [Blender units]."""
        tail = head[:, self.leaf] + axis[:, self.leaf] * self.length[:, None]
        return Ghost(self.parent, head, self.leaf, tail)

    def turned_ghost(self, head: FloatArray, quaternion: FloatArray) -> Ghost:
        """Return the figure of bones with heads (F, M, 3) [Blender units] and rotations (F, M, 4)."""
        return self.ghost(head, rotations.rotate(quaternion, self.size * ALONG))


def ghost_of(obj: ArmatureObject, sampled: SampledMotion, bones: Sequence[str]) -> Ghost:
    """Return an armature's own motion at its whole frames."""
    column = [sampled.skeleton.index[name] for name in bones]
    matrix = sampled.object_matrix[:, None] @ sampled.pose_matrix[:, column]
    return Sticks.of(obj, sampled.skeleton, bones).ghost(matrix[..., :3, 3], matrix[..., :3, 1])


def followed_ghost(obj: ArmatureObject, sampled: SampledMotion, result: Result) -> Ghost:
    """Return the source that a result has followed, where no action of the armature holds it."""
    sticks = Sticks.of(obj, sampled.skeleton, [str(name) for name in result.joint_name])
    time = sampled.motion.time[sampled.frame_sample]
    return sticks.turned_ghost(*source_at(result, time, sampled.metres_per_unit))
