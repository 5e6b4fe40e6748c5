"""What the ground can give through friction.

The least ground forces that explain what a body needs, for many frames at once.

For each frame: minimise |needed - columns w|^2 + ridge^2 |w|^2 over weights w >= 0. What stays
unexplained, y = needed - columns w, has fewer entries than w, which follows from it:
w = max(0, columns' y) / ridge^2. So Newton's method looks for y, which minimises the smooth convex
|y|^2 / 2 + |max(0, columns' y)|^2 / (2 ridge^2) - needed' y.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..base import rotations
from ..base.conventions import Z_UP, FloatArray

_SIDES = np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0]], dtype=np.float64)


def pyramid(friction: float | FloatArray) -> FloatArray:
    """Edges (..., 4, 3) of friction pyramids (...) about Z; weights on them are vertical newtons."""
    return np.asarray(np.multiply.outer(friction, _SIDES) + Z_UP)


def pyramids(friction: float | FloatArray, normal: FloatArray) -> FloatArray:
    """Edges (..., 4, 3) of pyramids about unit normals (..., 3) that point up; friction: of all, or (...)."""
    return pyramid(friction) @ rotations.from_up(normal).swapaxes(-1, -2)


TOLERANCE = 1e-10
"""Of the slope, against what is needed."""
ITERATIONS = 100


@dataclass(frozen=True, eq=False)
class Explained:
    """weights (T, n); left (T, m): what they do not explain
    null (T, m, m): what is left of a small change of what is needed
    """

    weights: FloatArray
    left: FloatArray
    null: FloatArray


def explain(columns: FloatArray, needed: FloatArray, ridge: float, guess: FloatArray) -> Explained:
    """columns (T, m, n), needed (T, m); guess (T, m): of what is left."""
    left = guess.copy()
    open_ = np.arange(len(needed))
    for _ in range(ITERATIONS):
        slope, curvature = _derivatives(columns[open_], needed[open_], left[open_], ridge)
        limit = TOLERANCE * (1.0 + np.abs(needed[open_]).max(axis=1))
        unsolved = np.abs(slope).max(axis=1) > limit
        open_, slope, curvature = open_[unsolved], slope[unsolved], curvature[unsolved]
        if len(open_) == 0:
            break
        step = -np.linalg.solve(curvature, slope[..., None])[..., 0]
        left[open_] += _line_search(columns[open_], needed[open_], left[open_], step, slope, ridge)
    weights = np.maximum(0.0, _turned(columns, left)) / ridge**2
    null = np.linalg.inv(_derivatives(columns, needed, left, ridge)[1])
    return Explained(weights, left, null)


def _turned(columns: FloatArray, left: FloatArray) -> FloatArray:
    return np.asarray((left[:, None, :] @ columns)[:, 0])


def _derivatives(
    columns: FloatArray, needed: FloatArray, left: FloatArray, ridge: float
) -> tuple[FloatArray, FloatArray]:
    pull = _turned(columns, left)
    active = columns * (pull > 0.0)[:, None, :]
    slope = left - needed + (active @ pull[..., None])[..., 0] / ridge**2
    return slope, np.eye(columns.shape[1]) + active @ columns.swapaxes(1, 2) / ridge**2


def _line_search(
    columns: FloatArray,
    needed: FloatArray,
    left: FloatArray,
    step: FloatArray,
    slope: FloatArray,
    ridge: float,
) -> FloatArray:
    """The step, halved in each frame until it goes down there (Armijo)."""

    def cost(place: FloatArray) -> FloatArray:
        pull = np.maximum(0.0, _turned(columns, place))
        own = 0.5 * (place * place).sum(axis=1) - (needed * place).sum(axis=1)
        return np.asarray(own + 0.5 * (pull * pull).sum(axis=1) / ridge**2)

    share = np.ones((len(left), 1))
    here, fall = cost(left), (slope * step).sum(axis=1)
    for _ in range(30):
        # Near the minimum the fall drowns in rounding.
        enough = 1e-4 * share[:, 0] * fall + 1e-12 * np.abs(here)
        high = cost(left + share * step) > here + enough
        if not high.any():
            break
        share[high] *= 0.5
    return share * step
