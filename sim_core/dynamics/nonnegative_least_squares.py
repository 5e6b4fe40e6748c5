"""Non-negative least squares for many frames at once, as they are needed to find ground forces.

For each frame: minimise |target - matrix w|^2 + ridge^2 |w|^2 over weights w >= 0. The residual
y = target - matrix w has fewer entries than w, which follows from it: w = max(0, matrix' y) / ridge^2.
So Newton's method looks for y, which minimises the smooth convex function
|y|^2 / 2 + |max(0, matrix' y)|^2 / (2 ridge^2) - target' y.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..base.conventions import FloatArray

TOLERANCE = 1e-10
"""Largest gradient at a solution, relative to the target."""
ITERATIONS = 100


@dataclass(frozen=True, eq=False)
class NonnegativeSolution:
    """The solution of T problems with m rows and n weights each.

    weights (T, n); residual (T, m): target - matrix w
    sensitivity (T, m, m): derivative of the residual with respect to the target
    """

    weights: FloatArray
    residual: FloatArray
    sensitivity: FloatArray


def solve_nonnegative(
    matrix: FloatArray, target: FloatArray, ridge: float, guess: FloatArray
) -> NonnegativeSolution:
    """Solve for T frames with matrix (T, m, n) and target (T, m), from a guess (T, m) of the residual."""
    residual = guess.copy()
    unsolved = np.arange(len(target))
    for _ in range(ITERATIONS):
        gradient, hessian = _derivatives(matrix[unsolved], target[unsolved], residual[unsolved], ridge)
        limit = TOLERANCE * (1.0 + np.abs(target[unsolved]).max(axis=1))
        beyond = np.abs(gradient).max(axis=1) > limit
        unsolved, gradient, hessian = unsolved[beyond], gradient[beyond], hessian[beyond]
        if len(unsolved) == 0:
            break
        step = -np.linalg.solve(hessian, gradient[..., None])[..., 0]
        residual[unsolved] += _line_search(
            matrix[unsolved], target[unsolved], residual[unsolved], step, gradient, ridge
        )
    weights = np.maximum(0.0, _transposed_product(matrix, residual)) / ridge**2
    sensitivity = np.linalg.inv(_derivatives(matrix, target, residual, ridge)[1])
    return NonnegativeSolution(weights, residual, sensitivity)


def _transposed_product(matrix: FloatArray, residual: FloatArray) -> FloatArray:
    """Return matrix' y (T, n)."""
    return np.asarray((residual[:, None, :] @ matrix)[:, 0])


def _derivatives(
    matrix: FloatArray, target: FloatArray, residual: FloatArray, ridge: float
) -> tuple[FloatArray, FloatArray]:
    """Return gradient (T, m) and Hessian (T, m, m) of the function that is minimised."""
    product = _transposed_product(matrix, residual)
    active = matrix * (product > 0.0)[:, None, :]
    gradient = residual - target + (active @ product[..., None])[..., 0] / ridge**2
    return gradient, np.eye(matrix.shape[1]) + active @ matrix.swapaxes(1, 2) / ridge**2


def _line_search(
    matrix: FloatArray,
    target: FloatArray,
    residual: FloatArray,
    step: FloatArray,
    gradient: FloatArray,
    ridge: float,
) -> FloatArray:
    """Return the step, halved in each frame until the cost decreases there enough (Armijo)."""

    def cost(y: FloatArray) -> FloatArray:
        positive = np.maximum(0.0, _transposed_product(matrix, y))
        own = 0.5 * (y * y).sum(axis=1) - (target * y).sum(axis=1)
        return np.asarray(own + 0.5 * (positive * positive).sum(axis=1) / ridge**2)

    share = np.ones((len(residual), 1))
    start, slope = cost(residual), (gradient * step).sum(axis=1)
    for _ in range(30):
        # Near the minimum the decrease is smaller than the rounding error.
        decrease = 1e-4 * share[:, 0] * slope + 1e-12 * np.abs(start)
        high = cost(residual + share * step) > start + decrease
        if not high.any():
            break
        share[high] *= 0.5
    return share * step
