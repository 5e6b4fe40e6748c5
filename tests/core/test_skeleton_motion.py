"""Skeletons and motions hold together, and say what is wrong when they cannot."""

from __future__ import annotations

import numpy as np
import pytest

from sim_core.base import rotations
from sim_core.base.errors import InputError
from sim_core.motion.motion import Motion
from sim_core.motion.skeleton import Skeleton
from tests.core.skeletons import make_skeleton


@pytest.fixture
def tree() -> Skeleton:
    """Return root -> (left -> tip, right)."""
    return make_skeleton(["root", "left", "tip", "right"], [-1, 0, 1, 0], np.arange(12.0).reshape(4, 3))


@pytest.mark.parametrize("turn", [[0.0, 0.0, 0.0, 0.0], [1e37, 0.0, 0.0, 0.0]])
def test_a_rest_pose_that_is_no_rotation_is_refused(turn: list[float]) -> None:
    with pytest.raises(InputError, match="bone 'a' is no rotation"):
        Skeleton(("a",), np.array([-1]), np.zeros((1, 3)), np.array([turn]))


def swinging(skeleton: Skeleton, samples: int = 31) -> Motion:
    """All bones turn about X and move along Z as a cubic of time."""
    time = np.linspace(2.0, 3.0, samples)
    turn = rotations.from_vector(np.stack([time**2, 0.0 * time, 0.0 * time], axis=-1))
    place = np.stack([0.0 * time, 0.0 * time, time**3], axis=-1)
    bones = len(skeleton.names)
    return Motion(skeleton, time, np.repeat(place[:, None], bones, 1), np.repeat(turn[:, None], bones, 1))


def test_the_tree_can_be_walked(tree: Skeleton) -> None:
    assert tree.children == ((1, 3), (2,), (), ())
    assert tree.ancestors(2) == [1, 0]
    assert tree.descendants(0) == [1, 2, 3]
    assert tree.descendants(1) == [2]
    assert tree.index["right"] == 3


def test_values_are_copied_and_locked() -> None:
    heads = np.zeros((1, 3))
    skeleton = make_skeleton(["only"], [-1], heads)
    heads[:] = 5.0
    assert not skeleton.rest_position_world.any()
    with pytest.raises(ValueError, match="read-only"):
        skeleton.rest_position_world[0, 0] = 1.0


@pytest.mark.parametrize(
    ("names", "parents", "heads", "words"),
    [
        (["a", "a"], [-1, 0], np.zeros((2, 3)), "same name"),
        (["a", "b"], [1, -1], np.zeros((2, 3)), "parents first"),
        (["a", "b"], [-1, 0], np.zeros((3, 3)), "do not fit"),
        (["a", "b"], [-1, 0], [[0, 0, 0], [0, np.nan, 0]], "bone 'b' is not a number"),
        (["a", "b"], [-1, 0], [[0, 0, 0], [0, 1e200, 0]], r"bone 'b' is more than 1e\+09 m from the origin"),
    ],
)
def test_broken_skeletons_are_refused(
    names: list[str], parents: list[int], heads: object, words: str
) -> None:
    with pytest.raises(InputError, match=words):
        make_skeleton(names, parents, heads)


def test_motion_flips_no_signs(tree: Skeleton) -> None:
    motion = swinging(tree)
    signs = np.where(np.arange(31) % 2, -1.0, 1.0)[:, None, None]
    flipped = Motion(tree, motion.time, motion.position_world, motion.quaternion_world * signs)
    assert flipped.quaternion_world == pytest.approx(motion.quaternion_world)


def test_duration_and_rate(tree: Skeleton) -> None:
    assert swinging(tree).duration == pytest.approx(1.0)
    assert swinging(tree).rate_hz == pytest.approx(30.0)


def test_between_counts_from_the_first_sample(tree: Skeleton) -> None:
    part = swinging(tree).between(0.5, 1.0)
    assert part.time[0] == pytest.approx(2.5)
    assert len(part.time) == 16
    with pytest.raises(InputError, match="lasts 1.00 s"):
        swinging(tree).between(1.5, 2.0)


def test_resampling_is_exact_at_samples_and_for_cubics(tree: Skeleton) -> None:
    motion = swinging(tree)
    fine = np.linspace(2.0, 3.0, 301)
    resampled = motion.at(fine)
    assert resampled.position_world[::10] == pytest.approx(motion.position_world, abs=1e-12)
    assert resampled.position_world[:, 0, 2] == pytest.approx(fine**3, abs=1e-11)
    truth = rotations.from_vector(np.stack([fine**2, 0.0 * fine, 0.0 * fine], axis=-1))
    # The half angle changes at up to 3 rad/s; a cubic spline's error is 5/384 h^4 |q''''| with
    # |q''''| about 3^4 plus lower terms, under 150: 2.4e-6, doubled as an angle, more at the ends.
    assert rotations.angle_between(resampled.quaternion_world[:, 0], truth).max() < 2e-5


def test_resampling_holds_the_ends(tree: Skeleton) -> None:
    held = swinging(tree).at(np.array([1.0, 1.5, 2.5, 4.0]))
    assert held.position_world[:2, 0, 2] == pytest.approx([8.0, 8.0])
    assert held.position_world[-1, 0, 2] == pytest.approx(27.0)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            lambda m: Motion(m.skeleton, m.time[:1], m.position_world[:1], m.quaternion_world[:1]),
            r"1 frame\(s\)",
        ),
        (
            lambda m: Motion(m.skeleton, m.time[:0], m.position_world[:0], m.quaternion_world[:0]),
            r"0 frame\(s\)",
        ),
        (lambda m: Motion(m.skeleton, m.time[::-1], m.position_world, m.quaternion_world), "do not increase"),
        (
            lambda m: Motion(m.skeleton, m.time, m.position_world[:, :2], m.quaternion_world),
            "positions do not fit",
        ),
        (
            lambda m: Motion(m.skeleton, m.time, m.position_world, m.quaternion_world[1:]),
            "rotations do not fit",
        ),
        (lambda m: Motion(m.skeleton, m.time, m.position_world * np.nan, m.quaternion_world), "Bone 'root'"),
        (lambda m: Motion(m.skeleton, m.time, m.position_world * 1e200, m.quaternion_world), "Bone 'root'"),
        (lambda m: Motion(m.skeleton, m.time, m.position_world, m.quaternion_world * 0.0), "Bone 'root'"),
    ],
)
def test_broken_motions_are_refused(tree: Skeleton, change: object, words: str) -> None:
    assert callable(change)
    with pytest.raises(InputError, match=words):
        change(swinging(tree))
