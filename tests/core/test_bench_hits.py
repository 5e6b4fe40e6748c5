"""When a body that was hit is back: errors whose course is known."""

from __future__ import annotations

import numpy as np
import pytest

from bench.hits.trials import BACK, STEADY_S, _back_s

DT = 0.01
HIT_S, BEFORE = 1.0, 0.5


def error_that_is_back_after(seconds: float) -> np.ndarray:
    """Steady, ten times as large for some time from a hit on, then steady again [deg]."""
    time = np.arange(0.0, 4.0, DT)
    return np.where((time >= HIT_S - 1e-9) & (time < HIT_S + seconds - 1e-9), 10.0 * BEFORE, BEFORE)


@pytest.mark.parametrize("seconds", [0.2, 0.7])
def test_back_is_when_the_averaged_error_is_small(seconds: float) -> None:
    """The average over STEADY_S is below 1.5 x once less than a share (1.5 - 1) / 9 of it is in the hit."""
    late = STEADY_S * (1.0 - (BACK - 1.0) / 9.0)
    assert _back_s(error_that_is_back_after(seconds), HIT_S, BEFORE, DT) == pytest.approx(
        seconds + late, abs=DT
    )


def test_who_never_comes_back_says_so() -> None:
    assert _back_s(error_that_is_back_after(5.0), HIT_S, BEFORE, DT) == float("inf")


def test_from_a_later_hit_on_it_takes_less() -> None:
    error = error_that_is_back_after(0.7)
    first, last = (_back_s(error, at, BEFORE, DT) for at in (HIT_S, HIT_S + 0.4))
    assert first - last == pytest.approx(0.4, abs=DT)
