"""Curves with few keys: cubic segments that share the values of their keys.

A segment of a Bezier curve whose handles reach a third of the distance to the next key is a cubic of the
frame itself (its x is linear in the curve's parameter), so it is evaluated without solving for the parameter.
Slopes before and after a key are independent, which needs a quarter fewer keys than equal slopes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solveh_banded

from ..base.conventions import BoolArray, FloatArray, IntArray

EXACT, LOOSE = 1e6, 1e-6
"""Weights of the motion's value at a key that must keep it and at one that need not; a frame has weight 1.
The small one decides what frames leave open, such as the slopes of keys at neighbouring frames."""

THIRD = 1.0 / 3.0
STILL = 1e-6
"""Largest change of a channel that counts as constant, in its own unit."""
HALVINGS = 40
"""Number of bisections that finds a point on a curve to 1e-12 of a segment."""


@dataclass(frozen=True, eq=False)
class Spline:
    """Curves of C channels with K keys.

    frame (K): increasing; value (K, C)
    slope_before, slope_after (K, C): change of value per frame on either side of a key
    reach_before, reach_after (K, C): lengths of the handles, as shares of the distance to the next key
    """

    frame: FloatArray
    value: FloatArray
    slope_before: FloatArray
    slope_after: FloatArray
    reach_before: FloatArray
    reach_after: FloatArray

    def at(self, frame: FloatArray) -> FloatArray:
        """Return the values (F, C) at frames between the first and the last key."""
        piece, share, width = _locate(self.frame, frame)
        after, before = self.reach_after[piece], self.reach_before[piece + 1]
        first, last, width = self.value[piece], self.value[piece + 1], width[:, None]
        points = (
            first,
            first + after * width * self.slope_after[piece],
            last - before * width * self.slope_before[piece + 1],
            last,
        )
        counts = bernstein(parameter(share[:, None], after, before))
        return np.asarray(sum(count * point for count, point in zip(counts, points, strict=True)))

    @property
    def key_counts(self) -> IntArray:
        """Return the number of keys of each channel (C): one for constant channels."""
        slope = np.abs(np.concatenate([self.slope_before, self.slope_after])).max(axis=0)
        still = np.ptp(self.value, axis=0) + slope < STILL
        return np.where(still, 1, len(self.frame))

    @property
    def handles(self) -> tuple[FloatArray, FloatArray]:
        """Return left and right Bezier handles (K, C, 2) as frame and value."""
        width = np.diff(self.frame)
        left = self.reach_before * np.concatenate([width[:1], width])[:, None]
        right = self.reach_after * np.concatenate([width, width[-1:]])[:, None]
        frame = self.frame[:, None]
        return (
            np.stack([frame - left, self.value - left * self.slope_before], axis=-1),
            np.stack([frame + right, self.value + right * self.slope_after], axis=-1),
        )


def fit_spline(frame: FloatArray, values: FloatArray, keys: IntArray, exact: BoolArray) -> Spline:
    """Fit curves with keys at some frames to the values at all frames, by least squares.

    frame (F), values (F, C); keys (K): increasing indices of frames, the first and the last among them
    exact (K): keys that keep the values there
    """
    at = frame[keys]
    band, right = _normal_equations(at, frame, values)
    held = np.where(exact, EXACT, LOOSE)
    band[0, ::3] += held
    right[::3] += held[:, None] * values[keys]
    # A slope that no frame determines is that of the line to the next key.
    line = LOOSE * np.diff(values[keys], axis=0) / np.diff(at)[:, None]
    for side in (1, 2):
        band[0, side::3] += LOOSE
        right[side::3] += line
    found = solveh_banded(band, right, lower=True, overwrite_ab=True, overwrite_b=True, check_finite=False)
    value = np.where(exact[:, None], values[keys], found[::3])
    after, before_next = found[1::3], found[2::3]
    third = np.full(value.shape, THIRD)
    before = np.vstack([after[:1], before_next])
    return Spline(at, value, before, np.vstack([after, before_next[-1:]]), third, third)


def parameter(share: FloatArray, after: FloatArray, before: FloatArray) -> FloatArray:
    """Return the parameter of a Bezier segment at shares of its length in frames; shapes broadcast.

    after, before: lengths of the handles of its first and its last key
    """
    even = (after == THIRD) & (before == THIRD)  # the parameter is then the share itself
    found = np.where(even, share, 0.0)
    if even.all():
        return found
    low, high = np.zeros(found.shape), np.ones(found.shape)
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        _, first, second, third = bernstein(middle)
        short = first * after + second * (1.0 - before) + third < share
        low, high = np.where(short, middle, low), np.where(short, high, middle)
    return np.where(even, found, 0.5 * (low + high))


def bernstein(t: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return the weights of the four points of a segment at its parameters."""
    s = 1.0 - t
    return s * s * s, 3.0 * t * s * s, 3.0 * t * t * s, t * t * t


def _normal_equations(at: FloatArray, frame: FloatArray, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the lower band (4, 3 K - 2) and the right-hand sides (3 K - 2, C) of the normal equations.

    The unknowns are in the order value, slope after it, slope before the next value, next value, ...: each
    segment depends on four consecutive ones, and shares the outer ones with its neighbours.
    """
    piece, basis = _basis(at, frame)
    pieces = len(at) - 1
    starts = np.searchsorted(piece, np.arange(pieces))
    squares = np.add.reduceat(basis[:, :, None] * basis[:, None, :], starts, axis=0)
    sides = np.add.reduceat(basis[:, :, None] * values[:, None, :], starts, axis=0)
    band, right = np.zeros((4, 3 * pieces + 1)), np.zeros((3 * pieces + 1, values.shape[1]))
    for row in range(4):
        right[row : row + 3 * pieces : 3] += sides[:, row]
        for column in range(row + 1):
            band[row - column, column : column + 3 * pieces : 3] += squares[:, row, column]
    return band, right


def _basis(at: FloatArray, frame: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return the segment (F) of each frame, and the weights of the segment's unknowns there (F, 4)."""
    piece, u, width = _locate(at, frame)
    v = 1.0 - u
    return piece, np.stack(
        [v * v * (1.0 + 2.0 * u), width * u * v * v, -width * u * u * v, u * u * (1.0 + 2.0 * v)], axis=1
    )


def _locate(at: FloatArray, frame: FloatArray) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return the segment (F) of each frame, its position in it as a share, and its length [frames]."""
    piece = np.clip(np.searchsorted(at, frame, side="right") - 1, 0, len(at) - 2)
    width = at[piece + 1] - at[piece]
    return piece, (frame - at[piece]) / width, width
