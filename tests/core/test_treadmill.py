"""A walk in place is simulated as the walk that it is, and its bones stay in place."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sim_core.bake.loop import loop_of, same_speed_at_ends
from sim_core.bake.pipeline import bake
from sim_core.base import rotations
from sim_core.base.conventions import FloatArray
from sim_core.drawing.overlay_series import Ghost, series_of
from sim_core.motion.motion import Motion
from sim_core.result.result import Result
from sim_core.scenario.job import Job
from sim_core.scenario.scenario import make_scenario
from sim_core.scenario.settings import BakeSettings
from sim_core.scenario.several import make_scenarios
from sim_core.scenario.treadmill import Belt, find_belt
from sim_core.scene.scene import Role, Scene, SceneObject
from sim_core.scene.shapes import Box
from tests.core.sample_motions import walk
from tests.core.sample_people import MAPPING, person, standing

SPEED = 0.5
"""Each foot goes 0.6 m in a stride of 1.2 s [m/s]."""
SETTINGS = BakeSettings(quality="draft", find_assist=False, assist_cap=30.0, loop="off")


def walking() -> Motion:
    """Two strides, from one moment to the same one later, at 30 frames a second."""
    whole = person(walk(3.6, length=0.6).performance)
    return whole.at(0.6 + np.arange(73) / 30.0)


def in_place() -> Motion:
    """The same on a treadmill, turned so that it faces the left of the view."""
    motion = walking()
    passed = motion.time - motion.time[0]
    back = motion.moved(-np.outer(passed, [SPEED, 0.0, 0.0])[:, None])
    return back.moved(np.zeros(3), np.array([np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)]))


@pytest.fixture(scope="module")
def baked() -> Result:
    return bake(Job(in_place(), MAPPING, SETTINGS))


def belt_of(motion: Motion) -> Belt | None:
    job = Job(motion, MAPPING, SETTINGS)
    return find_belt(job, make_scenario(job))


def way_of_hips(result: Result, position: FloatArray) -> FloatArray:
    return np.asarray(position[-1, 0] - position[0, 0])


def test_the_belt_is_found_only_where_one_is() -> None:
    belt = belt_of(in_place())
    assert belt is not None
    np.testing.assert_allclose(belt.velocity, [0.0, -SPEED, 0.0], atol=0.02)
    assert belt_of(walking()) is None
    assert belt_of(person(standing(1.0))) is None


@pytest.mark.parametrize("scale", [0.01, 17.0])
def test_a_belt_is_found_at_any_unit_of_the_rig(scale: float) -> None:
    belt = belt_of(in_place().scaled(scale))
    assert belt is not None
    np.testing.assert_allclose(belt.velocity, [0.0, -scale * SPEED, 0.0], atol=0.02 * scale)
    (scenario,) = make_scenarios([Job(in_place().scaled(scale), MAPPING, SETTINGS)])
    told = next(note for note in scenario.notes if "treadmill" in note)
    assert f"at {np.linalg.norm(scenario.belt):.2f} m/s" in told, "at the size that is simulated"


def test_feet_that_hardly_slide_are_on_no_belt_in_a_rig_of_inches() -> None:
    quick = in_place().scaled(17.0)
    slow = Motion(quick.skeleton, 5.0 * quick.time, quick.position_world, quick.quaternion_world)
    assert belt_of(slow) is None


def test_it_walks_and_its_bones_stay(baked: Result) -> None:
    seconds = float(baked.time[-1] - baked.time[0])
    np.testing.assert_allclose(way_of_hips(baked, baked.joint_position)[1], SPEED * seconds, rtol=0.1)
    assert np.linalg.norm(way_of_hips(baked, baked.bone_position)[:2]) < 0.15 * SPEED * seconds
    assert baked.meta.fell_at is None
    assert any("as on a treadmill" in note for note in baked.meta.notes)


def test_forces_and_feet_are_those_of_the_walk(baked: Result) -> None:
    walked = bake(Job(walking(), MAPPING, SETTINGS)).meta.measured
    own = baked.meta.measured
    assert own.skate_cm_s < walked.skate_cm_s + 2.0, "of feet over a belt, not over the floor"
    assert own.joint_error_deg == pytest.approx(walked.joint_error_deg, abs=0.5)


def test_what_is_drawn_over_it_is_in_place_as_well(baked: Result) -> None:
    frame = np.arange(len(baked.source_time))
    nothing = Ghost(*(np.zeros(0, dtype=np.int64), np.zeros((len(frame), 0, 3))) * 2)
    shown = series_of(baked, frame, baked.source_time, 1.0, nothing)
    hips = baked.bone_position[:, baked.bone_name.tolist().index("hips")]
    apart = np.linalg.norm((shown.centre_of_mass - hips)[:, :2], axis=1)
    assert apart.max() < 0.15
    reach = np.linalg.norm(shown.contact_point[:, :2] - hips[0, :2], axis=1)
    assert reach.max() < 1.0, "feet under a body that stays"


def test_a_loop_in_place_is_a_loop_in_place() -> None:
    result = bake(Job(in_place(), MAPPING, replace(SETTINGS, loop="auto")))
    # As near as the ends of the clip itself.
    assert np.abs(result.bone_position[-1] - result.bone_position[0]).max() < 1e-4
    went = way_of_hips(result, result.joint_position)
    source = way_of_hips(result, result.source_joint_position)
    np.testing.assert_allclose(went[:2], source[:2], atol=1e-6)
    assert went[1] > 0.9 * SPEED * (result.time[-1] - result.time[0])


def test_a_walk_in_place_is_a_loop_even_if_a_joint_changes_its_speed_at_the_seam() -> None:
    motion = in_place()
    arm, share = motion.skeleton.index["upper_arm.L"], np.linspace(0.0, 1.0, len(motion.time))
    swing = rotations.from_vector(np.outer(20.0 * share * (1.0 - share) ** 2, [0.0, 1.0, 0.0]))
    turned = motion.quaternion_world.copy()
    turned[:, arm] = rotations.multiply(turned[:, arm], swing)
    kinked = Motion(motion.skeleton, motion.time, motion.position_world, turned)
    assert not same_speed_at_ends(kinked)
    assert loop_of([Job(kinked, MAPPING, replace(SETTINGS, loop="auto"))]) is not None


def test_a_larger_body_walks_faster_on_its_belt() -> None:
    job = Job(in_place(), MAPPING, SETTINGS)
    (own,), (large,) = (
        make_scenarios([job]),
        make_scenarios([replace(job, settings=replace(SETTINGS, height=3.0))]),
    )
    np.testing.assert_allclose(large.belt, large.scale / own.scale * own.belt, atol=1e-12)
    on_rig = large.on_rig(large.motion.position_world, large.motion.time)
    np.testing.assert_allclose(on_rig, in_place().position_world, atol=1e-9)


def test_things_that_wait_for_it_keep_it_where_it_is() -> None:
    block = SceneObject("block", Role.OBSTACLE, Box(np.full(3, 0.1)), np.array([2.0, 2.0, 0.1]))
    job = Job(in_place(), MAPPING, SETTINGS, Scene((block,)))
    (scenario,) = make_scenarios([job])
    assert not scenario.belt.any()
    np.testing.assert_allclose(scenario.motion.position_world, in_place().position_world)
    assert any("slide over the floor" in note for note in scenario.notes)
