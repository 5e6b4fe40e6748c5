"""Planes through rests: the height over the ground as a linear function."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..base.conventions import FloatArray

SPREAD = 0.3
"""Share of the widest spread of rests below which a direction says nothing about the plane."""


@dataclass(frozen=True, eq=False)
class FittedPlane:
    """A plane through a centre (3) [m] with a gradient (2), and how far each rest (N) is above it [m]."""

    centre: FloatArray
    gradient: FloatArray
    above: FloatArray

    @property
    def tilt(self) -> float:
        """Return the angle between the plane and a level one [rad]."""
        return float(np.arctan(np.linalg.norm(self.gradient)))

    @property
    def uphill(self) -> FloatArray:
        """Return the direction over the ground (2) in which the plane rises."""
        return np.asarray(self.gradient / max(float(np.linalg.norm(self.gradient)), 1e-9))

    def rise(self, places: FloatArray) -> FloatArray:
        """Return how much higher than its centre the plane is at places (..., 2) [m]."""
        return np.asarray((places - self.centre[:2]) @ self.gradient)


def fit_plane(places: FloatArray, heights: FloatArray) -> FittedPlane:
    """Return the plane of least squares through heights (N) at places (N, 2) [m].

    Directions in which the places hardly spread say nothing: the gradient along them is zero.
    """
    middle, height = places.mean(axis=0), float(heights.mean())
    away = places - middle
    gradient = np.linalg.lstsq(away, heights - height, rcond=SPREAD)[0]
    return FittedPlane(np.array([*middle, height]), gradient, heights - height - away @ gradient)
