"""A motion as arrays of a file: joints as in a result file, with the rest pose beside them."""

from __future__ import annotations

import numpy as np

from .files import AnyArray
from .motion import Motion


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
