"""Loops stay loops: cycles follow each other, and what is simulated ends as it began."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sim_core.bake.loop import OFFER, Loop, ends_match, loop_offer
from sim_core.bake.pipeline import bake
from sim_core.base import rotations
from sim_core.base.errors import InputError
from sim_core.motion.motion import Motion
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings
from sim_core.scene.scene import Push, Scene
from sim_core.sequence.cycle import Cycle
from tests.core.sample_motions import walk
from tests.core.sample_people import MAPPING, Performance, person, standing

SETTINGS = BakeSettings(loop=True, quality="draft", find_assist=False)


def nodding(seconds: float = 1.0, rate: float = 30.0) -> Motion:
    """A cycle of nods and of swinging arms, on the spot."""
    stand = standing(seconds, rate)
    wave = np.sin(2.0 * np.pi * (stand.time - stand.time[0]) / (stand.time[-1] - stand.time[0]))
    turns = {
        "head": np.outer(0.2 * wave, [0.0, 1.0, 0.0]),
        "upper_arm.L": np.outer(0.3 * wave, [0.0, 1.0, 0.0]),
        "upper_arm.R": np.outer(-0.3 * wave, [0.0, 1.0, 0.0]),
    }
    return person(Performance(stand.time, turns, stand.hips_offset))


def travelling() -> Motion:
    """The same, carried forwards and about the vertical, as a mocap loop goes on."""
    still = nodding()
    share = np.linspace(0.0, 1.0, len(still.time))
    turn = rotations.about_vertical(0.4 * share)[:, None]
    way = np.outer(share, [0.3, 0.1, 0.0])[:, None]
    return Motion(
        still.skeleton,
        still.time,
        rotations.rotate(turn, still.position_world) + way,
        rotations.multiply(turn, still.quaternion_world),
    )


def test_cycles_follow_each_other_without_a_jump() -> None:
    motion = travelling()
    cycle = Cycle.of(motion)
    unrolled, lead = cycle.unrolled(), cycle.lead * cycle.frames
    assert len(unrolled.time) == (cycle.lead + 2) * cycle.frames + 1
    np.testing.assert_allclose(unrolled.time[lead : lead + len(motion.time)], motion.time)
    own = slice(lead, lead + len(motion.time))
    np.testing.assert_allclose(unrolled.position_world[own], motion.position_world, atol=1e-9)
    steps = np.linalg.norm(np.diff(unrolled.position_world, axis=0), axis=-1)
    inside = np.linalg.norm(np.diff(motion.position_world, axis=0), axis=-1)
    assert steps.max() < 1.05 * inside.max()
    assert cycle.travel == pytest.approx([0.3, 0.1, 0.0], abs=1e-9)


def test_a_simulated_loop_has_matching_ends() -> None:
    motion = nodding()
    result = bake(Job(motion, MAPPING, SETTINGS))
    np.testing.assert_allclose(result.source_time, motion.time)
    place, turn = result.bone_position, result.bone_quaternion_world
    assert np.abs(place[-1] - place[0]).max() < 1e-6
    assert rotations.angle_between(turn[-1], turn[0]).max() < 1e-6
    # Speeds match as well: over the seam they change no more than anywhere else.
    over_seam = (place[1] - place[0]) - (place[-1] - place[-2])
    assert np.abs(over_seam).max() < 1.1 * np.abs(np.diff(place, n=2, axis=0)).max()
    gap = result.meta.loop
    assert gap is not None and 0.0 <= gap.gap_deg < 5.0
    assert gap.gap_mm < 30.0
    assert any("The loop was simulated 3 times" in note for note in result.meta.notes)
    assert len(result.control) == 0 and result.meta.mjb is None, "the inputs are those of three cycles"


def stride() -> Motion:
    """Two steps of a walk, from one moment to the same one a stride on, at 30 frames a second."""
    whole = person(walk(2.4).performance)
    time = 0.6 + np.arange(37) / 30.0  # steps of 0.6 s
    return whole.at(time)


def test_a_simulated_walk_stays_a_loop() -> None:
    motion = stride()
    result = bake(Job(motion, MAPPING, replace(SETTINGS, assist_cap=30.0)))
    cycle = Cycle.of(motion)
    place, turn = result.bone_position, result.bone_quaternion_world
    hips = result.bone_name.tolist().index("hips")
    assert cycle.travel[0] == pytest.approx(0.4, abs=0.01)  # each foot goes 0.4 m
    np.testing.assert_allclose(place[-1, hips] - place[0, hips], cycle.travel, atol=1e-6)
    assert np.abs(place[-1] - place[0] - cycle.travel).max() < 1e-6
    assert rotations.angle_between(turn[-1], turn[0]).max() < 1e-6
    # Over the seam speeds change no more than on the way.
    over_seam = (place[1] - place[0]) - (place[-1] - place[-2])
    assert np.abs(over_seam).max() <= np.abs(np.diff(place, n=2, axis=0)).max()
    assert result.meta.fell_at is None
    assert OFFER not in result.meta.notes


def test_ends_that_match_are_found_and_offered() -> None:
    motion = stride()
    assert ends_match(motion)
    assert ends_match(nodding())
    assert not ends_match(motion.between(0.0, 0.9))
    assert not ends_match(person(standing(1.0, 30.0)))  # a pose is no loop
    once = Scene((), (Push("chest", np.array([10.0, 0.0, 0.0]), 0.0, 0.1),))
    plain = replace(SETTINGS, loop=False)
    assert loop_offer(Job(motion, MAPPING, plain)) == (OFFER,)
    assert loop_offer(Job(motion, MAPPING, plain, once)) == ()
    assert loop_offer(Job(motion, MAPPING, SETTINGS)) == ()


def test_a_loop_that_is_not_simulated_passes_as_it_is() -> None:
    motion = nodding()
    result = bake(Job(motion, MAPPING, BakeSettings(loop=True, simulate=False)))
    np.testing.assert_allclose(result.source_time, motion.time)
    assert result.meta.loop is None


def test_what_is_no_loop_is_refused() -> None:
    half = nodding(1.0).between(0.0, 0.25)
    turned = half.quaternion_world.copy()
    turned[-1, 1:] = rotations.multiply(
        rotations.from_vector(np.outer(np.arange(1, turned.shape[1]), [0.3, 0.0, 0.0])), turned[-1, 1:]
    )
    with pytest.raises(InputError, match="no loop"):
        Cycle.of(Motion(half.skeleton, half.time, half.position_world, turned))
    push = Scene((), (Push("chest", np.array([10.0, 0.0, 0.0]), 0.0, 0.1),))
    with pytest.raises(InputError, match="happens once"):
        Loop.of(Job(nodding(), MAPPING, SETTINGS, push))
