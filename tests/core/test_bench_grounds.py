"""The grounds of the balance benchmark are what their names say, along the way of a motion."""

from __future__ import annotations

import numpy as np
import pytest

from bench.common.grounds import BOARD_PIVOT, FIRST_EDGE, GROUNDS, STEP, TREAD, WalkingPath, walking_path
from sim_core.base import rotations
from sim_core.base.conventions import FloatArray
from sim_core.world.ground import NO_OBJECTS, ObjectState, make_ground
from tests.core.sample_people import MAPPING, Performance, person

FLOOR = 0.3
WAY = WalkingPath(np.array([1.0, -2.0, FLOOR]), rotations.from_vector(np.array([0.0, 0.0, 0.7])), 3.5)


def heights(ground: str, ahead: FloatArray, state: ObjectState = NO_OBJECTS) -> FloatArray:
    """Of the ground above the floor, along the way."""
    points = np.array([WAY.at(x, 2.0) for x in ahead])
    return make_ground(GROUNDS[ground](WAY), FLOOR).below(points, state).height - FLOOR


def test_a_way_leads_from_the_first_place_of_the_hips_to_the_last() -> None:
    time = np.linspace(0.0, 1.0, 11)
    moved = Performance(time, {}, np.outer(time, [0.0, 3.0, 0.0]))
    path = walking_path(person(moved), MAPPING, 0.1)
    assert path.length == pytest.approx(3.0)
    assert path.at(3.0) - path.start == pytest.approx([0.0, 3.0, 0.0], abs=1e-12)
    assert path.start[2] == 0.1


@pytest.mark.parametrize(("ground", "degrees"), [("up 5 deg", 5.0), ("down 10 deg", -10.0)])
def test_slopes(ground: str, degrees: float) -> None:
    ahead = np.linspace(-1.0, 5.0, 7)
    assert heights(ground, ahead) == pytest.approx(ahead * np.tan(np.radians(degrees)))


@pytest.mark.parametrize(("ground", "rise"), [("5 cm steps up", STEP), ("5 cm steps down", -STEP)])
def test_steps(ground: str, rise: float) -> None:
    middles = FIRST_EDGE + TREAD * (np.arange(4) - 0.5)
    assert heights(ground, middles) == pytest.approx(rise * np.arange(4), abs=1e-9)
    before, after = FIRST_EDGE - 0.01, FIRST_EDGE + 0.01
    assert heights(ground, np.array([before, after])) == pytest.approx([0.0, rise], abs=1e-9)


def test_bumps_are_two_centimetres_high_at_most() -> None:
    found = heights("2 cm roughness", np.linspace(0.0, 3.5, 200))
    assert 0.0 <= found.min() < 0.006 and 0.014 < found.max() <= 0.02


def test_the_board_lies_with_its_near_end_on_the_floor() -> None:
    (board,) = GROUNDS["see-saw"](WAY).objects
    assert board.hinge is not None
    state = ObjectState(np.array([board.hinge.angle]), np.zeros(1))
    near, middle, far = heights("see-saw", np.array([0.6, 1.75, 2.9]), state)
    assert near < middle < far
    assert middle == pytest.approx(BOARD_PIVOT + 0.02, abs=0.001)
    assert 0.02 < near < 0.05


def test_the_platform_swings_by_its_name() -> None:
    for name, reach in (("platform along, 10 cm", 0.05), ("platform along, +-10 cm", 0.1)):
        (platform,) = GROUNDS[name](WAY).objects
        assert platform.keys is not None
        path = platform.keys.position - platform.keys.position[0]
        assert np.abs(path).max(axis=0) == pytest.approx(
            reach * np.abs([np.cos(0.7), np.sin(0.7), 0.0]), rel=0.01
        )
