"""Axes, quaternion order and units, in one place.

World: right-handed, Z up, metres, seconds, kilograms, radians. This is MuJoCo's frame and
Blender's, so a Blender world matrix needs only its unit scale.
Quaternions: (w, x, y, z), as in MuJoCo and Blender; scipy needs `scalar_first=True`.
Segment frames: X forward, Y to the character's left, Z up when it stands with arms at its sides.
The first axis of arrays over time is time: (T, N, 3).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.floating[Any]]
IntArray = NDArray[np.integer[Any]]
BoolArray = NDArray[np.bool_]

GRAVITY = 9.81
"""Standard gravity rounded as MuJoCo rounds it [m/s^2]."""

REFERENCE_HEIGHT_M = 1.75
"""Height of the body for which lengths, speeds and strengths are stated; they are scaled for others [m]."""

AXIS_NAMES = ("+X", "-X", "+Y", "-Y", "+Z", "-Z")
"""What the axes of files are called, with their directions."""

X_FORWARD = np.array([1.0, 0.0, 0.0])
Y_LEFT = np.array([0.0, 1.0, 0.0])
Z_UP = np.array([0.0, 0.0, 1.0])

IDENTITY_QUATERNION = np.array([1.0, 0.0, 0.0, 0.0])

Z_UP_FROM_Y_UP = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
"""Matrix from Y-up, Z-forward coordinates (BVH) to Z-up, X-forward ones: (x, y, z) -> (z, x, y)."""

Z_UP_FROM_UNITY = np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
"""Matrix from Unity's left-handed axes (X right, Y up, Z forward): (x, y, z) -> (z, -x, y)."""


def as_slice(indices: IntArray) -> IntArray | slice:
    """Return consecutive indices as a slice, which reads and writes faster; reading then gives a view."""
    if len(indices) and np.array_equal(indices, np.arange(indices[0], indices[0] + len(indices))):
        return slice(int(indices[0]), int(indices[-1]) + 1)
    return indices


def frozen(values: object, dtype: type | None = np.float64) -> NDArray[Any]:
    """Return a read-only copy, so that later changes of the original have no effect.

    An array that was frozen before is returned as it is: nobody can change it, and it may be large.
    dtype: None keeps that of the values
    """
    array: NDArray[Any] = np.asarray(values, dtype=dtype)
    if array.base is not None or (array is values and array.flags.writeable):
        array = np.array(array)
    array.setflags(write=False)
    return array


def freeze(record: object, *names: str, dtype: type = np.float64) -> None:
    """Give a frozen dataclass read-only copies of its own arrays; for use while it is made."""
    for name in names:
        object.__setattr__(record, name, frozen(getattr(record, name), dtype))
