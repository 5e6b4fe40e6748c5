"""The pyramid that stands for friction."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sim_core.base.conventions import FloatArray
from sim_core.dynamics.contact_forces import friction_pyramid, friction_pyramids

WEIGHTS = arrays(float, 4, elements=st.floats(0.0, 1e3))


def test_the_pyramid_leans_by_the_friction() -> None:
    edges = friction_pyramid(0.5)
    assert np.allclose(edges[:, 2], 1.0)
    assert np.allclose(np.abs(edges[:, :2]).sum(axis=1), 0.5)
    assert np.allclose(edges.sum(axis=0), [0.0, 0.0, 4.0])


@given(weights=WEIGHTS, friction=st.floats(0.0, 2.0))
def test_every_force_of_the_pyramid_lies_in_the_cone(weights: FloatArray, friction: float) -> None:
    """The pyramid is inside the cone, so whatever is planned with it does not slip."""
    force = weights @ friction_pyramid(friction)
    assert force[2] == pytest.approx(weights.sum())
    assert np.hypot(*force[:2]) <= friction * force[2] + 1e-9


def test_on_a_slope_the_pyramid_stands_on_its_normal() -> None:
    normals = np.array([[0.0, 0.0, 1.0], [0.6, 0.0, 0.8], [-0.28, 0.0, 0.96]])
    edges = friction_pyramids(0.5, normals)
    assert edges[0] == pytest.approx(friction_pyramid(0.5))
    for normal, mine in zip(normals, edges, strict=True):
        assert mine @ normal == pytest.approx(np.ones(4))
        assert np.linalg.norm(mine - normal, axis=1) == pytest.approx(np.full(4, 0.5))
        assert mine.sum(axis=0) == pytest.approx(4.0 * normal)
