"""Where the simulated bones shall be, and how far they are from it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...sim_core.base import rotations
from ...sim_core.base.conventions import FloatArray, IntArray
from ..baked_bones import BakedBones
from ..matrices import unscaled
from ..motion_reader import SampledMotion
from ..new_pose import wanted_changes

ANGLE_TO_LENGTH = 0.3
"""An angle [rad] weighs as much as the distance that it moves the end of a bone of this length [m]."""


@dataclass(frozen=True, eq=False)
class Goals:
    """Poses of M simulated bones at F frames, in the armature's space.

    bones (M): indices in the skeleton
    rotation (F, M, 4); head (F, M, 3) [Blender units]
    unit_m (F): metres of one unit of the armature's space
    """

    names: tuple[str, ...]
    bones: tuple[int, ...]
    rotation: FloatArray
    head: FloatArray
    unit_m: FloatArray

    @staticmethod
    def of(sampled: SampledMotion, baked: BakedBones) -> Goals:
        bones = [sampled.skeleton.index[name] for name in baked.names]
        turn, head = wanted_changes(sampled, baked, sampled.object_matrix)
        linear = turn @ unscaled(sampled.pose_matrix[:, bones, :3, :3])
        scale = np.linalg.norm(sampled.object_matrix[:, :3, 0], axis=-1)
        return Goals(
            baked.names,
            tuple(bones),
            rotations.from_matrix(linear),
            head,
            scale * sampled.metres_per_unit,
        )

    def at(self, frames: IntArray) -> Goals:
        return Goals(self.names, self.bones, self.rotation[frames], self.head[frames], self.unit_m[frames])

    def misses(self, pose: FloatArray) -> Misses:
        """For poses (F, N, 4, 4) of all bones."""
        found = pose[:, list(self.bones)]
        rotation = rotations.from_matrix(unscaled(found[..., :3, :3]))
        distance = np.linalg.norm(found[..., :3, 3] - self.head, axis=-1) * self.unit_m[:, None]
        return Misses(rotations.angle_between(rotation, self.rotation), distance)


@dataclass(frozen=True, eq=False)
class Misses:
    """How far M bones are from their goals at F frames: angle_rad (F, M), distance_m (F, M)."""

    angle_rad: FloatArray
    distance_m: FloatArray

    @property
    def cost(self) -> FloatArray:
        """One figure a frame (F) [m²]."""
        turned = ANGLE_TO_LENGTH * self.angle_rad
        return np.asarray(np.sum(turned**2 + self.distance_m**2, axis=-1))

    def put(self, frames: IntArray, other: Misses) -> None:
        self.angle_rad[frames] = other.angle_rad
        self.distance_m[frames] = other.distance_m
