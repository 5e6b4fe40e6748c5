"""How far a result is from the keys that it was made of, joint by joint and frame by frame."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..base.conventions import FloatArray, IntArray
from .metrics import joint_angles_deg


@dataclass(frozen=True)
class SourceDistance:
    """Angles of joints against their parents, and distances of joints in the world, over F frames.

    worst_angle, worst_place: (frame, joint) as indices of where the largest one is
    """

    mean_deg: float
    worst_deg: float
    worst_angle: tuple[int, int]
    mean_m: float
    worst_m: float
    worst_place: tuple[int, int]


def distance_from_source(
    position: FloatArray,
    quaternion_world: FloatArray,
    source_position: FloatArray,
    source_quaternion_world: FloatArray,
    parent: IntArray,
) -> SourceDistance:
    """Compare a result with its source: positions (F, J, 3) [m], quaternions (F, J, 4), parents (J)."""
    angle = joint_angles_deg(quaternion_world, source_quaternion_world, parent)
    distance = np.linalg.norm(position - source_position, axis=-1)
    return SourceDistance(
        float(angle.mean()),
        float(angle.max()),
        _where_largest(angle),
        float(distance.mean()),
        float(distance.max()),
        _where_largest(distance),
    )


def _where_largest(values: FloatArray) -> tuple[int, int]:
    frame, joint = np.unravel_index(int(np.argmax(values)), values.shape)
    return int(frame), int(joint)
