"""Legs that pass each other on a bent path: a swing goes around the leg that stands; nothing else changes."""

from __future__ import annotations

import numpy as np
import pytest

from sim_core.base.conventions import FloatArray
from sim_core.reference.footsteps import SourceStep
from sim_core.reference.passing_legs import BESIDE, WalkingFeet, keep_legs_apart

SAMPLES, LIFT, LAND = 60, 10, 50
STEP_M, WIDTH_M = 0.6, 0.2
LEFT = np.tile([0.0, 1.0, 0.0], (SAMPLES, 1))
CORNERS = np.zeros((4, 3))
STEPS = [
    SourceStep(0, SAMPLES, 0, CORNERS, np.array([1.0, 0.0, 0.0])),
    SourceStep(0, LIFT, 1, CORNERS, np.array([1.0, 0.0, 0.0])),
    SourceStep(LAND, SAMPLES, 1, CORNERS, np.array([1.0, 0.0, 0.0])),
]


def step_past(across_m: FloatArray) -> FloatArray:
    """The left foot stands; the right one, so far to its right (T), goes a step ahead past it."""
    feet = np.zeros((SAMPLES, 2, 3))
    share = np.clip((np.arange(SAMPLES) + 0.5 - LIFT) / (LAND - LIFT), 0.0, 1.0)
    feet[:, 1, 0] = STEP_M * (share - 0.5)
    feet[:, 1, 1] = -across_m
    return feet


def bent_apart(
    source: FloatArray, bent: FloatArray, left: FloatArray = LEFT, size: float = 1.0
) -> FloatArray:
    return keep_legs_apart(STEPS, WalkingFeet(source, LEFT), WalkingFeet(bent, left), size)


def usual() -> FloatArray:
    return step_past(np.full(SAMPLES, WIDTH_M))


@pytest.mark.parametrize("size", [0.6, 1.0, 1.5])
def test_a_swing_through_the_leg_that_stands_goes_around_it(size: float) -> None:
    """Half way, where the feet are beside each other, a straight way would be 2 cm beside the foot."""
    source = size * usual()
    bent = size * step_past(np.interp(np.arange(SAMPLES), [LIFT, 30, LAND], [WIDTH_M, 0.02, WIDTH_M]))
    feet = bent_apart(source, bent, size=size)
    middle = (LIFT + LAND) // 2
    assert -feet[middle, 1, 1] >= size * BESIDE - 1e-9
    assert np.abs(np.diff(feet[:, 1, 1], 2)).max() < 2.0 * np.abs(np.diff(bent[:, 1, 1], 2)).max()


def test_feet_that_stand_and_heights_are_kept() -> None:
    bent = step_past(np.full(SAMPLES, 0.0))
    feet = bent_apart(usual(), bent)
    np.testing.assert_array_equal(feet[:, 0], bent[:, 0])
    np.testing.assert_array_equal(feet[:LIFT], bent[:LIFT])
    np.testing.assert_array_equal(feet[LAND:], bent[LAND:])
    np.testing.assert_array_equal(feet[..., [0, 2]], bent[..., [0, 2]])
    assert np.abs(feet - bent).max() > 0.1


@pytest.mark.parametrize("width_m", [0.05, WIDTH_M])
def test_a_walk_that_is_not_bent_is_kept_however_narrow_it_is(width_m: float) -> None:
    feet = step_past(np.full(SAMPLES, width_m))
    np.testing.assert_array_equal(bent_apart(feet, feet), feet)


def test_what_is_outwards_follows_the_body() -> None:
    """The same walk, turned by a quarter: everything turns with it."""
    quarter = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    bent = step_past(np.full(SAMPLES, 0.0))
    feet = bent_apart(usual(), bent)
    turned = bent_apart(usual(), bent @ quarter.T, LEFT @ quarter.T)
    np.testing.assert_allclose(turned, feet @ quarter.T, atol=1e-12)
