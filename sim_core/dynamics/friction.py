"""What the ground can give through friction."""

from __future__ import annotations

import numpy as np

from .. import rotations
from ..conventions import FloatArray


def pyramid(friction: float) -> FloatArray:
    """Edges (4, 3) of a friction pyramid about Z; weights on them are vertical newtons."""
    return np.array(
        [[friction, 0, 1], [-friction, 0, 1], [0, friction, 1], [0, -friction, 1]], dtype=np.float64
    )


def pyramids(friction: float, normal: FloatArray) -> FloatArray:
    """Edges (..., 4, 3) of friction pyramids about unit normals (..., 3) that point up."""
    return pyramid(friction) @ rotations.from_up(normal).swapaxes(-1, -2)
