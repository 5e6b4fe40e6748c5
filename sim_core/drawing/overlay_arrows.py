"""Arrows of forces at all frames, computed once so that a frame only has to move and scale its own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..base.conventions import FloatArray, IntArray
from . import overlay_shapes as shapes
from .overlay_series import OverlaySeries

SMALLEST_FORCE_N = 1.0
"""Smaller contact forces are rounding errors of the solver."""


@dataclass(frozen=True, eq=False)
class Arrows:
    """N arrows of F frames.

    first (F + 1): those of the frame in row k are from first[k] to first[k + 1]
    start (N, 3) [view]; shaft (N, 2, 3), head (N, 3 HEAD_SIDES, 3): from there, for a length factor of 1
    """

    first: IntArray
    start: FloatArray
    shaft: FloatArray
    head: FloatArray

    @staticmethod
    def of(frames: int, row: IntArray, start: FloatArray, vector: FloatArray) -> Arrows:
        """Return arrows from start and vector (N, 3); row (N): of the arrows' frames, ascending."""
        origin = np.zeros_like(vector)
        return Arrows(
            np.searchsorted(row, np.arange(frames + 1)),
            start,
            shapes.arrow_lines(origin, vector).reshape(-1, 2, 3),
            shapes.arrow_heads(origin, vector).reshape(-1, 3 * shapes.HEAD_SIDES, 3),
        )

    def at(self, row: int, length_factor: float) -> tuple[FloatArray, FloatArray]:
        """Return lines and triangles of a frame."""
        own = slice(self.first[row], self.first[row + 1])
        start = self.start[own, None]
        shaft, head = (start + length_factor * part[own] for part in (self.shaft, self.head))
        return shaft.reshape(-1, 3), head.reshape(-1, 3)


def contact_arrows(series: OverlaySeries) -> Arrows:
    """Return the sum of contact forces for each body, at their centre.

    a factor of 1 is one unit per newton
    """
    row = np.repeat(np.arange(len(series.frame)), series.contact_count)
    bodies = series.body_joint.shape[0]
    touched, index = np.unique(row * bodies + series.contact_body, return_inverse=True)
    size = np.linalg.norm(series.contact_force, axis=1)
    force, moment, weight = np.zeros((len(touched), 3)), np.zeros((len(touched), 3)), np.zeros(len(touched))
    np.add.at(force, index, series.contact_force)
    np.add.at(moment, index, size[:, None] * series.contact_point)
    np.add.at(weight, index, size)
    seen = np.linalg.norm(force, axis=1) > SMALLEST_FORCE_N
    middle = moment[seen] / weight[seen, None]
    return Arrows.of(len(series.frame), touched[seen] // bodies, middle, force[seen])


def assist_arrows(series: OverlaySeries) -> Arrows:
    """Return assist forces on the hips; a factor of 1 is one unit long, whatever the force."""
    size = np.linalg.norm(series.assist[:, :3], axis=1)
    row = np.flatnonzero(size > 0.0)
    direction = series.assist[row, :3] / size[row, None]
    return Arrows.of(len(series.frame), row, series.body_position[row, 0], direction)
