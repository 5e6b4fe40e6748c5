"""The figures, slopes and turns of the speed benchmark; not the speed itself."""

from __future__ import annotations

import numpy as np
import pytest

from bench.speed.figures import Figure, least_seconds, slope
from bench.speed.ticks import rehearse
from sim_core.scenario.settings import BakeSettings
from tests.core.sample_people import MAPPING, person, standing


def test_a_figure_meets_its_bar_from_the_side_that_counts() -> None:
    assert Figure("ratio", 2.9, "x", 3.0).verdict == "met"
    assert Figure("ratio", 3.1, "x", 3.0).verdict == "MISSED"
    assert Figure("rate", 9.0, "frames/s", 8.0, at_least=True).verdict == "met"
    assert Figure("rate", 7.0, "frames/s", 8.0, at_least=True).verdict == "MISSED"
    assert Figure("rate", 7.0, "frames/s").verdict == Figure("rate", 7.0, "frames/s").bar_words == ""
    assert Figure("rate", 7.0, "frames/s", 8.0, at_least=True).bar_words == ">= 8"


@pytest.mark.parametrize("power", [0.0, 1.0, 1.5])
def test_the_slope_is_the_power_of_the_growth(power: float) -> None:
    sizes = np.array([1.0, 2.0, 4.0, 10.0])
    assert slope(sizes.tolist(), (0.3 * sizes**power).tolist()) == pytest.approx(power, abs=1e-9)


def test_works_are_timed_in_turns_and_the_least_counts() -> None:
    done: list[str] = []
    found = least_seconds({"a": lambda: done.append("a"), "b": lambda: done.append("b")}, 3)
    assert done == ["a", "b"] * 3 and set(found) == {"a", "b"} and min(found.values()) >= 0.0


def test_the_bare_engine_makes_the_steps_of_the_simulation(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its time is the measure of all others, so it must have the same contacts to solve."""
    monkeypatch.setattr("bench.speed.ticks.motion_of", lambda _: (person(standing(0.3)), MAPPING))
    rehearsal = rehearse("", BakeSettings(assist_cap=15.0))
    whole_s, trace = rehearsal.run()
    bare_s, off = rehearsal.bare(trace)
    assert off < 1e-12 and 0.0 < bare_s < whole_s
