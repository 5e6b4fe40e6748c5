"""What the ground can give through friction."""

from __future__ import annotations

import numpy as np

from .. import rotations
from ..conventions import Z_UP, FloatArray

_SIDES = np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0]], dtype=np.float64)


def pyramid(friction: float | FloatArray) -> FloatArray:
    """Edges (..., 4, 3) of friction pyramids (...) about Z; weights on them are vertical newtons."""
    return np.asarray(np.multiply.outer(friction, _SIDES) + Z_UP)


def pyramids(friction: float | FloatArray, normal: FloatArray) -> FloatArray:
    """Edges (..., 4, 3) of pyramids about unit normals (..., 3) that point up; friction: of all, or (...)."""
    return pyramid(friction) @ rotations.from_up(normal).swapaxes(-1, -2)
