"""The distance of a result from its source, on two joints with known turns."""

from __future__ import annotations

import numpy as np
import pytest

from sim_core.base import rotations
from sim_core.result.source_distance import distance_from_source

PARENT = np.array([-1, 0])


def test_a_turned_parent_counts_once_and_the_child_keeps_its_own_angle() -> None:
    frames = 4
    still = np.tile([1.0, 0.0, 0.0, 0.0], (frames, 2, 1))
    place = np.zeros((frames, 2, 3))
    turned, moved = still.copy(), place.copy()
    whole = rotations.from_vector(np.array([0.0, 0.0, np.radians(8.0)]))
    bent = rotations.from_vector(np.array([0.0, 0.0, np.radians(20.0)]))
    turned[2] = [whole, bent]  # the child turns by another 12 degrees against its parent
    moved[3, 0] = (0.0, 0.03, 0.04)
    found = distance_from_source(moved, turned, place, still, PARENT)
    assert found.worst_deg == pytest.approx(12.0)
    assert found.worst_angle == (2, 1)
    assert found.mean_deg == pytest.approx((8.0 + 12.0) / (2 * frames))
    assert found.worst_m == pytest.approx(0.05)
    assert found.worst_place == (3, 0)
    assert found.mean_m == pytest.approx(0.05 / (2 * frames))
