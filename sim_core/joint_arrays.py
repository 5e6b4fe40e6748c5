"""A motion as arrays of a file: joints as in a result file, with the rest pose beside them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from .files import AnyArray, AnyPath
from .motion import Motion
from .schema import take
from .skeleton import Skeleton


def joint_arrays(motion: Motion) -> dict[str, AnyArray]:
    skeleton = motion.skeleton
    return {
        "time": motion.time,
        "joint_name": np.array(skeleton.names),
        "joint_parent": skeleton.parents,
        "joint_position": motion.position_world,
        "joint_quaternion_world": motion.quaternion_world,
        "rest_position": skeleton.rest_position_world,
        "rest_quaternion_world": skeleton.rest_quaternion_world,
    }


def motion_from_joint_arrays(arrays: Mapping[str, AnyArray], path: AnyPath) -> Motion:
    """Whatever is wrong with the arrays is told as an InputError."""
    skeleton = Skeleton(
        tuple(take(arrays, "joint_name", "U", 1, path).tolist()),
        take(arrays, "joint_parent", "iu", 1, path),
        take(arrays, "rest_position", "f", 2, path),
        take(arrays, "rest_quaternion_world", "f", 2, path),
    )
    return Motion(
        skeleton,
        take(arrays, "time", "f", 1, path),
        take(arrays, "joint_position", "f", 3, path),
        take(arrays, "joint_quaternion_world", "f", 3, path),
    )
