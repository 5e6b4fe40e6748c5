"""Non-negative least squares for many frames at once, as they are needed to find ground forces.

For each frame: minimise |target - matrix w|^2 + ridge^2 |w|^2 over weights w >= 0. The residual
y = target - matrix w has fewer entries than w, which follows from it: w = max(0, matrix' y) / ridge^2.
So Newton's method looks for y, which minimises the smooth convex function
|y|^2 / 2 + |max(0, matrix' y)|^2 / (2 ridge^2) - target' y.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..base.conventions import FloatArray

TOLERANCE = 1e-10
"""Largest gradient at a solution, relative to the target."""
ITERATIONS = 100


@dataclass(frozen=True, eq=False)
class NonnegativeSolution:
    """The solution of T problems with a matrix (T, m, n) and a ridge; residual (T, m): target - matrix w."""

    matrix: FloatArray
    ridge: float
    residual: FloatArray

    @cached_property
    def weights(self) -> FloatArray:
        """The weights (T, n)."""
        return np.maximum(0.0, _transposed_product(self.matrix, self.residual)) / self.ridge**2

    @cached_property
    def sensitivity(self) -> FloatArray:
        """Derivative of the residual with respect to the target (T, m, m)."""
        product = _transposed_product(self.matrix, self.residual)
        return np.linalg.inv(_hessian(self.matrix, product, self.ridge))


def solve_nonnegative(
    matrix: FloatArray, target: FloatArray, ridge: float, guess: FloatArray
) -> NonnegativeSolution:
    """Solve for T frames with matrix (T, m, n) and target (T, m), from a guess (T, m) of the residual."""
    residual, unsolved, rows = guess.copy(), np.arange(len(target)), matrix
    for _ in range(ITERATIONS):
        wanted, found = target[unsolved], residual[unsolved]
        product = _transposed_product(rows, found)
        gradient = found - wanted + (rows @ np.maximum(0.0, product)[..., None])[..., 0] / ridge**2
        beyond = np.abs(gradient).max(axis=1) > TOLERANCE * (1.0 + np.abs(wanted).max(axis=1))
        if not beyond.any():
            break
        if not beyond.all():
            unsolved, rows, wanted, found = unsolved[beyond], rows[beyond], wanted[beyond], found[beyond]
            product, gradient = product[beyond], gradient[beyond]
        step = -np.linalg.solve(_hessian(rows, product, ridge), gradient[..., None])[..., 0]
        along = _transposed_product(rows, step)
        residual[unsolved] += _line_search(wanted, found, step, product, along, gradient, ridge)
    return NonnegativeSolution(matrix, ridge, residual)


def unconstrained_residual(matrix: FloatArray, target: FloatArray, ridge: float) -> FloatArray:
    """Return the residual (T, m) for weights that may be negative, a good guess of that for others."""
    hessian = np.eye(matrix.shape[1]) + matrix @ matrix.swapaxes(1, 2) / ridge**2
    return np.asarray(np.linalg.solve(hessian, target[..., None])[..., 0])


def _transposed_product(matrix: FloatArray, residual: FloatArray) -> FloatArray:
    """Return matrix' y (T, n)."""
    return np.asarray((residual[:, None, :] @ matrix)[:, 0])


def _hessian(matrix: FloatArray, product: FloatArray, ridge: float) -> FloatArray:
    """Return the Hessian (T, m, m) of the function that is minimised; product (T, n): matrix' y."""
    active = matrix * (product > 0.0).astype(np.float64)[:, None, :]
    hessian = active @ matrix.swapaxes(1, 2)
    hessian /= ridge**2
    hessian += np.eye(matrix.shape[1])
    return np.asarray(hessian)


def _line_search(
    target: FloatArray,
    residual: FloatArray,
    step: FloatArray,
    product: FloatArray,
    along: FloatArray,
    gradient: FloatArray,
    ridge: float,
) -> FloatArray:
    """Return the step, halved in each frame until the cost decreases there enough (Armijo).

    product, along (T, n): matrix' times the residual, and times the step
    """
    share, high = np.ones((len(residual), 1)), np.arange(len(residual))
    start, slope = _cost(target, residual, product, ridge), (gradient * step).sum(axis=1)
    cost = _cost(target, residual + step, product + along, ridge)
    for _ in range(30):
        # Near the minimum the decrease is smaller than the rounding error.
        decrease = 1e-4 * share[high, 0] * slope[high] + 1e-12 * np.abs(start[high])
        high = high[cost > start[high] + decrease]
        if not len(high):
            break
        share[high] *= 0.5
        less = residual[high] + share[high] * step[high]
        cost = _cost(target[high], less, product[high] + share[high] * along[high], ridge)
    return share * step


def _cost(target: FloatArray, residual: FloatArray, product: FloatArray, ridge: float) -> FloatArray:
    """Return the function that is minimised (T); product (T, n): matrix' times the residual."""
    positive = np.maximum(0.0, product)
    own = 0.5 * (residual * residual).sum(axis=1) - (target * residual).sum(axis=1)
    return np.asarray(own + 0.5 * (positive * positive).sum(axis=1) / ridge**2)
