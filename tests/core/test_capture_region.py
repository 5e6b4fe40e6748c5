"""How far off the plan the body may be: known answers, and a pendulum that shows both sides of the limit."""

from __future__ import annotations

import numpy as np
import pytest

from sim_core.base.conventions import GRAVITY, FloatArray
from sim_core.control.balance.capture_region import STEP, CaptureRegion
from sim_core.control.tracking.plan import TrackingPlan
from tests.core.sample_plans import (
    COM_HEIGHT,
    CORNERS,
    DT,
    both_stand,
    glide_plan,
    one_step,
    pressure_centre,
)

RATE = float(np.sqrt(GRAVITY / COM_HEIGHT))
STILL = np.zeros((2, 2))
AHEAD, LEFT = np.array([1.0, 0.0]), np.array([0.0, 1.0])
TO_TOES = float(np.ptp(CORNERS[:, 0])) / 2.0
"""From the middle of the soles, where a standing body has its pressure [m]."""


def region_of(plan: TrackingPlan) -> CaptureRegion:
    return CaptureRegion(plan, pressure_centre(plan))


@pytest.mark.parametrize("direction", [AHEAD, -AHEAD, LEFT, -LEFT])
def test_who_stands_for_ever_can_hold_what_lies_above_the_soles(direction: FloatArray) -> None:
    edge = TO_TOES if direction[0] else 0.14  # the outer side of a sole 8 cm wide, 10 cm from the middle
    for sample in (0, 50, 99):
        held = region_of(glide_plan(both_stand(100))).extent(sample, direction, STILL, RATE)
        assert held == pytest.approx(edge)


def test_feet_that_were_moved_take_their_room_along() -> None:
    moved = np.tile([0.1, 0.0], (2, 1))
    held = region_of(glide_plan(both_stand(100))).extent(0, AHEAD, moved, RATE)
    assert held == pytest.approx(TO_TOES + 0.1)


def test_a_foot_that_will_be_lifted_counts_for_less_the_sooner_it_is() -> None:
    """The left foot goes: to the left there is then only the right one's sole."""
    held = [
        region_of(glide_plan(one_step(300, lift, 290, foot=0))).extent(0, LEFT, STILL, RATE)
        for lift in (100, 60, 20)
    ]
    assert held[0] > held[1] > held[2]


def brought_back(plan: TrackingPlan, error: float, touchdown: int) -> float:
    """What is left of an error ahead at the touchdown, with pressure at the toes from sample 0 on."""
    for _ in range(touchdown):
        error = TO_TOES + (error - TO_TOES) * np.exp(RATE * DT)
    return float(error)


@pytest.mark.parametrize("touchdown", [20, 50, 80])
def test_at_the_limit_the_step_just_reaches(touchdown: int) -> None:
    plan = glide_plan(one_step(300, 5, touchdown))
    held = region_of(plan).extent(0, AHEAD, STILL, RATE)
    assert brought_back(plan, held, touchdown) == pytest.approx(TO_TOES + STEP, rel=1e-6)


def test_a_step_is_seen_from_the_foot_that_stands() -> None:
    plan, shift = glide_plan(one_step(300, 5, 50)), np.array([[0.1, 0.0], [0.0, 0.0]])
    more = region_of(plan).extent(5, AHEAD, shift, RATE) - region_of(plan).extent(5, AHEAD, STILL, RATE)
    assert more == pytest.approx(0.1)
