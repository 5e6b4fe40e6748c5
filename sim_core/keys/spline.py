"""Curves with few keys: cubic pieces that share the values of their keys.

A piece of a Bezier curve whose handles reach a third of the way to the next key is a cubic in the frame
itself (its x is linear in the curve's parameter), so it is evaluated without solving for the parameter.
Slopes before and after a key are free of each other: keys are then a quarter fewer than with equal ones.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solveh_banded

from ..base.conventions import BoolArray, FloatArray, IntArray

EXACT, LOOSE = 1e6, 1e-6
"""How firmly a key keeps the value that the motion has there, where it must and where it need not; a frame
counts 1. The loose one decides what frames leave open, as the slopes of keys at neighbouring frames."""

THIRD = 1.0 / 3.0
STILL = 1e-6
"""Channels that change by less, in their own unit, do not change."""
HALVINGS = 40
"""Until a place on a curve is found to 1e-12 of a piece."""


@dataclass(frozen=True, eq=False)
class Spline:
    """Keys (K) of C channels.

    frame (K): increasing; value (K, C)
    slope_before, slope_after (K, C): change of value per frame on either side of a key
    reach_before, reach_after (K, C): how far its handles reach, as shares of the way to the next key
    """

    frame: FloatArray
    value: FloatArray
    slope_before: FloatArray
    slope_after: FloatArray
    reach_before: FloatArray
    reach_after: FloatArray

    def at(self, frame: FloatArray) -> FloatArray:
        """Values (F, C), between the first and the last key."""
        piece, share, width = _places(self.frame, frame)
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
        """Keys (C) that the channels need: one where nothing changes."""
        slope = np.abs(np.concatenate([self.slope_before, self.slope_after])).max(axis=0)
        still = np.ptp(self.value, axis=0) + slope < STILL
        return np.where(still, 1, len(self.frame))

    @property
    def handles(self) -> tuple[FloatArray, FloatArray]:
        """Left and right Bezier handles (K, C, 2): frame and value."""
        width = np.diff(self.frame)
        left = self.reach_before * np.concatenate([width[:1], width])[:, None]
        right = self.reach_after * np.concatenate([width, width[-1:]])[:, None]
        frame = self.frame[:, None]
        return (
            np.stack([frame - left, self.value - left * self.slope_before], axis=-1),
            np.stack([frame + right, self.value + right * self.slope_after], axis=-1),
        )


def fit(frame: FloatArray, values: FloatArray, keys: IntArray, exact: BoolArray) -> Spline:
    """The curves with keys at some of the frames that come nearest to all values, by least squares.

    frame (F), values (F, C); keys (K): increasing indices of frames, the first and the last among them
    exact (K): keys that keep the values there
    """
    at = frame[keys]
    band, right = _normal_equations(at, frame, values)
    held = np.where(exact, EXACT, LOOSE)
    band[0, ::3] += held
    right[::3] += held[:, None] * values[keys]
    # A slope that no frame asks for is that of the line to the next key.
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
    """Of a Bezier curve at shares of the way, by the reach of its handles; shapes broadcast."""
    even = (after == THIRD) & (before == THIRD)  # then it is the share itself
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
    """What the four points of a piece count at its parameters."""
    s = 1.0 - t
    return s * s * s, 3.0 * t * s * s, 3.0 * t * t * s, t * t * t


def _normal_equations(at: FloatArray, frame: FloatArray, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Lower band (4, 3 K - 2) and right sides (3 K - 2, C).

    Unknowns lie in the order value, slope after it, slope before the next value, next value, ...: each
    piece sees four that follow each other, and shares the outer ones with its neighbours.
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
    """The piece (F) of each frame, and what the unknowns of the piece count there (F, 4)."""
    piece, u, width = _places(at, frame)
    v = 1.0 - u
    return piece, np.stack(
        [v * v * (1.0 + 2.0 * u), width * u * v * v, -width * u * u * v, u * u * (1.0 + 2.0 * v)], axis=1
    )


def _places(at: FloatArray, frame: FloatArray) -> tuple[IntArray, FloatArray, FloatArray]:
    """The piece (F) of each frame, how far on it lies as a share, and how long the piece is [frames]."""
    piece = np.clip(np.searchsorted(at, frame, side="right") - 1, 0, len(at) - 2)
    width = at[piece + 1] - at[piece]
    return piece, (frame - at[piece]) / width, width
