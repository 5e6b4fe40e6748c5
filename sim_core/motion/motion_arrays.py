"""Skeletons and motions as arrays of Heft's files.

A motion as arrays of a file: joints as in a result file, with the rest pose beside them.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..base.errors import InputError
from ..base.files import AnyArray, AnyPath
from ..base.npz_file import take_array
from .motion import Motion
from .skeleton import NO_PARENT, Skeleton

SKELETON_ARRAYS = {
    "skeleton_name": ("U", 1),
    "skeleton_parent": ("iu", 1),
    "rest_position_world": ("f", 2),
    "rest_quaternion_world": ("f", 2),
}
"""Names in the file, with the kinds of dtype and the number of dimensions of each."""
MOTION_ARRAYS = {"time": ("f", 1), "position_world": ("f", 3), "quaternion_world": ("f", 3)}


def skeleton_to_arrays(skeleton: Skeleton) -> dict[str, AnyArray]:
    return {
        "skeleton_name": np.array(skeleton.names, dtype=str),
        "skeleton_parent": skeleton.parents,
        "rest_position_world": skeleton.rest_position_world,
        "rest_quaternion_world": skeleton.rest_quaternion_world,
    }


def motion_to_arrays(motion: Motion) -> dict[str, AnyArray]:
    """The motion and its skeleton."""
    return {
        **skeleton_to_arrays(motion.skeleton),
        "time": motion.time,
        "position_world": motion.position_world,
        "quaternion_world": motion.quaternion_world,
    }


def skeleton_from_arrays(stored: Mapping[str, AnyArray], path: AnyPath) -> Skeleton:
    """Whatever is wrong with the arrays is told as an InputError."""
    arrays = {
        name: take_array(stored, name, kinds, ndim, path) for name, (kinds, ndim) in SKELETON_ARRAYS.items()
    }
    if np.any(arrays["skeleton_parent"] < NO_PARENT):
        raise InputError(f"'{path}' names parent bones that do not exist; make the job again.")
    return Skeleton(
        tuple(arrays["skeleton_name"].tolist()),
        arrays["skeleton_parent"],
        arrays["rest_position_world"],
        arrays["rest_quaternion_world"],
    )


def motion_from_arrays(stored: Mapping[str, AnyArray], path: AnyPath) -> Motion:
    skeleton = skeleton_from_arrays(stored, path)
    arrays = {
        name: take_array(stored, name, kinds, ndim, path) for name, (kinds, ndim) in MOTION_ARRAYS.items()
    }
    if not np.isfinite(arrays["time"]).all():
        raise InputError(f"'{path}' has sample times that are not numbers; make the job again.")
    return Motion(skeleton, arrays["time"], arrays["position_world"], arrays["quaternion_world"])


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
        tuple(take_array(arrays, "joint_name", "U", 1, path).tolist()),
        take_array(arrays, "joint_parent", "iu", 1, path),
        take_array(arrays, "rest_position", "f", 2, path),
        take_array(arrays, "rest_quaternion_world", "f", 2, path),
    )
    return Motion(
        skeleton,
        take_array(arrays, "time", "f", 1, path),
        take_array(arrays, "joint_position", "f", 3, path),
        take_array(arrays, "joint_quaternion_world", "f", 3, path),
    )
