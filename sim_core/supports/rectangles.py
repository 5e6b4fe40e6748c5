"""Rectangles about what rests on a support, as wide as the motion leaves room for."""

from __future__ import annotations

from dataclasses import astuple, dataclass

import numpy as np

from ..base.conventions import BoolArray, FloatArray

SHARES = (1.0, 0.75, 0.5, 0.25, 0.0)
"""Shares of a margin that are tried, the largest first."""


@dataclass(frozen=True, eq=False)
class Margins:
    """How far a rectangle may reach beyond what rests on it: ahead, behind and to both sides [m].

    around: distance that its edges keep from the matter that passes beside them [m]
    least: how far it reaches beyond what rests on it even if matter passes there [m]
    """

    ahead: float
    behind: float
    aside: float
    around: float = 0.015
    least: float = 0.0

    def scaled(self, factor: float) -> Margins:
        """Return the margins for a body that is larger by a factor."""
        return Margins(*(factor * length for length in astuple(self)))


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
    low, high = corners.min(axis=0) - margins.least, corners.max(axis=0) + margins.least
    for axis, edges, side, margin in (
        (0, high, 1, margins.ahead),
        (0, low, -1, margins.behind),
        (1, high, 1, margins.aside),
        (1, low, -1, margins.aside),
    ):
        other = 1 - axis
        beside = (at[:, other] > low[other] - margins.around) & (at[:, other] < high[other] + margins.around)
        edges[axis] += side * _free(side * (at[beside, axis] - edges[axis]), margin, margins.around)
    return Rectangle(ahead, low, high)


def _free(beyond: FloatArray, margin: float, around: float) -> float:
    """Return the largest share of a margin [m] that keeps its distance from matter beyond an edge (N) [m]."""
    nearest = float(beyond[beyond > -around].min(initial=np.inf))
    return margin * next((s for s in SHARES if s * margin + around <= nearest or margin < 0.0), 0.0)
