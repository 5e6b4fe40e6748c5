"""What a motion file of any format states: joints, their poses and a rate, in the file's axes and units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ..base.conventions import IDENTITY_QUATERNION, FloatArray
from .skeleton import Skeleton, world_from_local


@dataclass(frozen=True, eq=False)
class MotionFile:
    """A file as it was read.

    rest: the skeleton without rotations, which is the rest pose that the file describes
    tips: bone -> offset of its end from the bone's head at rest (3), for bones without children
    local_position (T, N, 3), local_quaternion (T, N, 4): poses of the joints in their parents
    frame_time_s: seconds per frame
    unit_m: metres per unit where the format fixes it, else None
    mass_kg: of the subject as the file states it, else None
    start_s: time of the first frame on the file's own clock
    notes: sentences on what the file did not state
    """

    rest: Skeleton
    tips: dict[str, FloatArray]
    local_position: FloatArray
    local_quaternion: FloatArray
    frame_time_s: float
    unit_m: float | None = None
    mass_kg: float | None = None
    start_s: float = 0.0
    notes: tuple[str, ...] = field(default=())

    def world_poses(self) -> tuple[FloatArray, FloatArray]:
        """Return positions (T, N, 3) and rotations (T, N, 4) of all joints by forward kinematics."""
        return world_from_local(self.local_position, self.local_quaternion, self.rest.parents)


def unrotated_skeleton(names: Sequence[str], parents: Sequence[int], position: FloatArray) -> Skeleton:
    """Return a skeleton whose bones have the file's axes at rest; position (N, 3)."""
    return Skeleton(
        tuple(names),
        np.array(parents, dtype=np.int64),
        position,
        np.tile(IDENTITY_QUATERNION, (len(names), 1)),
    )
