"""A wrong frame rate or size is seen by how the body falls and steps; everything else is left alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sim_core.bake.pipeline import bake
from sim_core.base.conventions import GRAVITY, FloatArray
from sim_core.motion.motion import Motion
from sim_core.reading.bvh_clip import AS_FOUND, ReadingChoices, read_bvh
from sim_core.reading.frame_rate import RateClaim
from sim_core.reading.pace_and_size import HEIGHT_M, PaceAndSize, at_rate, find_pace_and_size
from sim_core.recognition import recognise
from sim_core.scenario.job import Job
from sim_core.scenario.scenario import make_scenario
from sim_core.scenario.settings import BakeSettings
from sim_core.sources.motion_source import read_clip
from tests.core.sample_people import MAPPING, Performance, person, standing

TRUE_HZ = 60.0
FLIGHT_S = 0.5
WRONG_CLIPS = dict.fromkeys(("60_01", "61_03", "75_13", "87_03", "88_01", "88_06"), 60.0)
"""Captures whose motion contradicts the header's rate, with the rate that fits.

60_01 and 61_03 never leave the ground: their steps tell. 88_07, a cartwheel of 1.3 s, has neither.
"""
WALKS = ("02_01", "07_01", "08_01", "16_31", "35_01", "91_19", "104_28")


def jump(header_hz: float, scale: float = 1.0, held: float = 0.0) -> Motion:
    """A jump captured at TRUE_HZ, played at another rate; `held` bends its parabola as a hand would."""
    time = np.arange(round(1.5 * TRUE_HZ) + 1) / TRUE_HZ
    phase = np.clip((time - 0.5) / FLIGHT_S, 0.0, 1.0)
    height = 0.5 * GRAVITY * FLIGHT_S**2 * phase * (1.0 - phase)
    height += held * np.sin(3.0 * np.pi * phase) ** 2
    offset = np.stack([0.4 * phase, 0.0 * phase, height], axis=1)
    return person(Performance(time * TRUE_HZ / header_hz, {}, offset), scale=scale)


def found(motion: Motion, given_m: float | None = None) -> PaceAndSize:
    return find_pace_and_size(motion, MAPPING, given_m)


@pytest.mark.parametrize("header_hz", [TRUE_HZ, 50.0, 72.0])
def test_a_rate_that_is_right_or_nearly_right_is_left_alone(header_hz: float) -> None:
    reading = found(jump(header_hz))
    assert (reading.rate_hz, reading.moves_like_m, reading.notes) == (None, None, ())


@pytest.mark.parametrize("header_hz", [24.0, 30.0, 120.0, 240.0])
def test_the_true_rate_is_found(header_hz: float) -> None:
    reading = found(jump(header_hz))
    assert reading.rate_hz == TRUE_HZ
    (note,) = reading.notes
    assert f"60 frames a second instead of {header_hz:g}" in note
    # The jump is a parabola to rounding.
    assert f"{GRAVITY * (header_hz / TRUE_HZ) ** 2:.1f} m/s^2" in note


@pytest.mark.parametrize(
    ("scene_hz", "read_hz"), [(48.0, TRUE_HZ), (50.0, TRUE_HZ), (58.0, None), (TRUE_HZ, None)]
)
def test_an_import_that_took_over_no_rate_is_read_at_that_of_its_jump(
    scene_hz: float, read_hz: float | None
) -> None:
    """48 to 60 is as 24 to 30: too little for a header to be wrong, but a scene's rate is only a default."""
    imported = jump(scene_hz, scale=100.0)
    reading = find_pace_and_size(imported, MAPPING, None, RateClaim.IMPORTED)
    assert reading.rate_hz == read_hz and len(reading.notes) == (read_hz is not None)
    assert find_pace_and_size(imported, MAPPING, None, RateClaim.HEADER).rate_hz is None
    at_its_size = find_pace_and_size(jump(scene_hz), MAPPING, None, RateClaim.IMPORTED)
    assert at_its_size.rate_hz is None, "an importer that took over the size took over the rate as well"


def test_a_giant_that_jumps_like_a_person_moves_like_one() -> None:
    right = found(jump(TRUE_HZ)).height_m
    giant = found(jump(TRUE_HZ, scale=4.0))
    assert giant.height_m == pytest.approx(4.0 * right) and giant.height_m > HEIGHT_M[1]
    # Four times as tall falls four times as fast; at a quarter of the size it falls with gravity.
    assert giant.moves_like_m == pytest.approx(right, rel=1e-6)
    assert giant.rate_hz is None
    assert giant.notes == ()  # the bake tells it


def test_a_person_that_jumps_like_a_smaller_one_is_told_and_not_changed() -> None:
    right = found(jump(TRUE_HZ)).height_m
    taller = found(jump(TRUE_HZ, scale=1.9))
    assert taller.moves_like_m is None
    assert any(f"moves like a body of {right:.2f} m" in note for note in taller.notes)
    assert found(jump(TRUE_HZ, scale=1.9), given_m=right).notes == ()


@pytest.mark.parametrize("factor", [0.01, 100.0 / 1.6, 1.0 / (0.0254 / 0.45)])
def test_rigs_of_any_size_are_simulated_at_the_size_of_a_person(factor: float) -> None:
    motion = person(standing(1.0), scale=factor)
    reading = found(motion)
    assert reading.moves_like_m is not None and 1.2 <= reading.moves_like_m <= 2.3
    scenario = make_scenario(Job(motion, MAPPING, BakeSettings()))
    assert scenario.spec.height == pytest.approx(reading.moves_like_m)
    assert "Simulated as" in scenario.notes[0]
    # What is simulated is put back at the rig's own size.
    there = scenario.on_rig(scenario.motion.position_world, scenario.motion.time)
    assert there == pytest.approx(motion.position_world, rel=1e-9)


def test_a_body_that_is_held_tells_nothing() -> None:
    assert found(jump(120.0, held=0.2)).notes == ()


def test_standing_and_lying_with_the_feet_up_are_no_flights() -> None:
    assert found(person(standing(1.0))).notes == ()
    stand = standing(1.0)
    rise = np.clip((stand.time - 0.3) * 4.0, 0.0, 1.0)

    def about_y(angle: float) -> FloatArray:
        return np.outer(angle * rise, [0.0, 1.0, 0.0])

    lying = replace(
        stand,
        turns={"hips": about_y(-np.pi / 2), "thigh.L": about_y(-0.7), "thigh.R": about_y(-0.7)},
        hips_offset=np.outer(rise, [0.0, 0.0, -0.8]),
    )
    assert found(person(lying)).notes == ()


def test_a_bake_states_the_size_and_keeps_the_rig() -> None:
    motion = person(standing(0.5), scale=4.0)
    result = bake(Job(motion, MAPPING, BakeSettings(simulate=False, height=1.7)))
    assert result.meta.notes[0].startswith("Simulated as 1.70 m tall: the rig is ")
    assert np.array_equal(result.source_time, motion.time)
    column = list(motion.skeleton.names).index(str(result.bone_name[0]))
    assert result.bone_position[:, 0] == pytest.approx(motion.position_world[:, column], abs=1e-6)


def test_of_the_real_captures_only_the_wrong_ones_are_changed(shared_data: Path) -> None:
    for path in sorted((shared_data / "bvh" / "cmu").glob("*.bvh")):
        clip, header = read_clip(path, AS_FOUND), read_bvh(path).motion.rate_hz
        changed = None if abs(clip.motion.rate_hz - header) < 1e-6 else round(clip.motion.rate_hz, 6)
        assert changed == WRONG_CLIPS.get(path.stem), path.stem
        assert changed is None or any(f"at {changed:g} frames" in note for note in clip.notes)


@pytest.mark.parametrize("name", WALKS)
def test_walks_that_are_played_far_too_slowly_are_found(shared_data: Path, name: str) -> None:
    motion = read_bvh(shared_data / "bvh" / "cmu" / f"{name}.bvh").motion
    mapping = recognise(motion.skeleton)
    for header_hz in (24.0, 30.0):
        assert find_pace_and_size(at_rate(motion, header_hz), mapping).rate_hz == 120.0
    # At half the rate it could be a slow walk: then it is said, and the rate is kept.
    slow = find_pace_and_size(at_rate(motion, 60.0), mapping)
    (note,) = slow.notes
    assert slow.rate_hz == 120.0 or (slow.rate_hz is None and "may be 120" in note and "60 was kept" in note)


def test_a_given_rate_wins(shared_data: Path) -> None:
    clip = read_clip(shared_data / "bvh" / "cmu" / "61_03.bvh", ReadingChoices(fps=120.0))
    assert clip.motion.rate_hz == pytest.approx(120.0)
