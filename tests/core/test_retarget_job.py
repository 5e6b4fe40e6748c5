"""What Blender and the child process exchange about a retargeting, and twins, still hands, moving places."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sim_core.base import rotations
from sim_core.base.errors import InputError
from sim_core.jobs.retarget_job import (
    RetargetJob,
    load_retarget_job,
    load_retarget_outcome,
    run_retarget,
    save_retarget_job,
)
from sim_core.motion.motion import Motion
from sim_core.recognition import BoneMapping
from sim_core.retarget.arms import palms
from sim_core.retarget.retarget import SAME_BODY, retarget
from sim_core.retarget.retarget_options import Feet, Reach, RetargetOptions
from sim_core.retarget.retarget_rig import make_retarget_rig
from sim_core.scenario.settings import BakeSettings
from sim_core.scene.scene import Role, Scene
from tests.core.sample_motions import punch, walk
from tests.core.sample_people import A_POSE, MAPPING, T_POSE, person, standing
from tests.core.test_terrain import box

CHILD = person(standing(), A_POSE, 3, 0.7).skeleton


def test_a_job_comes_back_from_its_file_as_it_was(tmp_path: Path) -> None:
    time = np.array([0.0, 1.0])
    reaches = (
        Reach("hand.L", np.ones(3), 0.5, 0.9),
        Reach("foot.R", np.zeros((2, 3)), 0.1, 0.2, time),
    )
    job = RetargetJob(
        person(walk(0.6).performance),
        MAPPING,
        CHILD,
        MAPPING,
        RetargetOptions(True, True, Feet.LOCK, False, True, reaches),
        Scene((box("floor", Role.GROUND, 0.0, -9.0, 9.0),)),
        BakeSettings(quality="draft"),
        "Kid",
    )
    save_retarget_job(job, tmp_path / "job.npz")
    read = load_retarget_job(tmp_path / "job.npz")
    assert (read.settings, read.name) == (job.settings, "Kid")
    assert replace(read.options, reaches=()) == replace(job.options, reaches=())
    for one, other in zip(read.options.reaches, reaches, strict=True):
        assert (one.slot, one.first_s, one.last_s) == (other.slot, other.first_s, other.last_s)
        np.testing.assert_array_equal(one.positions(time), other.positions(time))
    assert [thing.name for thing in read.scene.objects] == ["floor"]
    np.testing.assert_array_equal(read.target.rest_position_world, CHILD.rest_position_world)
    np.testing.assert_array_equal(read.motion.position_world, job.motion.position_world)


def test_an_outcome_has_the_motion_and_what_its_simulation_made_of_it(tmp_path: Path) -> None:
    job = RetargetJob(
        person(walk(0.6).performance),
        MAPPING,
        CHILD,
        MAPPING,
        RetargetOptions(),
        settings=BakeSettings(quality="draft", find_assist=False),
    )
    run_retarget([job], [tmp_path / "out.npz"])
    told = load_retarget_outcome(tmp_path / "out.npz")
    assert told.leg_ratio == pytest.approx(0.7, abs=0.01)
    assert set(told.turned_bones) >= {"thigh.L", "hand.R"}
    assert told.simulated is not None and told.simulated_metrics is not None
    assert set(told.simulated_metrics) == set(told.metrics)
    # A simulated body is near its motion and not exactly on it.
    assert 0.0 < told.simulated_metrics["legs_deg"] < told.metrics["legs_deg"] + 10.0
    assert told.simulated_metrics["legs_deg"] != told.metrics["legs_deg"]


def test_a_table_that_does_not_fit_names_whose_bones_they_are() -> None:
    lacking = BoneMapping("by hand", {s: b for s, b in MAPPING.bones.items() if s != "shin.L"})
    with pytest.raises(InputError, match="bones of the target: No bone is assigned to shin.L"):
        RetargetJob(person(standing()), MAPPING, CHILD, lacking, RetargetOptions())


def _turned(motion: Motion, degrees: float) -> Motion:
    """With another rest pose in the world, as an armature object that is turned has it."""
    turn = rotations.from_vector(np.array([0.0, 0.0, np.radians(degrees)]))
    skeleton = replace(
        motion.skeleton,
        rest_position_world=rotations.rotate(turn, motion.skeleton.rest_position_world),
        rest_quaternion_world=rotations.multiply(turn, motion.skeleton.rest_quaternion_world),
    )
    return Motion(skeleton, motion.time, motion.position_world, motion.quaternion_world)


def test_the_same_body_keeps_its_motion_with_all_that_skates_in_it() -> None:
    motion = person(walk().performance, A_POSE, 5)
    slide = np.arange(len(motion.time))[:, None, None] * [0.001, 0.0, 0.0]
    motion = Motion(motion.skeleton, motion.time, motion.position_world + slide, motion.quaternion_world)
    source = make_retarget_rig(motion.skeleton, MAPPING, motion)
    target = make_retarget_rig(_turned(motion, 90.0).skeleton, MAPPING)
    same = retarget(source, motion, target)
    assert SAME_BODY in same.notes
    np.testing.assert_allclose(same.motion.position_world, motion.position_world, atol=1e-6)
    angles = rotations.angle_between(same.motion.quaternion_world, motion.quaternion_world)
    assert np.degrees(angles).max() < 1e-3
    locked = retarget(source, motion, target, RetargetOptions(feet=Feet.LOCK))
    assert SAME_BODY not in locked.notes
    assert np.abs(locked.motion.position_world - motion.position_world).max() > 0.01


def test_a_hand_that_stays_in_the_source_stays_where_it_is() -> None:
    """It drifts with the body by 4 cm/s, which is slow enough to be at rest on something."""
    motion = person(punch(), T_POSE)
    source, target = make_retarget_rig(motion.skeleton, MAPPING, motion), make_retarget_rig(CHILD, MAPPING)
    drift = 0.04 * motion.time[:, None, None] * [1.0, 0.0, 0.0]
    slow = Motion(motion.skeleton, motion.time, motion.position_world + drift, motion.quaternion_world)
    still = slice(5, 20)

    def travel(hold: bool) -> float:
        wish = RetargetOptions(feet=Feet.FREE, hands=False, hold_hands=hold)
        return float(
            np.ptp(palms(target, retarget(source, slow, target, wish).motion, "R")[still], axis=0).max()
        )

    assert travel(hold=False) > 2e-3
    assert travel(hold=True) < 2e-4


def test_a_hand_follows_a_place_that_moves() -> None:
    motion = person(standing(2.0), T_POSE)
    target = make_retarget_rig(CHILD, MAPPING)
    rest = palms(
        target, retarget(make_retarget_rig(motion.skeleton, MAPPING, motion), motion, target).motion, "R"
    )[0]
    time = np.array([0.5, 1.5])
    places = np.array([rest + [0.05, 0.0, 0.0], rest + [0.05, 0.1, 0.05]])
    wish = RetargetOptions(reaches=(Reach("hand.R", places, 0.5, 1.5, time),))
    outcome = retarget(make_retarget_rig(motion.skeleton, MAPPING, motion), motion, target, wish)
    palm = palms(target, outcome.motion, "R")
    for at, place in zip(time, places, strict=True):
        sample = int(np.argmin(np.abs(motion.time - at)))
        assert np.linalg.norm(palm[sample] - place) < 0.02
