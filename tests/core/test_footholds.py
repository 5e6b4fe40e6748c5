"""Feet that come down elsewhere than planned find the height of the ground there, and keep off edges."""

from __future__ import annotations

import numpy as np
import pytest

from sim_core.base import rotations
from sim_core.base.conventions import FloatArray
from sim_core.control.balance.centroidal_lqr import LqrScales, compute_gains
from sim_core.control.balance.footholds import DISPLACEMENTS, Footholds
from sim_core.control.balance.footstep_balance import FootstepBalance
from sim_core.scene.scene import Role, Scene, SceneObject
from sim_core.scene.shapes import Box, Plane
from sim_core.world.ground import NO_OBJECTS, FlatGround, Ground, make_ground
from tests.core.sample_plans import LEG, MASS, glide_plan, one_step, plan_state, seen

LIFT, TOUCH, END = 10, 45, 80
PLAN = glide_plan(one_step(END, LIFT, TOUCH), speed=0.5)
SOLE = PLAN.support_points[TOUCH, 4:]
"""The right foot's at its touchdown."""
ANGLE = np.radians(8.0)


def step_at(edge: float) -> Ground:
    """5 cm up from x = edge on."""
    box = SceneObject(
        "step", Role.OBSTACLE, Box(np.array([5.0, 5.0, 0.025])), np.array([edge + 5.0, 0.0, 0.025])
    )
    return make_ground(Scene((box,)), 0.0)


def slope() -> Ground:
    turn = rotations.from_vector(np.array([0.0, -ANGLE, 0.0]))
    return make_ground(Scene((SceneObject("slope", Role.GROUND, Plane(), quaternion=turn),)), 0.0)


def on_even_ground(ground: Ground, shift: FloatArray) -> FloatArray:
    return Footholds(PLAN, ground).on_even_ground(20, 1, shift, NO_OBJECTS)


def test_on_a_flat_floor_nothing_is_asked() -> None:
    holds = Footholds(PLAN, FlatGround(0.0))
    shift = np.array([0.1, -0.05])
    assert holds.on_even_ground(20, 1, shift, NO_OBJECTS) is shift
    assert holds.rise(20, 1, shift, NO_OBJECTS) == 0.0
    assert holds.above(np.zeros(3), 0.3, NO_OBJECTS) == 0.0


def test_a_step_uphill_ends_higher_by_the_slope() -> None:
    shift = np.array([0.2, 0.1])
    assert Footholds(PLAN, slope()).rise(20, 1, shift, NO_OBJECTS) == pytest.approx(0.2 * np.tan(ANGLE))
    assert on_even_ground(slope(), shift) == pytest.approx(shift), "a slope is even"


def test_ground_under_a_place_is_told_against_a_level() -> None:
    place = np.array([0.5, 0.0, 0.1])
    assert Footholds(PLAN, slope()).above(place, 0.02, NO_OBJECTS) == pytest.approx(
        0.5 * np.tan(ANGLE) - 0.02
    )


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_a_foot_that_would_end_on_an_edge_goes_to_either_side_of_it(share: float) -> None:
    heel, toes = SOLE[:, 0].min(), SOLE[:, 0].max()
    edge = heel + share * (toes - heel)
    moved = SOLE[:, 0] + on_even_ground(step_at(edge), np.zeros(2))[0]
    # The nearest of the places that are tried on one side or the other.
    assert moved.min() > edge or moved.max() < edge
    assert np.abs(moved - SOLE[:, 0]).max() <= min(toes - edge, edge - heel) + 2.5 * (
        DISPLACEMENTS[1] - DISPLACEMENTS[0]
    )


def test_a_choice_is_kept_while_it_is_good() -> None:
    """The middle of the sole wanders over the edge and back; the foot does not jump with it."""
    middle = float(SOLE[:, 0].mean())
    holds = Footholds(PLAN, step_at(middle))
    places = [
        middle + float(holds.on_even_ground(20, 1, np.array([off, 0.0]), NO_OBJECTS)[0])
        for off in (0.005, -0.005, 0.005, -0.005)
    ]
    assert len({place > middle for place in places}) == 1


def test_heights_of_the_body_are_measured_from_the_feet() -> None:
    """Both feet and the centre of mass are 0.1 m up the slope: nothing is wrong."""
    gains = compute_gains(PLAN, MASS, LEG, LqrScales())
    balance = FootstepBalance(PLAN, gains, MASS, slope())
    up = np.array([0.0, 0.0, 0.1])
    prediction = seen(PLAN, 2, com=up, foot=np.tile(up, (2, 1)))
    targets = balance.targets(2, plan_state(PLAN, 2), prediction)
    assert targets.com_acceleration == pytest.approx(PLAN.com_acceleration[2])
    assert targets.momentum_rate == pytest.approx(PLAN.momentum_rate[2])


def test_a_planned_step_blends_into_the_height_of_its_new_place() -> None:
    """The body is pushed forwards by 0.4 m/s, steps further, and further is higher."""
    gains = compute_gains(PLAN, MASS, LEG, LqrScales())
    balance = FootstepBalance(PLAN, gains, MASS, slope())
    levels, shifts = [], []
    for sample in range(LIFT, TOUCH):
        prediction = seen(PLAN, sample, com_velocity=np.array([0.4, 0.0, 0.0]))
        targets = balance.targets(sample, plan_state(PLAN, sample), prediction)
        levels.append(targets.foot_shift[1, 2])
        shifts.append(targets.foot_shift[1, 0])
    assert shifts[-1] > 0.05
    assert levels[-1] == pytest.approx(shifts[-1] * np.tan(ANGLE), rel=0.05)
    assert abs(levels[0]) < 0.1 * levels[-1]
