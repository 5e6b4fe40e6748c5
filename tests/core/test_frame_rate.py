"""A wrong frame rate is seen by how fast the body falls; everything else is left alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sim_core.bake.pipeline import bake
from sim_core.base.conventions import GRAVITY, FloatArray
from sim_core.motion.bvh_reader import read_bvh
from sim_core.motion.motion import Motion
from sim_core.recognition import recognise
from sim_core.scenario.frame_rate import RateFinding, check_frame_rate
from sim_core.scenario.job import Job
from sim_core.scenario.scenario import Scenario, make_scenario
from sim_core.scenario.settings import BakeSettings
from tests.core.sample_people import MAPPING, Performance, person, standing

TRUE_HZ = 60.0
FLIGHT_S = 0.5
WRONG_CLIPS = {"75_13": 60.0, "87_03": 60.0, "88_06": 60.0}
"""Captures whose flights fall as at another rate than the header's, with that rate.

60_01 and 61_03 never leave the ground, and the flights of 88_01 and 88_07 are too short to tell.
"""


def job(motion: Motion) -> Job:
    return Job(motion, MAPPING, BakeSettings(simulate=False))


def scenario(motion: Motion) -> Scenario:
    return make_scenario(job(motion))


def jump(header_hz: float, scale: float = 1.0, held: float = 0.0) -> Motion:
    """A jump captured at TRUE_HZ, played at another rate; `held` bends its parabola as a hand would."""
    time = np.arange(round(1.5 * TRUE_HZ) + 1) / TRUE_HZ
    phase = np.clip((time - 0.5) / FLIGHT_S, 0.0, 1.0)
    height = 0.5 * GRAVITY * FLIGHT_S**2 * phase * (1.0 - phase)
    height += held * np.sin(3.0 * np.pi * phase) ** 2
    offset = np.stack([0.4 * phase, 0.0 * phase, height], axis=1)
    return person(Performance(time * TRUE_HZ / header_hz, {}, offset), scale=scale)


def found(motion: Motion) -> RateFinding:
    finding = check_frame_rate(scenario(motion))
    assert finding is not None
    return finding


@pytest.mark.parametrize("header_hz", [TRUE_HZ, 50.0, 72.0])
def test_a_rate_that_is_right_or_nearly_right_is_left_alone(header_hz: float) -> None:
    assert check_frame_rate(scenario(jump(header_hz))) is None


@pytest.mark.parametrize("header_hz", [24.0, 30.0, 120.0, 240.0])
def test_the_true_rate_is_found(header_hz: float) -> None:
    finding = found(jump(header_hz))
    # The jump is a parabola to rounding.
    assert finding.estimated_hz == pytest.approx(TRUE_HZ, rel=1e-6)
    assert finding.fall == pytest.approx(GRAVITY * (header_hz / TRUE_HZ) ** 2)
    assert finding.usual_hz == TRUE_HZ and finding.header_hz == pytest.approx(header_hz)
    assert finding.confident
    assert "--fps 60" in finding.message and f"not {header_hz:g}" in finding.message


def test_a_body_of_the_wrong_size_is_named_as_the_other_reason() -> None:
    finding = found(jump(TRUE_HZ, scale=4.0))
    assert not finding.confident
    # Four times as tall falls four times as fast, as if it were captured at 60 / sqrt(4) = 30 Hz.
    right = scenario(jump(TRUE_HZ)).spec.height
    assert finding.fitting_height == pytest.approx(right, rel=1e-6)
    assert f"--height {right:.2f}" in finding.message


def test_a_body_that_is_held_tells_nothing() -> None:
    assert check_frame_rate(scenario(jump(120.0, held=0.2))) is None


def test_standing_and_lying_with_the_feet_up_are_no_flights() -> None:
    assert check_frame_rate(scenario(person(standing(1.0)))) is None
    stand = standing(1.0)
    rise = np.clip((stand.time - 0.3) * 4.0, 0.0, 1.0)

    def about_y(angle: float) -> FloatArray:
        return np.outer(angle * rise, [0.0, 1.0, 0.0])

    lying = replace(
        stand,
        turns={"hips": about_y(-np.pi / 2), "thigh.L": about_y(-0.7), "thigh.R": about_y(-0.7)},
        hips_offset=np.outer(rise, [0.0, 0.0, -0.8]),
    )
    assert check_frame_rate(scenario(person(lying))) is None


def test_the_bake_says_it_and_changes_nothing() -> None:
    motion = jump(120.0)
    result = bake(job(motion))
    assert found(motion).message in result.meta.notes
    assert np.array_equal(result.source_time, motion.time)


def test_of_the_real_captures_only_the_wrong_ones_are_named(shared_data: Path) -> None:
    for path in sorted((shared_data / "bvh" / "cmu").glob("*.bvh")):
        motion = read_bvh(path).motion
        finding = check_frame_rate(make_scenario(Job(motion, recognise(motion.skeleton), BakeSettings())))
        assert (finding and finding.usual_hz) == WRONG_CLIPS.get(path.stem), path.stem
