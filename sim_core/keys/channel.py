"""Tracks: the rotation or location channels of a bone that are keyed together."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..base import rotations
from ..base.conventions import BoolArray, FloatArray, IntArray
from ..base.intervals import true_intervals
from .spline import STILL

LOCATION = "LOCATION"
"""The mode of a track of location channels; all others are Blender's rotation modes."""

DIFFERENCE = 1e-5
"""Change of a channel for the finite difference of its effect [its unit]."""
DAMPING = 1e-3
"""Damping of the inverse, so that channels at a gimbal lock stay bounded."""

JUMP_M_S, JUMP_RAD_S = 0.3, 1.0
"""Least jump of a velocity from one sample to the next, at 100 samples a second or more: three times the
change in a fall, and twice that of a box that tumbles freely at 10 rad/s."""


@dataclass(frozen=True, eq=False)
class Track:
    """Channels (F, C) of one bone that are keyed together.

    node: index of the bone in a BoneTree; mode: LOCATION, QUATERNION, AXIS_ANGLE or an order such as XYZ
    to_world (F, 3, 3): from a small local rotation vector [rad] or location to world axes
    kept (.): indices of frames that always keep a key with their own values
    """

    node: int
    mode: str
    values: FloatArray
    to_world: FloatArray
    kept: IntArray

    @property
    def moves(self) -> bool:
        """Return whether the channels are a location."""
        return self.mode == LOCATION

    @cached_property
    def _inverse_rotation(self) -> FloatArray:
        return rotations.conjugate(own_rotation(self.values, self.mode))

    def change(self, fitted: FloatArray) -> FloatArray:
        """Return how other channels (F, C) move or rotate the bone in the world (F, 3) [m or rad]."""
        own: FloatArray = fitted - self.values
        if not self.moves:
            own = _rotation_vector(
                rotations.multiply(own_rotation(fitted, self.mode), self._inverse_rotation)
            )
        return (self.to_world @ own[..., None])[..., 0]

    def values_for(self, change: FloatArray) -> FloatArray:
        """Return channels (F, C) that move or rotate the bone by a small change in the world (F, 3)."""
        return self.values + (self._to_values @ change[..., None])[..., 0]

    @cached_property
    def _to_values(self) -> FloatArray:
        """Return the derivative of the channels by changes in the world (F, C, 3), by least squares."""
        moving = np.ptp(self.values, axis=0) >= STILL  # constant channels stay constant
        step = np.eye(self.values.shape[1]) * DIFFERENCE
        slope = moving * np.stack([self.change(self.values + one) / DIFFERENCE for one in step], axis=-1)
        square = slope @ np.swapaxes(slope, -1, -2) + DAMPING * np.eye(3)
        return np.swapaxes(np.linalg.solve(square, slope), -1, -2)


def own_rotation(values: FloatArray, mode: str) -> FloatArray:
    """Return quaternions (F, 4) of rotation channels, as Blender interprets them."""
    if mode == "QUATERNION":
        return rotations.normalise(values)
    if mode == "AXIS_ANGLE":
        axis = values[:, 1:] / np.maximum(np.linalg.norm(values[:, 1:], axis=1, keepdims=True), 1e-12)
        return rotations.from_vector(values[:, :1] * axis)
    # Blender's XYZ rotates about fixed axes, X first: the same as about moving axes in reverse order.
    order = ["XYZ".index(axis) for axis in reversed(mode)]
    return rotations.from_euler(mode[::-1], values[:, order])


def _rotation_vector(quaternion: FloatArray) -> FloatArray:
    """Return rotation vectors (..., 3) [rad] of quaternions (..., 4), accurate for small ones."""
    sign = np.where(quaternion[..., :1] < 0.0, -1.0, 1.0)
    vector = sign * quaternion[..., 1:]
    sine = np.linalg.norm(vector, axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(sine, sign * quaternion[..., :1])
    return vector * np.where(sine > 1e-9, angle / np.maximum(sine, 1e-12), 2.0)


def velocity_jumps(time: FloatArray, position: FloatArray, quaternion: FloatArray) -> BoolArray:
    """Return at which samples (T) the velocity of poses (T, 3) [m], (T, 4) jumps, as in a hit; time (T) [s].

    A curve through them needs a corner there.
    """
    width = np.diff(time)[:, None]
    turn = rotations.to_vector(rotations.multiply(quaternion[1:], rotations.conjugate(quaternion[:-1])))
    flags = np.zeros(len(time), dtype=bool)
    for step, limit in ((np.diff(position, axis=0), JUMP_M_S), (turn, JUMP_RAD_S)):
        flags[1:-1] |= np.linalg.norm(np.diff(step / width, axis=0), axis=1) > limit
    return flags


def frames_around(flags: BoolArray, time: FloatArray, frame_time: FloatArray) -> IntArray:
    """Return the last frame before and the first one after each interval of flags (T)."""
    found: set[int] = set()
    for start, end in true_intervals(flags):
        before = np.searchsorted(frame_time, time[start] + 1e-9, side="right") - 1
        after = np.searchsorted(frame_time, time[end - 1] - 1e-9)
        found |= {int(before), int(after)}
    return np.array(sorted(number for number in found if 0 <= number < len(frame_time)), dtype=np.int64)
