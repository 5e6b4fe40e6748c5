"""The QP solvers: they agree with each other and with answers known without them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim_core.base.conventions import FloatArray
from sim_core.base.errors import SimulationError
from sim_core.control.tracking.qp import BoxQP, Daqp, FallbackSolver, Osqp, Solver

SOLVERS: list[Solver] = [Daqp(), Osqp()]
TIGHT = 1e-6
"""DAQP's own tolerance, and what OSQP is asked for."""


def random_problem(seed: int, size: int, spread: float = 1.0) -> BoxQP:
    """Strictly convex; the smaller the spread of the box, the more bounds are active."""
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(size + 2, size))
    low = -spread * rng.uniform(size=size)
    return BoxQP(
        root.T @ root + 0.1 * np.eye(size),
        3.0 * rng.normal(size=size),
        low,
        low + 2.0 * spread * rng.uniform(size=size),
    )


def cost(problem: BoxQP, x: FloatArray) -> float:
    return float(0.5 * x @ problem.hessian @ x + problem.gradient @ x)


PROBLEMS = st.builds(
    random_problem,
    seed=st.integers(0, 10_000),
    size=st.integers(1, 25),
    spread=st.sampled_from([0.01, 0.3, 1.0, 100.0]),
)


@settings(max_examples=60, deadline=None)
@given(problem=PROBLEMS)
def test_both_solvers_find_the_same_minimum(problem: BoxQP) -> None:
    first, second = (solver.solve(problem, None) for solver in SOLVERS)
    for solution in (first, second):
        assert problem.residual(solution) < 100.0 * TIGHT
    # The Hessian's smallest eigenvalue is above 0.1: a slope of e moves the minimum by at most 10 e.
    scale = 1.0 + np.abs(problem.gradient).max()
    assert np.abs(first - second).max() < 10.0 * 200.0 * TIGHT * scale


@settings(max_examples=30, deadline=None)
@given(problem=PROBLEMS, seed=st.integers(0, 1000))
def test_no_point_of_the_box_is_better(problem: BoxQP, seed: int) -> None:
    best = Daqp().solve(problem, None)
    rng = np.random.default_rng(seed)
    for _ in range(20):
        toward = rng.uniform(problem.low, problem.high)
        other = best + rng.uniform() * (toward - best)
        assert cost(problem, other) >= cost(problem, best) - 1e-5 * (1.0 + abs(cost(problem, best)))


@pytest.mark.parametrize("solver", SOLVERS)
def test_without_active_bounds_it_is_a_linear_equation(solver: Solver) -> None:
    problem = random_problem(3, 8, spread=100.0)
    wide = BoxQP(problem.hessian, problem.gradient, np.full(8, -1e3), np.full(8, 1e3))
    expected = np.linalg.solve(problem.hessian, -problem.gradient)
    assert solver.solve(wide, None) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_diagonal_problem_is_clipped(solver: Solver) -> None:
    """Each variable on its own: -g / h, held within its bounds."""
    problem = BoxQP(
        np.diag([1.0, 2.0, 4.0]), np.array([-3.0, 1.0, 8.0]), -np.ones(3), np.array([1.0, 1.0, 1.0])
    )
    assert solver.solve(problem, None) == pytest.approx([1.0, -0.5, -1.0], abs=1e-5)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_guess_changes_nothing_but_the_time(solver: Solver) -> None:
    problem = random_problem(5, 12, spread=0.3)
    cold = solver.solve(problem, None)
    for guess in (cold, np.zeros(12)):
        assert solver.solve(problem, guess) == pytest.approx(cold, abs=1e-4)


def test_a_solver_prints_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    """Standard output is for figures; OSQP has something to say where no bound is active."""
    free = BoxQP(np.eye(2), np.ones(2), np.full(2, -9.0), np.full(2, 9.0))
    for solver in SOLVERS:
        assert solver.solve(free, None) == pytest.approx([-1.0, -1.0], abs=1e-5)
    assert capfd.readouterr().out == ""


@settings(max_examples=30, deadline=None)
@given(problem=PROBLEMS)
def test_the_residual_tells_the_minimum_from_a_point_outside_the_bounds(problem: BoxQP) -> None:
    right = Daqp().solve(problem, None)
    assert problem.residual(right) < 100.0 * TIGHT
    outside = right.copy()
    outside[0] = problem.high[0] + 0.5
    # The projection is back within the bounds, at least 0.5 away.
    assert problem.residual(outside) >= 0.5 / (1.0 + np.abs(problem.gradient).max()) - 1e-12


def test_a_point_inside_that_is_not_the_minimum_is_found_out() -> None:
    problem = random_problem(7, 6, spread=1.0)
    assert problem.residual(0.5 * (problem.low + problem.high)) > 1e-2


def test_a_slope_may_push_against_a_bound_but_not_away_from_it() -> None:
    problem = BoxQP(np.eye(1), np.array([-5.0]), np.array([0.0]), np.array([1.0]))
    assert problem.residual(np.array([1.0])) == 0.0
    assert problem.residual(np.array([0.0])) == pytest.approx(1.0 / 6.0)


def test_a_solver_that_cannot_says_so() -> None:
    crossed = BoxQP(np.eye(2), np.zeros(2), np.ones(2), -np.ones(2))
    with pytest.raises(SimulationError):
        Daqp().solve(crossed, None)


class Refuses:
    fallbacks = 0

    def solve(self, problem: BoxQP, guess: FloatArray | None) -> FloatArray:
        raise SimulationError("No.")


def test_the_second_solver_steps_in_and_is_counted() -> None:
    problem = random_problem(9, 5)
    expected = Daqp().solve(problem, None)
    solver = FallbackSolver(Refuses(), Osqp())
    for count in (1, 2):
        assert solver.solve(problem, expected) == pytest.approx(expected, abs=1e-4)
        assert solver.fallbacks == count


def test_the_second_solver_rests_while_the_first_works() -> None:
    solver = FallbackSolver(Daqp(), Refuses())
    solver.solve(random_problem(9, 5), None)
    assert solver.fallbacks == 0


def test_when_both_fail_the_simulation_hears_of_it() -> None:
    with pytest.raises(SimulationError):
        FallbackSolver(Refuses(), Refuses()).solve(random_problem(1, 3), None)
