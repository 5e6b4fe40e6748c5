"""What is keyed: the rotation or the location of a bone, in the channels that it has."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..base import rotations
from ..base.conventions import FloatArray, IntArray
from .spline import STILL

LOCATION = "LOCATION"
"""The mode of a track that moves its bone; all others are Blender's rotation modes."""

SMALL = 1e-5
"""By which channels are changed to see what that does [their unit]."""
DAMPING = 1e-3
"""So that channels at a gimbal lock do not run away."""


@dataclass(frozen=True, eq=False)
class Track:
    """Channels (F, C) of one bone that are keyed together.

    node: the bone, as an index into a tree; mode: LOCATION, QUATERNION, AXIS_ANGLE or an order as XYZ
    to_world (F, 3, 3): turns a small own rotation vector [rad], or a change of location, into the world
    kept (.): indices of frames that are keys whatever the curve does, with the values they have
    """

    node: int
    mode: str
    values: FloatArray
    to_world: FloatArray
    kept: IntArray

    @property
    def moves(self) -> bool:
        return self.mode == LOCATION

    @cached_property
    def _turned_back(self) -> FloatArray:
        return rotations.conjugate(own_rotation(self.values, self.mode))

    def change(self, fitted: FloatArray) -> FloatArray:
        """By which the bone is moved or turned in the world (F, 3) if its channels are others (F, C)."""
        own: FloatArray = fitted - self.values
        if not self.moves:
            own = small_turn(rotations.multiply(own_rotation(fitted, self.mode), self._turned_back))
        return (self.to_world @ own[..., None])[..., 0]

    def values_for(self, change: FloatArray) -> FloatArray:
        """Channels (F, C) that move or turn the bone by a small change in the world (F, 3)."""
        return self.values + (self._to_values @ change[..., None])[..., 0]

    @cached_property
    def _to_values(self) -> FloatArray:
        """How channels follow from small changes in the world (F, C, 3), by least squares."""
        moving = np.ptp(self.values, axis=0) >= STILL  # what is still stays so
        step = np.eye(self.values.shape[1]) * SMALL
        slope = moving * np.stack([self.change(self.values + one) / SMALL for one in step], axis=-1)
        square = slope @ np.swapaxes(slope, -1, -2) + DAMPING * np.eye(3)
        return np.swapaxes(np.linalg.solve(square, slope), -1, -2)


def own_rotation(values: FloatArray, mode: str) -> FloatArray:
    """Quaternions (F, 4) of rotation channels, as Blender reads them."""
    if mode == "QUATERNION":
        return rotations.normalise(values)
    if mode == "AXIS_ANGLE":
        axis = values[:, 1:] / np.maximum(np.linalg.norm(values[:, 1:], axis=1, keepdims=True), 1e-12)
        return rotations.from_vector(values[:, :1] * axis)
    # Blender's XYZ turns about X first, about axes that stay: the same as about moving axes in reverse.
    order = ["XYZ".index(axis) for axis in reversed(mode)]
    return rotations.from_euler(mode[::-1], values[:, order])


def small_turn(quaternion: FloatArray) -> FloatArray:
    """Rotation vectors (..., 3) [rad] of quaternions (..., 4)."""
    sign = np.where(quaternion[..., :1] < 0.0, -1.0, 1.0)
    vector = sign * quaternion[..., 1:]
    sine = np.linalg.norm(vector, axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(sine, sign * quaternion[..., :1])
    return vector * np.where(sine > 1e-9, angle / np.maximum(sine, 1e-12), 2.0)
