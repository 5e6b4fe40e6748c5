"""Loops stay loops: cycles follow each other, and what is simulated ends as it began."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sim_core.bake.loop import Loop, loop_of, refusal_of, same_pose_at_ends, same_speed_at_ends
from sim_core.bake.pipeline import bake
from sim_core.base import rotations
from sim_core.base.conventions import IDENTITY_QUATERNION
from sim_core.base.errors import InputError
from sim_core.motion.motion import Motion
from sim_core.motion.skeleton import NO_PARENT, Skeleton
from sim_core.result.records import LoopGap
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings
from sim_core.scene.scene import Push, Scene
from sim_core.sequence.cycle import Cycle, close_cycle
from tests.core.sample_motions import walk
from tests.core.sample_people import MAPPING, Performance, person, standing

SETTINGS = BakeSettings(loop="on", quality="draft", find_assist=False)


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


AUTO = replace(SETTINGS, loop="auto")


def is_auto_loop(motion: Motion, **changes: Any) -> bool:
    return loop_of([replace(Job(motion, MAPPING, AUTO), **changes)]) is not None


def test_a_motion_that_closes_is_a_loop_by_itself() -> None:
    assert is_auto_loop(stride())
    assert is_auto_loop(nodding())
    assert not is_auto_loop(stride().between(0.0, 0.9))
    assert not is_auto_loop(person(standing(1.0, 30.0)))  # a pose is no loop


def test_what_happens_once_is_not_repeated_by_itself() -> None:
    push = Scene((), (Push("chest", np.array([10.0, 0.0, 0.0]), 0.0, 0.1),))
    assert not is_auto_loop(stride(), scene=push)
    for settings in (replace(AUTO, loop="off"), replace(AUTO, blend_in_s=0.2), replace(AUTO, simulate=False)):
        assert not is_auto_loop(stride(), settings=settings)
    jobs = [Job(stride(), MAPPING, AUTO)] * 2
    assert loop_of(jobs) is None
    with pytest.raises(InputError, match="simulated alone"):
        loop_of([replace(job, settings=SETTINGS) for job in jobs])


def blow() -> Motion:
    """A motion that starts at full speed and ends at rest, in the pose of its start."""
    motion = nodding()
    share = np.linspace(0.0, 1.0, len(motion.time))
    slowed = motion.at(motion.time[0] + (1.0 - (1.0 - share) ** 2) * motion.duration)
    return Motion(motion.skeleton, motion.time, slowed.position_world, slowed.quaternion_world)


def test_ends_of_equal_pose_and_other_speed_are_brought_together_without_a_repetition() -> None:
    motion = blow()
    assert same_pose_at_ends(motion, 0) and not same_speed_at_ends(motion)
    loop = loop_of([Job(motion, MAPPING, AUTO)])
    assert loop is not None and not loop.repeats
    result = bake(Job(motion, MAPPING, AUTO))
    place, turn = result.bone_position, result.bone_quaternion_world
    assert np.abs(place[-1] - place[0]).max() < 1e-6
    assert rotations.angle_between(turn[-1], turn[0]).max() < 1e-6
    once = bake(Job(motion, MAPPING, replace(AUTO, loop="off")))
    gap = result.meta.loop
    assert gap is not None and gap.cycles == 1
    apart = np.degrees(rotations.angle_between(once.bone_quaternion_world[-1], once.bone_quaternion_world[0]))
    assert gap.gap_deg > 0.1 and apart.max() > 0.1, "the simulation itself left a gap, which is told"
    assert any("simulated once, its ends were" in note for note in result.meta.notes)
    np.testing.assert_allclose(result.bone_position[0], once.bone_position[0], atol=1e-12)
    assert len(once.control) > 0 and len(result.control) == 0, "a run whose end was moved has no replay"


def test_an_end_that_came_to_lie_far_away_stays_there_and_that_is_told() -> None:
    motion = nodding()
    loop = Loop.of(Job(motion, MAPPING, AUTO), repeats=False)
    once = bake(loop.once())
    away = once.bone_position + np.linspace(0.0, 0.5, len(once.source_time))[:, None, None]
    far = loop.brought_back(replace(once, bone_position=away))
    np.testing.assert_array_equal(far.bone_position, away)
    assert far.meta.loop is None and "too far to be brought together" in far.meta.notes[-1]


def scaled_turns(motion: Motion, share: float) -> Motion:
    """The motion with a share of all its turns."""
    turn = rotations.to_vector(
        rotations.multiply(motion.quaternion_world, rotations.conjugate(motion.quaternion_world[:1]))
    )
    small = rotations.multiply(rotations.from_vector(share * turn), motion.quaternion_world[:1])
    return Motion(motion.skeleton, motion.time, motion.position_world, small)


def test_a_body_that_only_breathes_is_a_loop_if_it_ends_exactly_as_it_began() -> None:
    breathing = scaled_turns(nodding(), 0.3)  # 5 deg
    assert is_auto_loop(breathing)
    assert not is_auto_loop(with_gap(breathing, 1.5)), "a body that stands still ends near its start anyway"
    assert is_auto_loop(with_gap(nodding(), 1.5))
    assert not is_auto_loop(scaled_turns(nodding(), 0.05))


def with_gap(motion: Motion, degrees: float) -> Motion:
    """The motion with an upper arm that drifts away by an angle until its end."""
    arm = motion.skeleton.index["upper_arm.L"]
    drift = np.radians(degrees) * np.linspace(0.0, 1.0, len(motion.time))
    turned = motion.quaternion_world.copy()
    turned[:, arm] = rotations.multiply(
        turned[:, arm], rotations.from_vector(np.outer(drift, [0.0, 1.0, 0.0]))
    )
    return Motion(motion.skeleton, motion.time, motion.position_world, turned)


def test_a_small_gap_of_the_clip_is_spread_before_cycles_follow_each_other() -> None:
    motion = with_gap(nodding(), 1.0)
    closed = Cycle.of(motion).motion
    turn = closed.quaternion_world
    assert rotations.angle_between(turn[-1], turn[0]).max() < 1e-6
    assert np.degrees(rotations.angle_between(turn, motion.quaternion_world)).max() == pytest.approx(
        1.0, abs=0.01
    )
    unchanged = Cycle.of(nodding()).motion
    np.testing.assert_allclose(unchanged.position_world, nodding().position_world, atol=1e-9)


def test_bones_that_shift_in_their_parents_are_closed_as_well() -> None:
    """As those of a rig whose bones lie beside the joints that the simulation turns about."""
    motion = nodding()
    hand = motion.skeleton.index["hand.L"]
    shifted = motion.position_world.copy()
    shifted[:, hand] += np.outer(np.linspace(0.0, 0.03, len(motion.time)), [1.0, 0.0, 0.0])
    cycle = Cycle.of(motion)
    parents = motion.skeleton.parents
    closed = close_cycle(motion.time, shifted, motion.quaternion_world, parents, cycle)
    assert np.abs(closed.position[-1] - closed.position[0]).max() < 1e-9
    assert closed.gap_mm == pytest.approx(0.0, abs=1e-6), "the root's own"


def test_hips_below_a_bone_that_stays_carry_the_cycle() -> None:
    motion = travelling()
    skeleton = motion.skeleton
    above = Skeleton(
        ("root", *skeleton.names),
        np.append(NO_PARENT, np.where(skeleton.parents == NO_PARENT, 0, skeleton.parents + 1)),
        np.concatenate([np.zeros((1, 3)), skeleton.rest_position_world]),
        np.concatenate([[IDENTITY_QUATERNION], skeleton.rest_quaternion_world]),
    )
    still = np.zeros((len(motion.time), 1, 3))
    upright = np.tile(IDENTITY_QUATERNION, (len(motion.time), 1, 1))
    rooted = Motion(
        above,
        motion.time,
        np.concatenate([still, motion.position_world], axis=1),
        np.concatenate([upright, motion.quaternion_world], axis=1),
    )
    np.testing.assert_allclose(Cycle.of(rooted, 1).travel, Cycle.of(motion).travel, atol=1e-12)
    np.testing.assert_allclose(
        Cycle.of(rooted, 1).unrolled().position_world[:, 1:],
        Cycle.of(motion).unrolled().position_world,
        atol=1e-9,
    )


def test_a_loop_that_falls_is_refused_and_simulated_once() -> None:
    """Leaning back by 40 deg nobody stands, however often it is repeated."""
    motion = nodding()
    lean = np.array([np.cos(np.radians(-20.0)), 0.0, np.sin(np.radians(-20.0)), 0.0])
    fallen = motion.moved(np.zeros(3), lean)
    result = bake(Job(fallen, MAPPING, replace(AUTO, assist_cap=0.0)))
    assert result.meta.fell_at is not None and result.meta.loop is None
    assert any("repeated, it falls" in note for note in result.meta.notes)
    np.testing.assert_allclose(result.source_time, motion.time)
    assert len(result.control) > 0, "it is a run of its own, not a piece of the loop"


def test_ends_that_are_far_apart_are_not_spread() -> None:
    assert refusal_of(None, LoopGap(30.0, 250.0, 3), 0.9) == ""
    assert "30 deg and 34 cm apart" in refusal_of(None, LoopGap(30.0, 340.0, 3), 0.9)
    assert "50 deg and 0 cm apart" in refusal_of(None, LoopGap(50.0, 1.0, 3), 0.9)
    assert "too far to be brought together" in refusal_of(None, LoopGap(50.0, 1.0, 1), 0.9)
    assert refusal_of(None, LoopGap(30.0, 340.0, 3), 1.8) == "", "a giant's gap is larger"
    assert "falls" in refusal_of(1.0, None, 0.9)


def test_a_loop_that_is_not_simulated_passes_as_it_is() -> None:
    motion = nodding()
    result = bake(Job(motion, MAPPING, BakeSettings(loop="on", simulate=False)))
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
