"""Skeletons and motions as arrays of npz files, with the names of docs/result-file.md and docs/markers.md."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..base.errors import InputError
from ..base.files import AnyArray, AnyPath
from ..base.npz_file import take_array
from .motion import Motion
from .skeleton import NO_PARENT, Skeleton

FARTHEST_M = 1e6
"""No position of a motion is further from the origin [m]."""


def skeleton_to_arrays(skeleton: Skeleton) -> dict[str, AnyArray]:
    """Return the skeleton's arrays by their names in a file."""
    return {
        "joint_name": np.array(skeleton.names, dtype=str),
        "joint_parent": skeleton.parents,
        "rest_position": skeleton.rest_position_world,
        "rest_quaternion_world": skeleton.rest_quaternion_world,
    }


def motion_to_arrays(motion: Motion) -> dict[str, AnyArray]:
    """Return the arrays of the motion and of its skeleton by their names in a file."""
    return {
        "time": motion.time,
        **skeleton_to_arrays(motion.skeleton),
        "joint_position": motion.position_world,
        "joint_quaternion_world": motion.quaternion_world,
    }


def skeleton_from_arrays(arrays: Mapping[str, AnyArray], path: AnyPath) -> Skeleton:
    """Return the skeleton in a file's arrays; whatever is wrong with them raises an InputError."""
    parents = take_array(arrays, "joint_parent", "iu", 1, path)
    if np.any(parents < NO_PARENT):
        raise InputError(f"'{path}' names parent bones that do not exist; make the file again.")
    return Skeleton(
        tuple(take_array(arrays, "joint_name", "U", 1, path).tolist()),
        parents,
        _positions(arrays, "rest_position", 2, path),
        take_array(arrays, "rest_quaternion_world", "f", 2, path),
    )


def motion_from_arrays(arrays: Mapping[str, AnyArray], path: AnyPath) -> Motion:
    """Return the motion in a file's arrays; whatever is wrong with them raises an InputError."""
    time = take_array(arrays, "time", "f", 1, path)
    if not np.isfinite(time).all():
        raise InputError(f"'{path}' has sample times that are not numbers; make the file again.")
    return Motion(
        skeleton_from_arrays(arrays, path),
        time,
        _positions(arrays, "joint_position", 3, path),
        take_array(arrays, "joint_quaternion_world", "f", 3, path),
    )


def _positions(arrays: Mapping[str, AnyArray], name: str, ndim: int, path: AnyPath) -> AnyArray:
    """Return positions [m]; what lies beyond any scene is damaged, and overflows where it is squared."""
    positions = take_array(arrays, name, "f", ndim, path)
    if np.any(np.abs(positions) > FARTHEST_M):
        raise InputError(
            f"The array '{name}' of '{path}' holds a position more than {FARTHEST_M:g} m away; make it again."
        )
    return positions
