"""Solutions of many frames at once are those of scipy's non-negative least squares, frame by frame."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import nnls

from sim_core.dynamics.nonnegative_least_squares import solve_nonnegative

RIDGE = 1e-2


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    count=st.integers(1, 40),
    size=st.sampled_from([0.01, 1.0, 100.0]),
    warm=st.booleans(),
)
def test_solutions_are_those_of_scipy(seed: int, count: int, size: float, warm: bool) -> None:
    rng = np.random.default_rng(seed)
    columns, needed = 0.3 * rng.normal(size=(5, 6, count)), size * rng.normal(size=(5, 6))
    columns[0] = 0.0  # nothing touches
    columns[1, :3] = np.abs(columns[1, :3])  # pushes go one way, as from a floor
    guess = rng.normal(size=(5, 6)) if warm else np.zeros((5, 6))
    found = solve_nonnegative(columns, needed, RIDGE, guess)
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
