"""The time of a plan: that of the run, until a policy asks for another rate, and that of the run again."""

from __future__ import annotations

import pytest

from sim_core.control.handing_over import HandingOver
from sim_core.control.tracking.plan_clock import BACK_RATE, PlanClock

INTERVAL_S = 0.01


def run(clock: PlanClock, rate: float, first: int, last: int) -> float:
    """Ask for a rate in some intervals, and return the plan's time at the end of the last one [s]."""
    for tick in range(first, last):
        clock.read(tick * INTERVAL_S)
        clock.go(rate)
    return clock.read(last * INTERVAL_S)


def test_it_is_exactly_the_run_s_time_where_nothing_asks_for_more() -> None:
    assert run(PlanClock(), 1.0, 0, 500) == 500 * INTERVAL_S


@pytest.mark.parametrize("rate", [1.3, 0.0])
def test_it_gains_or_loses_and_comes_back_into_pace(rate: float) -> None:
    clock = PlanClock()
    off = (rate - 1.0) * 20 * INTERVAL_S
    assert run(clock, rate, 0, 20) == pytest.approx(20 * INTERVAL_S + off)
    back = round(abs(off) / BACK_RATE / INTERVAL_S)
    assert abs(run(clock, 1.0, 20, 20 + back // 2) - (20 + back // 2) * INTERVAL_S) > 0.4 * abs(off)
    assert run(clock, 1.0, 20 + back // 2, 20 + back + 2) == pytest.approx((20 + back + 2) * INTERVAL_S)


def test_plans_that_are_ahead_meet_later_within_their_samples() -> None:
    change = HandingOver(earlier=80, later=10)
    for lead, ahead in ((15, 15), (30, 19), (-20, -10)):
        led = change.led(lead, 19)
        assert (led.earlier, led.later, led.moved) == (80 + ahead, 10 + ahead, change.moved)
