"""Both solvers of quadratic programs, on one with a known answer."""

from __future__ import annotations

import numpy as np

from ..control.tracking.qp import Daqp, Osqp, Problem, Solver
from .check import REINSTALL, Check

# Without bounds the minimum of x'Hx/2 + g'x is (1, 1). With x1 <= 0.5 the first meets its bound, and the
# second follows from its own line: x1/2 + x2 = 3/2, so it is 1.25.
PROBLEM = Problem(
    np.array([[2.0, 0.5], [0.5, 1.0]]), np.array([-2.5, -1.5]), np.array([-9.0, -9.0]), np.array([0.5, 9.0])
)
ANSWER = np.array([0.5, 1.25])
TOLERANCE = 1e-4
"""OSQP is asked for 1e-6; ill scaling may cost two digits."""


def check_solvers() -> tuple[Check, ...]:
    solvers: dict[str, Solver] = {"solver DAQP": Daqp(), "solver OSQP": Osqp()}
    return tuple(_check(name, solver) for name, solver in solvers.items())


def _check(name: str, solver: Solver) -> Check:
    try:
        error = float(np.abs(solver.solve(PROBLEM, None).x - ANSWER).max())
    except Exception as problem:  # native code behind it
        return Check(name, False, f"it does not run ({type(problem).__name__}: {problem})", REINSTALL)
    return Check(name, error <= TOLERANCE, f"off its known answer by {error:.1e}", REINSTALL)
