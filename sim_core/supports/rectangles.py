"""Rectangles about what rests on a support, as wide as the motion leaves room for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..base.conventions import BoolArray, FloatArray

SHARES = (1.0, 0.75, 0.5, 0.25, 0.0)
"""Shares of a margin that are tried, the largest first."""
AROUND = 0.015
"""Distance that edges keep from the matter that passes beside them [m]."""


@dataclass(frozen=True, eq=False)
class Margins:
    """How far a rectangle may reach beyond what rests on it: ahead, behind and to both sides [m]."""

    ahead: float
    behind: float
    aside: float


@dataclass(frozen=True, eq=False)
class Rectangle:
    """A rectangle along a direction ahead (2): low and high (2) are its ends ahead and to the left [m]."""

    ahead: FloatArray
    low: FloatArray
    high: FloatArray

    @property
    def axes(self) -> FloatArray:
        """Return the directions ahead and to the left as columns (2, 2)."""
        return np.array([self.ahead, [-self.ahead[1], self.ahead[0]]]).T

    @property
    def centre(self) -> FloatArray:
        """Return the middle (2) in the world [m]."""
        return np.asarray(self.axes @ (0.5 * (self.low + self.high)))

    @property
    def size(self) -> FloatArray:
        """Return length ahead and width (2) [m]."""
        return self.high - self.low

    def contains(self, points: FloatArray) -> BoolArray:
        """Return which points (N, 2) are inside."""
        at = points @ self.axes
        return np.asarray(((at > self.low) & (at < self.high)).all(axis=-1))


def fitted_rectangle(
    outline: FloatArray, ahead: FloatArray, margins: Margins, passing: FloatArray
) -> Rectangle:
    """Return a rectangle about an outline (M, 2), whose margins keep clear of matter that passes (N, 2)."""
    axes = np.array([ahead, [-ahead[1], ahead[0]]]).T
    corners, at = outline @ axes, passing @ axes
    low, high = corners.min(axis=0), corners.max(axis=0)
    for axis, side, margin in ((0, 1, margins.ahead), (0, -1, margins.behind)) + tuple(
        (1, side, margins.aside) for side in (1, -1)
    ):
        _widen(low, high, at, axis, side, margin)
    return Rectangle(ahead, low, high)


def _widen(
    low: FloatArray, high: FloatArray, passing: FloatArray, axis: int, side: int, margin: float
) -> None:
    """Move one side of a rectangle outwards by the largest share of a margin that is free."""
    edge, other = (high if side > 0 else low)[axis], 1 - axis
    beside = (passing[:, other] > low[other] - AROUND) & (passing[:, other] < high[other] + AROUND)
    beyond = side * (passing[beside, axis] - edge)
    nearest = float(beyond[beyond > -AROUND].min(initial=np.inf))
    share = next((s for s in SHARES if s * margin + AROUND <= nearest or margin < 0.0), 0.0)
    (high if side > 0 else low)[axis] += side * share * margin
