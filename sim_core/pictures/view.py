"""From which side a picture is drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..conventions import Z_UP, FloatArray, frozen

THREE_QUARTER = np.radians(55.0)
"""Between the way the body faces and the eye: arms and legs do not hide each other."""


@dataclass(frozen=True, eq=False)
class View:
    """A level view without perspective.

    right: the world's direction that points right in the picture (3), level, of length 1
    """

    right: FloatArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "right", frozen(self.right))

    @property
    def toward(self) -> FloatArray:
        """From the motion to the eye (3)."""
        return np.cross(self.right, Z_UP)

    def flat(self, points: FloatArray) -> FloatArray:
        """Points (..., 3) as right and up in the picture (..., 2) [m]."""
        return np.stack([points @ self.right, points[..., 2]], axis=-1)


def three_quarter_view(left: FloatArray) -> View:
    """Between the front and the right side of a body whose left side points along `left` (3)."""
    level = np.array([left[0], left[1], 0.0])
    length = float(np.linalg.norm(level))
    level = np.array([0.0, 1.0, 0.0]) if length < 1e-6 else level / length
    forward = np.cross(level, Z_UP)
    return View(np.sin(THREE_QUARTER) * forward + np.cos(THREE_QUARTER) * level)
