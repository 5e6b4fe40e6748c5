"""Smooth displacements of points over a whole motion, as a spline under pulls and walls.

Motion displacement maps (Gleicher 1998; Lee and Shin 1999): the motion keeps its own detail, and only what is
added to it is solved for, over all frames at once. The displacement x (T, K) minimises
    sum |x_t|^2 + (tau / dt)^4 |x_{t-1} - 2 x_t + x_{t+1}|^2 + sum_i w_i (a_i . x_t - b_i)^2,
so that a pull that begins at once is approached and left over about 3 tau.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import solveh_banded

from ..base.conventions import FloatArray, IntArray

Rows = slice | IntArray
ALL = slice(None)
"""Rows of all frames."""
FADE_SECONDS = 0.14
"""tau: how quickly displacements fade in and out next to an interval in which they are needed [s]."""
LOOSE = 1e-3
"""The weight of a prop's own path, relative to that of the palms' style."""


class Pulls:
    """The pulls on K coordinates in T frames: the matrix and the right-hand side of each frame."""

    def __init__(self, frames: int, count: int, loose: int = 0) -> None:
        """loose: how many of the last coordinates have hardly a place of their own to go back to."""
        self.matrix = np.tile(np.eye(count), (frames, 1, 1))
        if loose:
            self.matrix[:, -loose:] *= LOOSE
        self.slope = np.zeros((frames, count))

    def add(
        self,
        first: int,
        direction: FloatArray,
        value: FloatArray,
        weight: FloatArray | float,
        rows: Rows = ALL,
        minus: int | None = None,
    ) -> None:
        """Pull direction (N, 3) . x[first : first + 3] to values (N) with weights (N) in some frames (N).

        minus: the first of the coordinates that are subtracted from these
        """
        scaled = np.reshape(weight, (-1, 1)) * direction
        self._add(first, scaled[:, :, None] * direction[:, None, :], scaled * value[:, None], rows, minus)

    def add_point(
        self,
        first: int,
        value: FloatArray,
        weight: FloatArray | float,
        rows: Rows = ALL,
        minus: int | None = None,
    ) -> None:
        """Pull x[first : first + 3] to vectors (N, 3) with weights (N) in some frames (N).

        minus: the first of the coordinates that are subtracted from these
        """
        column = np.reshape(weight, (-1, 1))
        self._add(first, column[:, :, None] * np.eye(3), column * value, rows, minus)

    def _add(
        self, first: int, matrix: FloatArray, slope: FloatArray, rows: Rows, minus: int | None
    ) -> None:
        own = slice(first, first + 3)
        self.matrix[rows, own, own] += matrix
        self.slope[rows, own] += slope
        if minus is not None:
            other = slice(minus, minus + 3)
            self.matrix[rows, other, other] += matrix
            self.matrix[rows, own, other] -= matrix
            self.matrix[rows, other, own] -= matrix
            self.slope[rows, other] -= slope

    def solved(self, rate_hz: float) -> FloatArray:
        """Return the displacements (T, K); rate_hz: of the frames."""
        frames, count = self.slope.shape
        band = np.zeros((2 * count + 1, frames, count))
        for below in range(count):
            for column in range(count - below):
                band[below, :, column] = self.matrix[:, column + below, column]
        bend = (FADE_SECONDS * rate_hz) ** 4
        middle = np.zeros((3, frames))
        # The products of second differences (1, -2, 1), summed over all frames that have two neighbours.
        for offset, products in ((0, (1.0, 4.0, 1.0)), (1, (-2.0, -2.0)), (2, (1.0,))):
            for place, product in enumerate(products):
                middle[offset, place : max(frames - 2, 0) + place] += product
        band[0] += bend * middle[0][:, None]
        band[count] += bend * middle[1][:, None]
        band[2 * count] += bend * middle[2][:, None]
        flat = band.reshape(2 * count + 1, frames * count)
        found = solveh_banded(flat, self.slope.ravel(), lower=True, check_finite=False)
        return np.asarray(found).reshape(frames, count)
