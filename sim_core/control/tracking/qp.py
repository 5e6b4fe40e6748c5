"""Box-constrained least squares: the problem, its solution, and who solves it."""

from __future__ import annotations

import time as clock
from dataclasses import dataclass
from typing import Protocol

import daqp
import numpy as np
from scipy import sparse

from ...base.conventions import FloatArray
from ...base.errors import SimulationError


@dataclass(frozen=True, eq=False)
class Problem:
    """Minimise x' H x / 2 + g' x with low <= x <= high."""

    hessian: FloatArray
    gradient: FloatArray
    low: FloatArray
    high: FloatArray


@dataclass(frozen=True, eq=False)
class Solution:
    """An answer, which can judge itself, and the time it took [s]."""

    problem: Problem
    x: FloatArray
    seconds: float

    @property
    def primal_residual(self) -> float:
        """How far x leaves its bounds."""
        return float(np.maximum(self.problem.low - self.x, self.x - self.problem.high).max(initial=0.0))

    @property
    def dual_residual(self) -> float:
        """How far x is from stationary: the slope may only push against active bounds."""
        problem = self.problem
        slope = problem.hessian @ self.x + problem.gradient
        projected = self.x - np.clip(self.x - slope, problem.low, problem.high)
        return float(np.abs(projected).max() / (1.0 + np.abs(problem.gradient).max()))

    def is_optimal(self, tolerance: float) -> bool:
        return self.primal_residual <= tolerance and self.dual_residual <= tolerance


class Solver(Protocol):
    def solve(self, problem: Problem, guess: FloatArray | None) -> Solution:
        """The minimiser; `guess` may speed it up."""
        ...


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
        return Solution(problem, np.asarray(x), clock.perf_counter() - started)


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
        return Solution(problem, x, clock.perf_counter() - started)


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
