"""Samples that no body can do: found, repaired, recorded, and nothing else touched."""

from __future__ import annotations

import numpy as np
import pytest

from sim_core.base import rotations
from sim_core.base.conventions import FloatArray
from sim_core.character.binding import RigBinding, bind
from sim_core.character.from_rig import segment_rotations
from sim_core.character.joint_repair import LONGEST_S, repair_motion
from sim_core.motion.motion import Motion
from sim_core.result.records import JointRepair
from tests.core.sample_people import MAPPING, T_POSE, Performance, moving, person

HALF_TURN_ABOUT_LIMB = np.array([0.0, 0.0, 0.0, 1.0])
FIRST, LAST = 60, 66


def turned(motion: Motion, bone: str, turn: FloatArray, samples: slice) -> Motion:
    """The motion with a bone, and all below it, turned in its own axes at some samples."""
    quaternions = motion.quaternion_world.copy()
    index = motion.skeleton.index[bone]
    own = quaternions[samples, index]
    change = rotations.multiply(rotations.multiply(own, turn), rotations.conjugate(own))
    for below in [index, *motion.skeleton.descendants(index)]:
        quaternions[samples, below] = rotations.multiply(change, quaternions[samples, below])
    return Motion(motion.skeleton, motion.time, motion.position_world, quaternions)


def errors_deg(binding: RigBinding, one: Motion, other: Motion) -> FloatArray:
    """Angles between the segments of two motions (T, S) [deg]."""
    pair = [segment_rotations(binding, each) for each in (one, other)]
    return np.degrees(rotations.angle_between(pair[0], pair[1]))


@pytest.fixture(scope="module")
def motion() -> Motion:
    return person(moving(2.0, 120.0))


@pytest.fixture(scope="module")
def binding(motion: Motion) -> RigBinding:
    return bind(motion.skeleton, MAPPING)


def test_a_possible_motion_is_returned_as_it_is(motion: Motion, binding: RigBinding) -> None:
    repaired = repair_motion(binding, motion)
    assert repaired.motion is motion and repaired.repairs == () and repaired.notes == ()


def test_a_thigh_that_flips_and_flips_back_is_interpolated(motion: Motion, binding: RigBinding) -> None:
    """Half a turn about the thigh for six samples, in which the motion is nearly a straight line."""
    broken = turned(motion, "thigh.R", HALF_TURN_ABOUT_LIMB, slice(FIRST, LAST))
    repaired = repair_motion(binding, broken)
    assert errors_deg(binding, broken, motion).max() > 170.0
    assert errors_deg(binding, repaired.motion, motion).max() < 1.0
    (record,) = repaired.repairs
    assert (record.bone, record.samples, record.of_samples) == ("thigh.R", LAST - FIRST, len(motion.time))
    assert record.first_s == pytest.approx(motion.time[FIRST] - motion.time[0])
    assert record.max_deg == pytest.approx(180.0, abs=1.0)
    assert "'thigh.R'" in repaired.notes[0] and f"in {LAST - FIRST} of" in repaired.notes[0]


def test_what_stays_away_for_longer_is_left_alone(motion: Motion, binding: RigBinding) -> None:
    samples = slice(FIRST, FIRST + 2 + round(LONGEST_S * motion.rate_hz))
    kept = turned(motion, "thigh.R", HALF_TURN_ABOUT_LIMB, samples)
    assert repair_motion(binding, kept).motion is kept


def test_a_fast_kick_is_left_alone(binding: RigBinding) -> None:
    """A knee that extends and bends at 2000 deg/s, as in a kick, at 120 Hz."""
    time = np.arange(121) / 120.0
    angle = np.interp(time, [0.4, 0.445, 0.49], [np.radians(90.0), 0.0, np.radians(90.0)])
    bent = np.outer(angle, [0.0, 1.0, 0.0])
    kick = person(Performance(time, {"shin.R": bent}, np.zeros((len(time), 3))))
    assert repair_motion(binding, kick).motion is kick


def test_a_t_pose_within_the_motion_is_interpolated(motion: Motion, binding: RigBinding) -> None:
    bent = {name: np.full(3, 0.4) for name in ("spine", "chest", "thigh.L", "thigh.R", "shin.L", "shin.R")}
    t_pose = person(Performance(motion.time, {**T_POSE, **bent}, np.full((len(motion.time), 3), 0.4)))
    position, quaternion = motion.position_world.copy(), motion.quaternion_world.copy()
    position[FIRST], quaternion[FIRST] = t_pose.position_world[FIRST], t_pose.quaternion_world[FIRST]
    repaired = repair_motion(binding, Motion(motion.skeleton, motion.time, position, quaternion))
    assert errors_deg(binding, repaired.motion, motion).max() < 0.1
    assert np.abs(repaired.motion.position_world - motion.position_world).max() < 1e-3
    assert [(own.bone, own.samples) for own in repaired.repairs] == [(None, 1)]
    assert "whole pose" in repaired.notes[0]


def test_an_ankle_that_stays_turned_over_is_turned_back(motion: Motion, binding: RigBinding) -> None:
    broken = turned(motion, "foot.L", np.array([0.0, 1.0, 0.0, 0.0]), slice(FIRST, None))
    repaired = repair_motion(binding, broken)
    foot = binding.index("foot.L")
    assert errors_deg(binding, repaired.motion, motion)[:, foot].max() < 1e-3
    (record,) = repaired.repairs
    assert record.turned_back and record.samples == len(motion.time) - FIRST
    assert record.mean_deg == pytest.approx(180.0)


def test_a_mirrored_motion_is_repaired_alike(binding: RigBinding) -> None:
    """The same flip on the other side of a mirrored motion gives the same record, on the other bone."""
    performance = moving(2.0, 120.0)
    records: list[JointRepair] = []
    for act, bone in ((performance, "thigh.R"), (performance.mirrored(), "thigh.L")):
        broken = turned(person(act), bone, HALF_TURN_ABOUT_LIMB, slice(FIRST, LAST))
        records += repair_motion(binding, broken).repairs
    assert records[0].bone == "thigh.R" and records[1].bone == "thigh.L"
    assert records[0].max_deg == pytest.approx(records[1].max_deg, abs=1e-6)
