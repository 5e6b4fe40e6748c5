"""The normal equations of the dynamic filter: one banded system over the changes of all frames."""

from __future__ import annotations

import numpy as np
from scipy.linalg import solveh_banded

from ..base.conventions import FloatArray

FRAMES_AT_ONCE = 64
"""Number of frames whose products are made at once: those of all frames would fill the memory."""


class NormalEquations:
    """Hessian and gradient (T, nv) of a sum of squares whose terms reach over at most three frames.

    blocks (3, T, nv, nv) hold H[t, t + d] for d = 0, 1, 2
    """

    def __init__(self, samples: int, nv: int) -> None:
        self.samples, self.nv = samples, nv
        self.rows = np.zeros((samples, nv, 3 * nv))  # those of the blocks of a frame, side by side
        self.blocks = self.rows.reshape(samples, nv, 3, nv).transpose(2, 0, 1, 3)
        self.gradient = np.zeros((samples, nv))

    def add_diagonal(self, weight: FloatArray, change: FloatArray) -> None:
        """Add weight (nv) times the squared change (T, nv) of each frame."""
        diagonal = np.arange(self.nv)
        self.blocks[0][:, diagonal, diagonal] += weight
        self.gradient += weight * change

    def add_second_difference(self, weight: FloatArray, change: FloatArray) -> None:
        """Add weight |change[t-1] - 2 change[t] + change[t+1]|^2 for each inner frame."""
        diagonal = np.arange(self.nv)
        second = change[:-2] - 2.0 * change[1:-1] + change[2:]
        for offset, factor in ((0, 1.0), (1, -2.0), (2, 1.0)):
            stop = self.samples - 2 + offset
            self.blocks[0][offset:stop, diagonal, diagonal] += factor**2 * weight
            self.gradient[offset:stop] += factor * weight * second
        self.blocks[1][: self.samples - 2, diagonal, diagonal] += -2.0 * weight
        self.blocks[1][1 : self.samples - 1, diagonal, diagonal] += -2.0 * weight
        self.blocks[2][: self.samples - 2, diagonal, diagonal] += weight

    def add_rows_of_frames(self, rows: FloatArray, error: FloatArray) -> None:
        """Add rows (T, m, nv) over single frames, with their errors (T, m)."""
        transposed = rows.swapaxes(1, 2)
        _add_products(self.blocks[0], transposed, rows)
        self.gradient += (transposed @ error[..., None])[..., 0]

    def add_rows(self, rows: list[FloatArray], error: FloatArray) -> None:
        """Add rows (T - 2, 6, nv) over each inner frame's predecessor, itself and its successor."""
        inner, depth = self.samples - 2, rows[0].shape[1]
        # By frame: the rows in which it is the predecessor, the frame itself, the successor.
        stacked = np.zeros((self.samples, 3 * depth, self.nv))
        errors = np.zeros((self.samples, 3 * depth))
        for i in range(3):
            stacked[i : inner + i, i * depth : (i + 1) * depth] = rows[i]
            errors[i : inner + i, i * depth : (i + 1) * depth] = error
        transposed = stacked.swapaxes(1, 2)
        self.add_rows_of_frames(stacked, errors)
        _add_products(self.blocks[1, :-1], transposed[:-1, :, : 2 * depth], stacked[1:, depth:])
        _add_products(self.blocks[2, :-2], transposed[:-2, :, :depth], stacked[2:, 2 * depth :])

    def hold(self, samples: int) -> None:
        """Let the first samples keep their poses."""
        self.gradient[:samples] = 0.0
        self.blocks[0, :samples] = np.eye(self.nv)
        self.blocks[1, :samples] = 0.0
        self.blocks[2, :samples] = 0.0

    def solve(self) -> FloatArray:
        """Return the step (T, nv); the blocks are used up."""
        nv, width = self.nv, 3 * self.nv
        # Column j of the band holds H[j : j + width, j]. H is symmetric, so it is row j from its diagonal on.
        for j in range(1, nv):
            self.rows[:, j, : width - j] = self.rows[:, j, j:].copy()
            self.rows[:, j, width - j :] = 0.0
        band = self.rows.reshape(self.samples * nv, width)
        step = solveh_banded(
            band.T, -self.gradient.reshape(-1), lower=True, overwrite_ab=True, check_finite=False
        )
        return np.asarray(step).reshape(self.samples, nv)


def _add_products(sums: FloatArray, left: FloatArray, right: FloatArray) -> None:
    """Add the products of matrices (T, n, m) and (T, m, n) to sums (T, n, n)."""
    for start in range(0, len(sums), FRAMES_AT_ONCE):
        own = slice(start, start + FRAMES_AT_ONCE)
        sums[own] += left[own] @ right[own]
