"""The QP solvers: they agree with each other and with answers known without them, and judge themselves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim_core.base.conventions import FloatArray
from sim_core.base.errors import SimulationError
from sim_core.control.tracking.qp import Daqp, Osqp, Problem, Solution, Solver, WithFallback

SOLVERS: list[Solver] = [Daqp(), Osqp()]
TIGHT = 1e-6
"""DAQP's own tolerance, and what OSQP is asked for."""


def random_problem(seed: int, size: int, spread: float = 1.0) -> Problem:
    """Strictly convex; the smaller the spread of the box, the more bounds are active."""
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(size + 2, size))
    low = -spread * rng.uniform(size=size)
    return Problem(
        root.T @ root + 0.1 * np.eye(size),
        3.0 * rng.normal(size=size),
        low,
        low + 2.0 * spread * rng.uniform(size=size),
    )


def cost(problem: Problem, x: FloatArray) -> float:
    return float(0.5 * x @ problem.hessian @ x + problem.gradient @ x)


PROBLEMS = st.builds(
    random_problem,
    seed=st.integers(0, 10_000),
    size=st.integers(1, 25),
    spread=st.sampled_from([0.01, 0.3, 1.0, 100.0]),
)


@settings(max_examples=60, deadline=None)
@given(problem=PROBLEMS)
def test_both_solvers_find_the_same_minimum(problem: Problem) -> None:
    first, second = (solver.solve(problem, None) for solver in SOLVERS)
    for solution in (first, second):
        assert solution.is_optimal(100.0 * TIGHT)
        assert solution.seconds > 0.0
    # The Hessian's smallest eigenvalue is above 0.1: a slope of e moves the minimum by at most 10 e.
    scale = 1.0 + np.abs(problem.gradient).max()
    assert np.abs(first.x - second.x).max() < 10.0 * 200.0 * TIGHT * scale


@settings(max_examples=30, deadline=None)
@given(problem=PROBLEMS, seed=st.integers(0, 1000))
def test_no_point_of_the_box_is_better(problem: Problem, seed: int) -> None:
    best = Daqp().solve(problem, None).x
    rng = np.random.default_rng(seed)
    for _ in range(20):
        toward = rng.uniform(problem.low, problem.high)
        other = best + rng.uniform() * (toward - best)
        assert cost(problem, other) >= cost(problem, best) - 1e-5 * (1.0 + abs(cost(problem, best)))


@pytest.mark.parametrize("solver", SOLVERS)
def test_without_active_bounds_it_is_a_linear_equation(solver: Solver) -> None:
    problem = random_problem(3, 8, spread=100.0)
    wide = Problem(problem.hessian, problem.gradient, np.full(8, -1e3), np.full(8, 1e3))
    expected = np.linalg.solve(problem.hessian, -problem.gradient)
    assert solver.solve(wide, None).x == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_diagonal_problem_is_clipped(solver: Solver) -> None:
    """Each variable on its own: -g / h, held within its bounds."""
    problem = Problem(
        np.diag([1.0, 2.0, 4.0]), np.array([-3.0, 1.0, 8.0]), -np.ones(3), np.array([1.0, 1.0, 1.0])
    )
    assert solver.solve(problem, None).x == pytest.approx([1.0, -0.5, -1.0], abs=1e-5)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_guess_changes_nothing_but_the_time(solver: Solver) -> None:
    problem = random_problem(5, 12, spread=0.3)
    cold = solver.solve(problem, None)
    for guess in (cold.x, np.zeros(12)):
        assert solver.solve(problem, guess).x == pytest.approx(cold.x, abs=1e-4)


@settings(max_examples=30, deadline=None)
@given(problem=PROBLEMS)
def test_a_solution_judges_itself(problem: Problem) -> None:
    right = Daqp().solve(problem, None).x
    assert Solution(problem, right, 0.0).is_optimal(100.0 * TIGHT)
    outside = right.copy()
    outside[0] = problem.high[0] + 0.5
    assert Solution(problem, outside, 0.0).primal_residual == pytest.approx(0.5)
    assert not Solution(problem, outside, 0.0).is_optimal(0.4)


def test_a_point_inside_that_is_not_the_minimum_is_found_out() -> None:
    problem = random_problem(7, 6, spread=1.0)
    middle = 0.5 * (problem.low + problem.high)
    verdict = Solution(problem, middle, 0.0)
    assert verdict.primal_residual == 0.0
    assert verdict.dual_residual > 1e-2
    assert not verdict.is_optimal(1e-2)


def test_a_slope_may_push_against_a_bound_but_not_away_from_it() -> None:
    problem = Problem(np.eye(1), np.array([-5.0]), np.array([0.0]), np.array([1.0]))
    assert Solution(problem, np.array([1.0]), 0.0).dual_residual == 0.0
    assert Solution(problem, np.array([0.0]), 0.0).dual_residual > 0.1


def test_a_solver_that_cannot_says_so() -> None:
    crossed = Problem(np.eye(2), np.zeros(2), np.ones(2), -np.ones(2))
    with pytest.raises(SimulationError):
        Daqp().solve(crossed, None)


class Refuses:
    def solve(self, problem: Problem, guess: FloatArray | None) -> Solution:
        raise SimulationError("No.")


def test_the_second_solver_steps_in_and_is_counted() -> None:
    problem = random_problem(9, 5)
    expected = Daqp().solve(problem, None).x
    solver = WithFallback(Refuses(), Osqp())
    for count in (1, 2):
        assert solver.solve(problem, expected).x == pytest.approx(expected, abs=1e-4)
        assert solver.fallbacks == count


def test_the_second_solver_rests_while_the_first_works() -> None:
    solver = WithFallback(Daqp(), Refuses())
    solver.solve(random_problem(9, 5), None)
    assert solver.fallbacks == 0


def test_when_both_fail_the_simulation_hears_of_it() -> None:
    with pytest.raises(SimulationError):
        WithFallback(Refuses(), Refuses()).solve(random_problem(1, 3), None)
