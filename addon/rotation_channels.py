"""Rotations over time as the channels of a rotation mode, without jumps."""

from __future__ import annotations

from typing import Any

import numpy as np
from mathutils import Euler, Quaternion

from ..sim_core import rotations
from ..sim_core.conventions import FloatArray

NO_TURN = 1e-9
"""Length of a quaternion's vector part below which its axis is rounding."""


def rotation_channels(quaternion: FloatArray, mode: Any) -> tuple[str, FloatArray]:
    """The property that a pose bone's rotation_mode uses, and its values (F, 3 or 4)."""
    if mode == "QUATERNION":
        return "rotation_quaternion", rotations.continuous(quaternion)
    if mode == "AXIS_ANGLE":
        return "rotation_axis_angle", _axis_angle(rotations.continuous(quaternion))
    return "rotation_euler", _euler(quaternion, mode)


def _euler(quaternion: FloatArray, order: Any) -> FloatArray:
    """Angles [rad], each nearest to the one before."""
    angles: list[Euler] = []
    for values in quaternion:
        near = angles[-1:]
        angles.append(Quaternion(values).to_euler(order, *near))
    return np.array(angles, dtype=np.float64)


def _axis_angle(quaternion: FloatArray) -> FloatArray:
    """(F, 4) angle [rad] and axis; the axis never flips, the angle may leave -pi to pi."""
    vector = quaternion[:, 1:]
    length = np.linalg.norm(vector, axis=1)
    clear = length > NO_TURN
    if not clear.any():
        return np.tile([0.0, 0.0, 1.0, 0.0], (len(quaternion), 1))
    # Where nothing turns, the last clear axis is kept (the first one before there was any).
    last = np.maximum.accumulate(np.where(clear, np.arange(len(clear)), np.argmax(clear)))
    axis = vector[last] / length[last, None]
    flips = np.sum(axis[1:] * axis[:-1], axis=1) < 0.0
    sign = np.concatenate([[1.0], np.where(np.cumsum(flips) % 2 == 1, -1.0, 1.0)])
    angle = np.unwrap(2.0 * np.arctan2(length, quaternion[:, 0]) * sign)
    return np.column_stack([angle, axis * sign[:, None]])
