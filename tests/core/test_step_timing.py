"""Times of planned steps: kept by whoever keeps to the plan, sooner for whoever must step far from it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sim_core.base.conventions import FloatArray
from sim_core.control.balance.centroidal_lqr import MOMENTUM, CentroidalGains
from sim_core.control.balance.step_timing import (
    FASTEST,
    FOLLOWED,
    HURRIED_AT,
    HURRIED_FROM,
    HURRIED_WEIGHT,
    LONGEST_SETTLING_S,
    LONGEST_WAIT_S,
    SETTLING_RATE,
    TURNING,
    StepTiming,
)
from sim_core.control.tracking.plan import TrackingPlan
from tests.core.sample_plans import DT, both_stand, glide_plan, one_step, seen

STEP = (100, 30, 60)
"""Samples of a plan, and of the lift and the touchdown in it."""
STILL, NOTHING = np.zeros((2, 2)), np.zeros(2)
HALF = 0.5 * (HURRIED_FROM + HURRIED_AT)
ERROR = np.eye(1, 16)[0]


def gains_of(plan: TrackingPlan, foothold_m: float) -> CentroidalGains:
    """Gains that ask for a foothold so far from its plan when the first number of the error is 1."""
    samples = len(plan)
    foothold = np.zeros((samples, 2, 2, 16))
    foothold[:, :, 0, 0] = foothold_m
    nothing = np.zeros((samples, 3))
    return CentroidalGains(
        np.zeros((samples, 6, 16)), foothold, np.full((samples, 2), 0.5), nothing, nothing
    )


def following(plan: TrackingPlan, foothold_m: float) -> StepTiming:
    """The times of a body that has followed its plan so far."""
    timing = StepTiming(plan, gains_of(plan, foothold_m))
    timing.rate(STEP[1], 0.0 * ERROR, NOTHING, STILL)
    return timing


@pytest.mark.parametrize(
    ("foothold_m", "hurry"),
    [(0.0, 0.0), (HURRIED_FROM, 0.0), (HALF, 0.5), (HURRIED_AT, 1.0), (1.0, 1.0)],
)
def test_the_clock_is_as_fast_as_the_foothold_is_far(foothold_m: float, hurry: float) -> None:
    plan = glide_plan(one_step(*STEP))
    timing = following(plan, foothold_m)
    rate = timing.rate(45, ERROR, NOTHING, STILL)
    assert rate == pytest.approx(1.0 + hurry * (FASTEST - 1.0))
    assert timing.swing == pytest.approx(1.0 + hurry * (HURRIED_WEIGHT - 1.0))


def test_a_body_that_takes_no_step_is_not_hurried() -> None:
    plan = glide_plan(both_stand(100))
    timing = StepTiming(plan, gains_of(plan, 1.0))
    assert {timing.rate(sample, ERROR, NOTHING, STILL) for sample in range(100)} == {1.0}


def test_a_body_that_starts_off_its_plan_is_not_hurried_before_it_has_come_back() -> None:
    """Nearer than a hurried step begins, but not yet on its plan, it may swing out again."""
    plan = glide_plan(one_step(*STEP))
    timing = StepTiming(plan, gains_of(plan, 1.0))
    for off in (1.0, 0.9 * HURRIED_FROM, 1.0):
        assert timing.rate(45, off * ERROR, NOTHING, STILL) == 1.0
    timing.rate(46, 0.9 * FOLLOWED * ERROR, NOTHING, STILL)
    assert timing.rate(47, ERROR, NOTHING, STILL) == FASTEST


def test_what_a_body_is_off_by_at_a_take_over_is_not_hurried_before_the_plan_was_followed() -> None:
    plan = glide_plan(one_step(*STEP))
    timing = StepTiming(plan, gains_of(plan, 1.0))
    timing.continue_from(StepTiming(plan, gains_of(plan, 1.0)), 0.0)
    assert timing.rate(45, ERROR, NOTHING, STILL) == 1.0
    assert timing.rate(46, 0.0 * ERROR, NOTHING, STILL) == 1.0  # it has come back to the plan
    assert timing.rate(47, ERROR, NOTHING, STILL) == FASTEST


def test_a_hurried_foot_is_waited_for_but_not_for_ever() -> None:
    """It has not landed when the plan has put it down; the clock stands, and then goes on without it."""
    plan = glide_plan(one_step(*STEP))
    timing = following(plan, 1.0)
    landing = STEP[2]
    timing.rate(landing - 1, ERROR, NOTHING, STILL)
    in_the_air = np.zeros(plan.schedule.touches.shape[1], dtype=bool)
    nothing_near = replace(seen(plan, landing), near=np.zeros(0, dtype=bool))
    rates = []
    for tick in range(2 * round(LONGEST_WAIT_S / DT)):
        timing.observe(landing, tick * DT, in_the_air, nothing_near)
        rates.append(timing.rate(landing, ERROR, NOTHING, STILL))
        if timing.late is None:
            break
    waited_s = rates.count(0.0) * DT
    assert LONGEST_WAIT_S <= waited_s <= LONGEST_WAIT_S + 2.0 * DT


def settling_rates(foothold_m: float, error: FloatArray, held: bool = True) -> list[float]:
    """Rates of the clock in each interval on both feet after a step to a foothold that far from its plan."""
    plan = glide_plan(one_step(*STEP))
    timing, landing = following(plan, foothold_m), STEP[2]
    on_ground = np.asarray(plan.schedule.touches[landing])
    near = replace(seen(plan, landing), near=np.ones(np.count_nonzero(on_ground), dtype=bool))
    rates = []
    for tick in range(2 * round(LONGEST_SETTLING_S / DT)):
        sample = landing - 1 if tick == 0 else landing
        timing.observe(sample, tick * DT, on_ground, near)
        timing.rate(sample, ERROR, NOTHING, STILL)
        rates.append(timing.settling_rate(sample, error, STILL, held))
    return rates[1:]


def test_two_feet_have_time_to_stop_a_body_that_turns_after_a_hurried_step() -> None:
    """But not for ever; and only while they can hold it."""
    turning = np.zeros(16)
    turning[MOMENTUM] = glide_plan(one_step(*STEP)).inertia[STEP[2]] @ [1.1 * TURNING, 0.0, 0.0]
    rates = settling_rates(1.0, turning)
    slow = round(LONGEST_SETTLING_S / DT)
    assert rates.count(SETTLING_RATE) == pytest.approx(slow, abs=1)
    assert set(rates[slow + 1 :]) == {FASTEST}
    assert set(settling_rates(1.0, turning, held=False)) == {FASTEST}
    assert set(settling_rates(1.0, 0.5 * turning)) == {FASTEST}, "it is at rest"
    assert set(settling_rates(0.0, turning)) == {FASTEST}, "the step was not hurried"
