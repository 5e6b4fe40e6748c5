"""A joint's axis is read from its motion, and a ball is not taken for a hinge."""

from __future__ import annotations

import numpy as np
import pytest

from sim_core.base import rotations
from sim_core.base.conventions import Y_LEFT, FloatArray
from sim_core.character.hinges import MAX_OFF_AXIS, fit_hinge, fit_hinge_joint, twist
from sim_core.character.joint_limits import hinge_joint

BEND = np.linspace(0.1, 1.2, 40)


def unit(x: float, y: float, z: float) -> FloatArray:
    vector = np.array([x, y, z])
    return vector / np.linalg.norm(vector)


def bending(axis: FloatArray, angles: FloatArray = BEND) -> FloatArray:
    return rotations.from_vector(angles[:, None] * axis)


@pytest.mark.parametrize("axis", [unit(0, 1, 0), unit(0.4, 1, 0.2), unit(-0.3, 1, 0.5)])
def test_an_oblique_axis_is_found(axis: FloatArray) -> None:
    fit = fit_hinge(bending(axis))
    assert fit.axis == pytest.approx(axis, abs=1e-9)
    assert fit.off_axis < 1e-7
    # The straight limb is angle zero, so angles are those that went in.
    angles = twist(rotations.relative(fit.centre, bending(axis)), fit.axis)
    assert angles == pytest.approx(BEND, abs=1e-9)


def test_an_offset_is_kept_in_the_centre() -> None:
    """A knee that is also a little knock-kneed bends about its axis all the same."""
    offset, axis = rotations.from_vector(np.array([0.15, 0.0, 0.1])), unit(0.1, 1, 0)
    relative = rotations.multiply(offset, bending(axis))
    fit = fit_hinge(relative)
    angles = twist(rotations.relative(fit.centre, relative), fit.axis)
    again = rotations.multiply(fit.centre, bending(fit.axis, angles))
    assert rotations.angle_between(again, relative).max() < 1e-7


def test_the_sign_of_quaternions_does_not_matter() -> None:
    relative = bending(unit(0.2, 1, 0))
    flipped = relative * np.where(np.arange(len(relative)) % 3 == 0, -1.0, 1.0)[:, None]
    assert fit_hinge(flipped).axis == pytest.approx(fit_hinge(relative).axis)
    assert twist(flipped, Y_LEFT) == pytest.approx(twist(relative, Y_LEFT))


def test_a_joint_that_hardly_bends_gets_the_anatomical_axis() -> None:
    still = bending(unit(1, 0, 0), np.radians(np.linspace(0.0, 1.0, 20)))
    assert fit_hinge(still).axis == pytest.approx(Y_LEFT)


def test_a_ball_is_no_hinge() -> None:
    twice = np.stack([0.3 * np.sin(9.0 * BEND), BEND, 0.0 * BEND], axis=1)
    relative = rotations.from_vector(twice)
    assert fit_hinge(relative).off_axis > MAX_OFF_AXIS
    assert fit_hinge_joint(hinge_joint("shin.L", 70.0, 1.75), relative) is None


def test_a_twisting_elbow_is_no_hinge() -> None:
    """Turning the palm is a motion about the forearm, far from the elbow's axis."""
    assert fit_hinge_joint(hinge_joint("forearm.L", 70.0, 1.75), bending(unit(0, 0.2, 1))) is None


def test_a_hinge_keeps_its_strength_and_range() -> None:
    human = hinge_joint("shin.L", 70.0, 1.75)
    made = fit_hinge_joint(human, bending(unit(0.2, 1, 0)))
    assert made is not None
    assert (made.low, made.high, made.torque_limit) == (human.low, human.high, human.torque_limit)


def test_twist_is_within_half_a_turn() -> None:
    angles = np.array([-3.1, -1.0, 0.0, 2.0, 3.1])
    assert twist(bending(Y_LEFT, angles), Y_LEFT) == pytest.approx(angles)
    assert twist(bending(Y_LEFT, angles + 2.0 * np.pi), Y_LEFT) == pytest.approx(angles)
