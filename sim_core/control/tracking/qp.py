"""Quadratic programs with bounds on their variables, and the solvers for them."""

from __future__ import annotations

import contextlib
import io
from dataclasses import dataclass
from typing import Protocol

import daqp
import numpy as np
from scipy import sparse

from ...base.conventions import FloatArray
from ...base.errors import SimulationError


@dataclass(frozen=True, eq=False)
class BoxQP:
    """Minimise x' H x / 2 + g' x subject to low <= x <= high; H is positive definite."""

    hessian: FloatArray
    gradient: FloatArray
    low: FloatArray
    high: FloatArray

    def residual(self, x: FloatArray) -> float:
        """Return how far x is from optimal: zero at the minimum, and only there.

        It is the largest entry of x minus the projection of a gradient step onto the bounds, relative to
        1 + |g|; it counts both the distance from the bounds and the slope that no bound holds back.
        """
        slope = self.hessian @ x + self.gradient
        step = x - np.clip(x - slope, self.low, self.high)
        return float(np.abs(step).max() / (1.0 + np.abs(self.gradient).max()))


class Solver(Protocol):
    """Solves quadratic programs."""

    fallbacks: int
    """Programs so far that the solver could not solve itself and handed on to another one."""

    def solve(self, program: BoxQP, guess: FloatArray | None) -> FloatArray:
        """Return the minimiser, or raise SimulationError; a guess of it may save time."""
        ...


class Daqp:
    """Dual active-set method (Arnstrom, Bemporad, Axehill 2022); the default."""

    fallbacks = 0

    def solve(self, program: BoxQP, guess: FloatArray | None) -> FloatArray:
        """Return the minimiser, or raise SimulationError where the method does not converge."""
        rows = np.zeros((0, len(program.gradient)))
        x, _, flag, _ = daqp.solve(
            program.hessian, program.gradient, rows, program.high, program.low, primal_start=guess
        )
        if flag < 1:
            raise SimulationError(f"The solver DAQP gave up (status {flag}).")
        return np.asarray(x)


class Osqp:
    """Operator splitting (Stellato et al. 2020); slower, but it always returns a point within the bounds."""

    fallbacks = 0

    def solve(self, program: BoxQP, guess: FloatArray | None) -> FloatArray:
        """Return the minimiser, clipped to the bounds."""
        import osqp  # heavy to import, rarely needed

        solver = osqp.OSQP()
        solver.setup(
            sparse.csc_matrix(np.triu(program.hessian)),
            program.gradient,
            sparse.identity(len(program.gradient), format="csc"),
            program.low,
            program.high,
            verbose=False,
            eps_abs=1e-6,
            eps_rel=1e-6,
            max_iter=20000,
            polishing=True,
        )
        if guess is not None:
            solver.warm_start(x=guess)
        # It prints a line where no bound is active, verbose or not.
        with contextlib.redirect_stdout(io.StringIO()):
            found = solver.solve(raise_error=False).x
        x = np.clip(found, program.low, program.high)
        if not np.isfinite(x).all():
            raise SimulationError("The solver OSQP found no solution.")
        return np.asarray(x)


class FallbackSolver:
    """Solves by a first solver, and by a second one where the first gives up; counts those programs."""

    def __init__(self, first: Solver, second: Solver) -> None:
        self.first, self.second, self.fallbacks = first, second, 0

    def solve(self, program: BoxQP, guess: FloatArray | None) -> FloatArray:
        """Return the minimiser by the first solver that finds it."""
        try:
            return self.first.solve(program, guess)
        except SimulationError:
            self.fallbacks += 1
            return self.second.solve(program, None)
