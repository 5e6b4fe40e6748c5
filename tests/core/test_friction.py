"""The pyramid that stands for friction."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sim_core.conventions import FloatArray
from sim_core.dynamics.friction import pyramid

WEIGHTS = arrays(float, 4, elements=st.floats(0.0, 1e3))


def test_the_pyramid_leans_by_the_friction() -> None:
    edges = pyramid(0.5)
    assert np.allclose(edges[:, 2], 1.0)
    assert np.allclose(np.abs(edges[:, :2]).sum(axis=1), 0.5)
    assert np.allclose(edges.sum(axis=0), [0.0, 0.0, 4.0])


@given(weights=WEIGHTS, friction=st.floats(0.0, 2.0))
def test_every_force_of_the_pyramid_lies_in_the_cone(weights: FloatArray, friction: float) -> None:
    """The pyramid is inside the cone, so whatever is planned with it does not slip."""
    force = weights @ pyramid(friction)
    assert force[2] == pytest.approx(weights.sum())
    assert np.hypot(*force[:2]) <= friction * force[2] + 1e-9
