"""Solutions of many frames at once are those of scipy's non-negative least squares, frame by frame."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import nnls

from sim_core.dynamics.nonnegative_least_squares import solve_nonnegative, unconstrained_residual

RIDGE = 1e-2


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    count=st.integers(1, 40),
    size=st.sampled_from([0.01, 1.0, 100.0]),
    start=st.sampled_from(["nothing", "anything", "unconstrained"]),
)
def test_solutions_are_those_of_scipy(seed: int, count: int, size: float, start: str) -> None:
    rng = np.random.default_rng(seed)
    columns, needed = 0.3 * rng.normal(size=(5, 6, count)), size * rng.normal(size=(5, 6))
    columns[0] = 0.0  # nothing touches
    columns[1, :3] = np.abs(columns[1, :3])  # pushes go one way, as from a floor
    guesses = {
        "nothing": np.zeros((5, 6)),
        "anything": rng.normal(size=(5, 6)),
        "unconstrained": unconstrained_residual(columns, needed, RIDGE),
    }
    found = solve_nonnegative(columns, needed, RIDGE, guesses[start])
    for a, b, weights, left in zip(columns, needed, found.weights, found.residual, strict=True):
        padded = np.vstack([a, RIDGE * np.eye(count)])
        expected = nnls(padded, np.concatenate([b, np.zeros(count)]))[0]
        # The problem's curvature is at least ridge^2, and the slope at most 1e-10 of what is needed.
        assert weights == pytest.approx(expected, abs=1e-4 * (1.0 + np.abs(b).max()))
        assert left == pytest.approx(b - a @ expected, abs=1e-7 * (1.0 + np.abs(b).max()))


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_sensitivity_is_the_derivative_of_the_residual(seed: int) -> None:
    rng = np.random.default_rng(seed)
    columns, needed = 0.3 * rng.normal(size=(1, 6, 12)), rng.normal(size=(1, 6))
    found, direction = solve_nonnegative(columns, needed, RIDGE, np.zeros((1, 6))), rng.normal(size=(1, 6))
    # The forces change their active set only at some places; a small enough step rarely crosses one.
    pull = found.residual[0] @ columns[0]
    if np.abs(pull).min() < 1e-4:
        return
    ahead, back = (
        solve_nonnegative(columns, needed + sign * 1e-6 * direction, RIDGE, found.residual).residual
        for sign in (1.0, -1.0)
    )
    assert found.sensitivity[0] @ direction[0] == pytest.approx((ahead - back)[0] / 2e-6, abs=1e-4)


def test_without_bounds_the_residual_is_that_of_ridge_regression() -> None:
    rng = np.random.default_rng(2)
    matrix, target = rng.normal(size=(3, 6, 9)), rng.normal(size=(3, 6))
    for a, b, left in zip(matrix, target, unconstrained_residual(matrix, target, RIDGE), strict=True):
        weights = np.linalg.solve(a.T @ a + RIDGE**2 * np.eye(9), a.T @ b)
        assert left == pytest.approx(b - a @ weights, abs=1e-9)
