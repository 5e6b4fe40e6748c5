"""The time left is what the pace says, and nothing while there is no pace."""

from __future__ import annotations

import pytest

from sim_core.base.progress import MIN_FRACTION, WINDOW_S, Progress, TimeLeft, describe_time_left


def estimate(
    left: TimeLeft, pace: float, seconds: int, start: float = 0.0, at_s: float = 0.0
) -> float | None:
    """Return the estimate after this time of a steady pace [1/s], with twenty updates a second."""
    found = None
    for k in range(20 * seconds + 1):
        found = left.update(Progress("Simulating", start + pace * k / 20), at_s + k / 20)
    return found


def test_a_steady_pace_is_foretold_exactly() -> None:
    assert estimate(TimeLeft(), 0.02, 10) == pytest.approx((1.0 - 0.2) / 0.02)


def test_nothing_is_said_before_it_means_something() -> None:
    assert estimate(TimeLeft(), 0.05, 1) is None
    assert estimate(TimeLeft(), 0.5 * MIN_FRACTION / WINDOW_S, 60) is None


def test_a_changed_pace_is_known_after_the_window() -> None:
    left = TimeLeft()
    estimate(left, 0.04, 10)
    slow = estimate(left, 0.005, int(WINDOW_S), start=0.4, at_s=10.0)
    assert slow == pytest.approx((1.0 - 0.45) / 0.005, rel=0.01)


def test_work_that_stands_still_takes_longer_and_longer() -> None:
    left = TimeLeft()
    estimate(left, 0.04, 10)
    found = [left.update(Progress("Simulating", 0.4), 10.0 + k) for k in range(1, 12)]
    known = [value for value in found if value is not None]
    assert known == sorted(known)
    assert known[0] > (1.0 - 0.4) / 0.04
    assert found[-1] is None


@pytest.mark.parametrize("after", [Progress("Simulating", 0.1), Progress("Writing the keys", 0.5)])
def test_another_attempt_and_another_stage_are_measured_anew(after: Progress) -> None:
    left = TimeLeft()
    assert estimate(left, 0.04, 10) is not None
    assert left.update(after, 10.1) is None


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (None, ""),
        (3.0, "a few seconds left"),
        (13.0, "about 15 s left"),
        (56.0, "about 55 s left"),
        (58.0, "about 1 min left"),
        (170.0, "about 3 min left"),
        (5400.0, "about 1.5 h left"),
    ],
)
def test_the_words_are_no_finer_than_the_knowledge(seconds: float | None, words: str) -> None:
    assert describe_time_left(seconds) == words
