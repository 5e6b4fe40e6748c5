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
    """The pulls on a step d from displacements x (T, K), where x + d takes the place of x above.

    A pull is given by what is lacking at x, which is b - a . x.
    """

    def __init__(self, moved: FloatArray, rate_hz: float, loose: int = 0) -> None:
        """moved: x [m]; loose: how many of the last coordinates have hardly a place of their own."""
        self.moved = moved
        frames, count = moved.shape
        style = np.ones(count)
        style[count - loose :] = LOOSE
        self.bend = (FADE_SECONDS * rate_hz) ** 4
        second = np.diff(moved, 2, axis=0)
        self.matrix = np.tile(np.diag(style), (frames, 1, 1))
        self.slope = -style * moved
        # The transposed second differences of the second differences.
        for offset, factor in enumerate((1.0, -2.0, 1.0)):
            self.slope[offset : offset + len(second)] -= factor * self.bend * second

    def add(
        self,
        first: int,
        direction: FloatArray,
        lack: FloatArray,
        weight: FloatArray | float,
        rows: Rows = ALL,
        minus: int | None = None,
    ) -> None:
        """Pull x[first : first + 3] by lacks (N) along directions (N, 3) with weights (N) in some frames (N).

        minus: the first of the coordinates that are subtracted from these
        """
        scaled = np.reshape(weight, (-1, 1)) * direction
        self._add(first, scaled[:, :, None] * direction[:, None, :], scaled * lack[:, None], rows, minus)

    def add_point(
        self,
        first: int,
        lack: FloatArray,
        weight: FloatArray | float,
        rows: Rows = ALL,
        minus: int | None = None,
    ) -> None:
        """Pull x[first : first + 3] by vectors (N, 3) with weights (N) in some frames (N).

        minus: the first of the coordinates that are subtracted from these
        """
        column = np.reshape(weight, (-1, 1))
        self._add(first, column[:, :, None] * np.eye(3), column * lack, rows, minus)

    def hold(self, first: int, direction: FloatArray, weight: FloatArray, rows: Rows) -> None:
        """Keep steps across directions (N, 3) small with weights (N) in some frames (N).

        A force along a direction that turns as the point goes round a centre needs it: Gauss-Newton steps
        leave out that curvature, and where a goal is out of reach they swing from side to side for ever. The
        weight is the force over the distance of the centre. What is found in the end does not depend on it.
        """
        across = np.eye(3) - direction[:, :, None] * direction[:, None, :]
        own = slice(first, first + 3)
        self.matrix[rows, own, own] += weight[:, None, None] * across

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

    def step(self, caution: float = 0.0) -> FloatArray:
        """Return the step (T, K) [m]; caution: the weight with which all of it is kept small."""
        frames, count = self.slope.shape
        band = np.zeros((2 * count + 1, frames, count))
        for below in range(count):
            for column in range(count - below):
                band[below, :, column] = self.matrix[:, column + below, column]
        middle = np.zeros((3, frames))
        # The products of second differences (1, -2, 1), summed over all frames that have two neighbours.
        for offset, products in ((0, (1.0, 4.0, 1.0)), (1, (-2.0, -2.0)), (2, (1.0,))):
            for place, product in enumerate(products):
                middle[offset, place : max(frames - 2, 0) + place] += product
        band[0] += caution + self.bend * middle[0][:, None]
        band[count] += self.bend * middle[1][:, None]
        band[2 * count] += self.bend * middle[2][:, None]
        flat = band.reshape(2 * count + 1, frames * count)
        found = solveh_banded(flat, self.slope.ravel(), lower=True, check_finite=False)
        return np.asarray(found).reshape(frames, count)
