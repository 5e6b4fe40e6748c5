"""Control markers: bones come where they are pulled, nothing else changes that need not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sim_core.base import rotations
from sim_core.base.conventions import FloatArray
from sim_core.base.errors import InputError
from sim_core.motion.motion import Motion
from sim_core.motion.skeleton import NO_PARENT
from sim_core.posefit.control_points import ControlMarker, pull_bones
from tests.core.sample_people import MAPPING, NAMES, PARENTS, Performance, moving, person, standing

UP = (False, False, True)
REACHED_M = 0.005
"""A full weight is known to 1.6 mm, joints to half a radian: a pull of 15 cm leaves a little."""


def marker(
    motion: Motion,
    bone: str,
    shift: tuple[float, float, float],
    weight: float = 1.0,
    dead_zone: float = 0.0,
    axes: tuple[bool, bool, bool] = (True, True, True),
) -> ControlMarker:
    """Pulls a bone away from where it is by a shift [m]."""
    count = len(motion.time)
    target = motion.position_world[:, NAMES.index(bone)] + np.array(shift)
    return ControlMarker(bone, target, np.full(count, weight), np.array(axes), dead_zone)


def moved_by(before: Motion, after: Motion, bone: str) -> FloatArray:
    """Return the displacement of a bone (T, 3) [m]."""
    column = NAMES.index(bone)
    return after.position_world[:, column] - before.position_world[:, column]


@pytest.mark.parametrize("bone", ["hand.L", "head", "foot.R", "hips", "toe.L"])
def test_a_full_weight_reaches_its_place(bone: str) -> None:
    motion = person(moving(0.4), rolls=3)
    # Downwards: the legs are nearly straight, and the feet stay.
    shift = (0.05, -0.04, 0.08 if bone in ("foot.R", "toe.L") else -0.08)
    after = pull_bones(motion, MAPPING, [marker(motion, bone, shift)])
    assert np.linalg.norm(moved_by(motion, after, bone) - shift, axis=1).max() < REACHED_M


def test_lengths_stay_and_the_feet_hardly_move() -> None:
    motion = person(moving(0.4))
    after = pull_bones(motion, MAPPING, [marker(motion, "hand.R", (0.15, -0.05, 0.1))])
    for bone, parent in enumerate(PARENTS):
        if parent >= 0:
            before, now = (
                np.linalg.norm(m.position_world[:, bone] - m.position_world[:, parent], axis=1)
                for m in (motion, after)
            )
            assert np.allclose(before, now, atol=1e-9)
    for foot in ("foot.L", "foot.R"):
        assert np.linalg.norm(moved_by(motion, after, foot), axis=1).max() < 0.01
    assert np.linalg.norm(moved_by(motion, after, "hand.L"), axis=1).max() < 0.08


@pytest.mark.parametrize("weight", [0.0, 1.0])
def test_without_a_pull_the_motion_is_the_same(weight: float) -> None:
    """Also where a rig bends beyond what a body can: a knee that bends forward stays as it is."""
    ready = moving(0.4)
    turns = {**ready.turns, "shin.L": np.array([0.0, -0.5, 0.1])}
    motion = person(Performance(ready.time, turns, ready.hips_offset), rolls=5)
    near_enough = marker(motion, "hand.L", (0.03, 0.0, 0.0), weight, dead_zone=0.05)
    after = pull_bones(motion, MAPPING, [near_enough])
    assert np.allclose(after.position_world, motion.position_world, atol=1e-12)


def test_a_frame_without_weight_is_left_alone() -> None:
    motion = person(standing(0.4))
    count = len(motion.time)
    weight = np.where(np.arange(count) < 10, 0.0, 1.0)
    target = motion.position_world[:, NAMES.index("hand.L")] + [0.2, 0.0, 0.2]
    after = pull_bones(motion, MAPPING, [ControlMarker("hand.L", target, weight)])
    moved = np.linalg.norm(moved_by(motion, after, "hand.L"), axis=1)
    assert moved[:10].max() < 1e-6
    assert moved[10:].min() > 0.25


def test_more_weight_comes_nearer() -> None:
    motion = person(standing(0.1))
    left = []
    for weight in (0.0, 0.1, 0.5, 0.9, 1.0):
        after = pull_bones(motion, MAPPING, [marker(motion, "hand.L", (0.2, 0.0, 0.2), weight)])
        left.append(float(np.linalg.norm(moved_by(motion, after, "hand.L")[0] - [0.2, 0.0, 0.2])))
    assert left == sorted(left, reverse=True)
    assert left[0] == pytest.approx(np.hypot(0.2, 0.2), abs=1e-6)
    assert left[-1] < REACHED_M


def test_one_axis_leaves_the_others_free() -> None:
    motion = person(standing(0.1))
    results = [
        pull_bones(motion, MAPPING, [marker(motion, "hand.L", (aside, aside, 0.15), axes=UP)])
        for aside in (0.0, 3.0)
    ]
    assert np.allclose(results[0].position_world, results[1].position_world, atol=1e-9)
    moved = moved_by(motion, results[0], "hand.L")
    assert np.abs(moved[:, 2] - 0.15).max() < REACHED_M
    # A hanging arm cannot rise without going aside, and nothing holds it back there.
    assert np.linalg.norm(moved[:, :2], axis=1).min() > 0.05


def test_a_dead_zone_is_pulled_to_its_edge() -> None:
    motion = person(standing(0.1))
    shift = np.array([0.2, 0.0, 0.15])
    after = pull_bones(motion, MAPPING, [marker(motion, "hand.L", tuple(shift), dead_zone=0.1)])
    left = np.linalg.norm(moved_by(motion, after, "hand.L") - shift, axis=1)
    assert np.abs(left - 0.1).max() < REACHED_M


def test_bone_axes_do_not_matter() -> None:
    ways = []
    for rolls in (None, 1):
        motion = person(moving(0.2), rolls=rolls)
        ways.append(pull_bones(motion, MAPPING, [marker(motion, "hand.L", (0.1, 0.1, 0.1))]))
    assert np.allclose(ways[0].position_world, ways[1].position_world, atol=1e-6)


def test_feet_on_control_bones_are_pulled_too() -> None:
    motion = person(standing(0.1))
    parents = np.array(motion.skeleton.parents)
    parents[NAMES.index("foot.L")] = NO_PARENT
    loose = Motion(
        replace(motion.skeleton, parents=parents), motion.time, motion.position_world, motion.quaternion_world
    )
    pulls = [marker(motion, "foot.L", (0.1, 0.0, 0.15)), marker(motion, "hand.R", (0.1, 0.0, 0.1))]
    own, other = (pull_bones(each, MAPPING, pulls) for each in (motion, loose))
    assert np.allclose(own.position_world, other.position_world, atol=1e-4)
    assert np.linalg.norm(moved_by(motion, other, "foot.L") - [0.1, 0.0, 0.15], axis=1).max() < REACHED_M


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"bone": "tail"}, "no bone 'tail'"),
        ({"weight": np.full(3, -2.0)}, "below zero"),
        ({"dead_zone": -1.0}, "below zero"),
        ({"target_world": np.full((3, 3), np.nan)}, "not a number"),
        ({"target_world": np.zeros((2, 3))}, "each of 3 frames"),
    ],
)
def test_wrong_control_markers_are_refused(change: dict[str, object], words: str) -> None:
    motion = person(standing(0.04))
    values = {"bone": "head", "target_world": np.zeros((3, 3)), "weight": np.ones(3)}
    with pytest.raises(InputError, match=words):
        pull_bones(motion, MAPPING, [ControlMarker(**(values | change))])  # type: ignore[arg-type]
    with pytest.raises(InputError, match="No control marker"):
        pull_bones(motion, MAPPING, [])


def test_a_pulled_knee_leaves_the_foot_on_the_ground() -> None:
    motion = person(standing(0.02))
    after = pull_bones(motion, MAPPING, [marker(motion, "shin.L", (0.15, 0.0, -0.02))])
    assert np.linalg.norm(moved_by(motion, after, "shin.L") - [0.15, 0.0, -0.02], axis=1).max() < 0.02
    for bone in ("foot.L", "toe.L", "foot.R", "toe.R"):
        assert np.linalg.norm(moved_by(motion, after, bone), axis=1).max() < 0.01


def test_knees_and_elbows_bend_as_they_do_in_people() -> None:
    motion = person(standing(0.02))
    squat = pull_bones(motion, MAPPING, [marker(motion, "hips", (0.0, 0.0, -0.25))])
    for side in "LR":
        sideways, bend, twist = joint(squat, f"shin.{side}")
        assert bend > 1.0
        assert np.hypot(sideways, twist) < 0.01
        # The foot stays flat: neither the ankle nor the ball of the foot moved.
        for part in ("foot", "toe"):
            assert np.linalg.norm(moved_by(motion, squat, f"{part}.{side}"), axis=1).max() < 0.01
    raised = pull_bones(motion, MAPPING, [marker(motion, "hand.L", (0.2, 0.0, 0.2))])
    assert joint(raised, "forearm.L")[1] < -0.1


def joint(motion: Motion, bone: str) -> FloatArray:
    """How a bone turns against its parent at the first sample: a rotation vector [rad]."""
    child, parent = NAMES.index(bone), PARENTS[NAMES.index(bone)]
    return rotations.to_vector(
        rotations.relative(motion.quaternion_world[0, parent], motion.quaternion_world[0, child])
    )
