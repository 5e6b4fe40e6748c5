"""The floor is where the soles of the motion are found, and where props lie a little below them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sim_core.bake.pipeline import bake
from sim_core.base.errors import InputError
from sim_core.scenario.job import Job
from sim_core.scenario.scenario import Scenario, make_scenario
from sim_core.scenario.settings import BakeSettings
from sim_core.scene.scene import Keys, Role, Scene, SceneObject
from sim_core.scene.shapes import Box, Sphere
from tests.core.sample_people import MAPPING, person, standing

SETTINGS = BakeSettings(quality="draft", find_assist=False, search=False)
BELOW = 0.02
"""The soles of the standing person are this high over the floor that the scene was built on [m]."""


def crate(lowest: float, role: Role = Role.PROP) -> SceneObject:
    """A crate beside the person, with its lowest face at a height."""
    place = np.array([0.0, 1.0, lowest + 0.25])
    if role is Role.CARRIED:
        keys = Keys(np.array([0.0, 1.0]), np.tile(place, (2, 1)), np.tile([1.0, 0.0, 0.0, 0.0], (2, 1)))
        return SceneObject("crate", role, Box(np.full(3, 0.25)), mass=3.0, keys=keys)
    return SceneObject("crate", role, Box(np.full(3, 0.25)), place, mass=3.0)


def beside(*objects: SceneObject, floor_height: float | None = None) -> Job:
    return Job(person(standing(0.5)), MAPPING, SETTINGS, Scene(objects, floor_height=floor_height))


def floor_of(*objects: SceneObject) -> Scenario:
    return make_scenario(beside(*objects))


@pytest.fixture(scope="module")
def soles() -> float:
    return floor_of().ground_height


@pytest.mark.parametrize("role", [Role.PROP, Role.CARRIED])
def test_a_crate_that_stands_a_little_below_the_soles_shows_the_floor(role: Role, soles: float) -> None:
    found = floor_of(crate(soles - BELOW, role))
    assert found.ground_height == pytest.approx(soles - BELOW, abs=1e-9)
    assert "The floor is 2.0 cm below the soles of the motion, because 'crate' lies there." in found.notes


def test_what_stands_on_the_soles_floor_hangs_or_lies_deep_leaves_it_where_it_is(soles: float) -> None:
    for lowest in (soles, soles + 0.5, soles - 0.5):
        assert floor_of(crate(lowest)).ground_height == soles
    given = make_scenario(beside(crate(soles - BELOW), floor_height=soles + 0.01))
    assert given.ground_height == soles + 0.01, "the height that was given"


def test_a_ball_beside_a_rig_of_another_scale_is_measured_at_physical_size(soles: float) -> None:
    ball = SceneObject("ball", Role.PROP, Sphere(0.1), np.array([0.0, 1.0, soles - BELOW + 0.1]), mass=1.0)
    job = beside(ball)
    large = replace(job, motion=job.motion.scaled(0.01), scene=job.scene.scaled(0.01))
    scenario = make_scenario(large)
    own = make_scenario(replace(large, scene=Scene())).ground_height
    assert scenario.ground_height == pytest.approx(own - BELOW * 0.01 * scenario.scale, abs=1e-6)


def test_the_person_stands_beside_the_crate(soles: float) -> None:
    result = bake(beside(crate(soles - BELOW)))
    assert result.meta.fell_at is None


def test_what_lies_deep_in_the_floor_is_refused_with_a_way_out(soles: float) -> None:
    with pytest.raises(
        InputError, match=r"'crate' starts 20\.0 cm inside the floor; move them apart, or give"
    ):
        bake(beside(crate(soles - 0.2)))
