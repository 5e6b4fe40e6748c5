"""Box-constrained least squares: the problem, its solution, and who solves it."""

from __future__ import annotations

import time as clock
from dataclasses import dataclass
from typing import Protocol

import daqp
import numpy as np
from scipy import sparse

from ...conventions import FloatArray
from ...errors import SimulationError


@dataclass(frozen=True, eq=False)
class Problem:
    """Minimise x' H x / 2 + g' x with low <= x <= high."""

    hessian: FloatArray
    gradient: FloatArray
    low: FloatArray
    high: FloatArray


@dataclass(frozen=True, eq=False)
class Solution:
    """x, how far it leaves its bounds, how far it is from stationary, and the time it took [s]."""

    x: FloatArray
    primal_residual: float
    dual_residual: float
    seconds: float

    def is_optimal(self, tolerance: float) -> bool:
        return self.primal_residual <= tolerance and self.dual_residual <= tolerance


class Solver(Protocol):
    def solve(self, problem: Problem, guess: FloatArray | None) -> Solution:
        """The minimiser; `guess` may speed it up."""
        ...


def judge(problem: Problem, x: FloatArray, seconds: float) -> Solution:
    """A solution with its residuals: the gradient may only push against active bounds."""
    outside = np.maximum(problem.low - x, x - problem.high).max(initial=0.0)
    slope = problem.hessian @ x + problem.gradient
    projected = x - np.clip(x - slope, problem.low, problem.high)
    scale = 1.0 + np.abs(problem.gradient).max()
    return Solution(x, float(max(outside, 0.0)), float(np.abs(projected).max() / scale), seconds)


class Daqp:
    """Dual active set; the default."""

    def solve(self, problem: Problem, guess: FloatArray | None) -> Solution:
        started = clock.perf_counter()
        rows = np.zeros((0, len(problem.gradient)))
        x, _, flag, _ = daqp.solve(
            problem.hessian, problem.gradient, rows, problem.high, problem.low, primal_start=guess
        )
        if flag < 1:
            raise SimulationError(f"The solver DAQP gave up (status {flag}).")
        return judge(problem, np.asarray(x), clock.perf_counter() - started)


class Osqp:
    """Operator splitting; slower, but it never gives up."""

    def solve(self, problem: Problem, guess: FloatArray | None) -> Solution:
        import osqp  # heavy to import, rarely needed

        started = clock.perf_counter()
        solver = osqp.OSQP()
        solver.setup(
            sparse.csc_matrix(np.triu(problem.hessian)),
            problem.gradient,
            sparse.identity(len(problem.gradient), format="csc"),
            problem.low,
            problem.high,
            verbose=False,
            eps_abs=1e-6,
            eps_rel=1e-6,
            max_iter=20000,
            polishing=True,
        )
        if guess is not None:
            solver.warm_start(x=guess)
        x = np.clip(solver.solve(raise_error=False).x, problem.low, problem.high)
        if not np.isfinite(x).all():
            raise SimulationError("The solver OSQP found no solution.")
        return judge(problem, x, clock.perf_counter() - started)


class WithFallback:
    """The first solver, or the second when the first one fails."""

    def __init__(self, first: Solver, second: Solver) -> None:
        self.first, self.second, self.fallbacks = first, second, 0

    def solve(self, problem: Problem, guess: FloatArray | None) -> Solution:
        try:
            return self.first.solve(problem, guess)
        except SimulationError:
            self.fallbacks += 1
            return self.second.solve(problem, None)
