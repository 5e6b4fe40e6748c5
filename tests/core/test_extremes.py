"""Nothing explodes: what cannot start or fly soundly is refused, and extreme masses stay calm."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from sim_core.base.errors import InputError
from sim_core.scene.scene import Keys, Launch, Role, SceneObject
from sim_core.scene.shapes import Box, Capsule, Cylinder, Hull, Plane, Shape, Sphere, half_thickness
from sim_core.simulation.overlaps import refuse_overlaps
from sim_core.world.scene_model import MIN_BOUNCE
from tests.core.sample_motions import DT, still
from tests.core.sample_motions import Scene as Made
from tests.core.sample_motions import scene as made_for
from tests.core.test_props import FAR, among, fall, prop, prop_path

CORNERS = np.array(list(product((-1.0, 1.0), repeat=3)))


@pytest.fixture(scope="module")
def standing() -> Made:
    return made_for(still(0.5))


@pytest.mark.parametrize(
    ("shape", "half"),
    [
        (Box(np.array([0.3, 0.01, 0.2])), 0.01),
        (Sphere(0.2), 0.2),
        (Capsule(0.1, 0.5), 0.1),
        (Cylinder(0.3, 0.05), 0.05),
        (Hull(CORNERS * [0.3, 0.02, 0.2]), 0.02),
        (Plane(), np.inf),
    ],
)
def test_thickness(shape: Shape, half: float) -> None:
    assert half_thickness(shape) == pytest.approx(half)


def test_a_tilted_hull_is_as_thin_as_an_upright_one() -> None:
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    assert half_thickness(Hull(CORNERS * [0.3, 0.02, 0.2] @ turn)) == pytest.approx(0.02)


@pytest.mark.parametrize("shape", [Box(np.array([0.2, 0.2, 0.2])), Sphere(0.1), Hull(0.2 * CORNERS)])
@pytest.mark.parametrize(
    ("place", "words"),
    [
        ([0.0, 0.0, 1.2], "the character's"),
        ([3.0, 0.0, 0.05], "the floor"),
        ([-3.0, 0.1, 1.0], "'pillar'"),
        ([0.0, 3.0, 1.05], "'crate'"),
    ],
)
def test_things_that_start_inside_of_each_other_are_refused(
    standing: Made, shape: Shape, place: list[float], words: str
) -> None:
    pillar = SceneObject("pillar", Role.OBSTACLE, Box(np.array([0.5, 0.5, 1.0])), np.array([-3.0, 0.0, 1.0]))
    crate = prop("crate", Box(np.array([0.5, 0.5, 0.5])), np.array([0.0, 3.0, 1.0]))
    world = among(standing, crate, prop("thing", shape, place), pillar)
    with pytest.raises(InputError, match=r"starts \d+\.\d cm .*; move them apart") as caught:
        refuse_overlaps([world], [standing.qpos[0]])
    assert "'thing'" in str(caught.value) and words in str(caught.value)


def test_things_that_touch_are_welcome_and_waiting_projectiles_are_nowhere(standing: Made) -> None:
    stack = [
        prop(f"brick {i}", Box(np.array([0.1, 0.1, 0.1])), np.array([2.0, 0.0, 0.1 + 0.199 * i]))
        for i in range(4)
    ]
    ball = SceneObject(
        "ball", Role.PROJECTILE, Sphere(0.1), stack[1].position, mass=1.0, launch=Launch(0.1, 5.0, "head")
    )
    refuse_overlaps([among(standing, *stack, ball)], [standing.qpos[0]])


@pytest.mark.parametrize("ratio", [1e-3, 1e3])
def test_a_stack_of_masses_one_to_a_thousand_stays_calm(standing: Made, ratio: float) -> None:
    """The lower box carries the upper one: both stay where they were, to the depth that they rest at."""
    lower = prop("lower", Box(np.array([0.2, 0.2, 0.1])), FAR + [0, 0, 0.1], mass=10.0)
    upper = prop("upper", Box(np.array([0.2, 0.2, 0.1])), FAR + [0, 0, 0.3], mass=10.0 * ratio)
    world = among(standing, lower, upper)
    trace = fall(standing, world, 1.0)
    for thing in (lower, upper):
        assert np.abs(prop_path(world, trace, thing.name)[:, :3] - thing.position).max() < 0.01


@pytest.mark.parametrize("masses", [(1000.0, 0.001), (0.001, 1000.0)])
def test_a_gram_and_a_tonne_lie_on_each_other(standing: Made, masses: tuple[float, float]) -> None:
    """A million times heavier: the gram is pressed into the floor, but nothing flies away."""
    boxes = [
        prop(name, Box(np.array([0.2, 0.2, 0.1])), FAR + [0, 0, height], mass=mass)
        for name, height, mass in zip(("lower", "upper"), (0.1, 0.3), masses, strict=True)
    ]
    world = among(standing, *boxes)
    trace = fall(standing, world, 1.0)
    for thing in boxes:
        path = prop_path(world, trace, thing.name)[:, :3]
        assert np.abs(path - thing.position).max() < 0.21, "the tonne comes down to the floor at most"
        assert np.abs(np.diff(path, axis=0)).max() / DT < 2.0


@pytest.mark.parametrize("speed", [10.0, 30.0])
def test_a_thin_plate_at_speed_does_not_pass_through_the_character(standing: Made, speed: float) -> None:
    """4 mm thick, flat on, at the chest, which it meets high above the floor."""
    plate = prop(
        "plate",
        Box(np.array([0.002, 0.1, 0.1])),
        np.array([-0.6, 0.0, 51.25]),
        mass=0.2,
        velocity=[speed, 0, 0],
    )
    world = among(standing, plate)
    trace = fall(standing, world, 0.3)
    path, chest = prop_path(world, trace, "plate"), world.spec.names.index("chest")
    near = np.abs(path[:, 1]) < 0.1
    assert np.linalg.norm(trace.contact_force, axis=-1).max() > 10.0, "it must hit"
    assert (path[near, 0] - trace.body_com[near, chest, 0]).max() < 0.0
    assert np.abs(np.diff(trace.body_com, axis=0)).max() / DT < 2.5 * speed


def test_what_moves_by_itself_may_not_start_inside_the_character(standing: Made) -> None:
    place = np.array([[0.0, 0.0, 1.25], [0.0, 0.0, 1.25]])
    keys = Keys(np.array([0.0, 1.0]), place, np.tile([1.0, 0.0, 0.0, 0.0], (2, 1)))
    fist = SceneObject("fist", Role.MOVING, Sphere(0.1), keys=keys)
    with pytest.raises(InputError, match=r"'fist' starts \d+\.\d cm inside the character's"):
        refuse_overlaps([among(standing, fist)], [standing.qpos[0]])


@pytest.mark.parametrize("mass", [0.001, 0.07, 1000.0, 7e4])
def test_a_prop_a_thousand_times_lighter_or_heavier_than_the_character_does_not_explode(
    standing: Made, mass: float
) -> None:
    """No part is left faster than an elastic blow could make it: twice the heavier one's speed."""
    thing = prop(
        "thing",
        Box(np.array([0.2, 0.2, 0.2])),
        np.array([-1.0, 0.0, 51.2]),
        mass=mass,
        velocity=[4.0, 0.0, 0.0],
    )
    world = among(standing, thing)
    trace = fall(standing, world, 0.6)
    assert np.linalg.norm(trace.contact_force, axis=-1).max() > min(10.0, 100.0 * mass), "it must hit"
    speed = np.diff(trace.body_com, axis=0)[:, :, 0] / DT
    assert np.abs(speed).max() < 2.5 * 4.0


def dart(speed: float, half: float = 0.002, **more: Any) -> SceneObject:
    place = np.array([-2.0, 0.0, 1.0])
    return prop(
        "dart", Box(np.array([0.1, half, half])), place, mass=0.02, velocity=[speed, 0.0, 0.0], **more
    )


def test_fast_thin_things_get_finer_steps_and_faster_ones_are_refused(standing: Made) -> None:
    steps = [among(standing, dart(v)).timestep for v in (1.0, 5.0, 30.0, 60.0, 100.0)]
    assert steps[0] == 0.001 and steps == sorted(steps, reverse=True) and steps[-1] < 0.0005
    with pytest.raises(InputError, match=r"'dart' would reach 290 m/s, .* slower than (\d+) m/s") as caught:
        among(standing, dart(290.0))
    limit = float(str(caught.value).split("slower than ")[1].split()[0])
    among(standing, dart(limit - 1.0))


@pytest.mark.parametrize("bounce", [0.0, 0.5])
@pytest.mark.parametrize("speed", [10.0, 40.0, 80.0])
@pytest.mark.parametrize("offset", [0.0, 0.013, 0.027])
def test_a_fast_pellet_does_not_pass_through_a_plate(
    standing: Made, speed: float, offset: float, bounce: float
) -> None:
    """Wherever the steps happen to fall: with few in a contact, that is worth a tenth of the speed."""
    plate = SceneObject("plate", Role.OBSTACLE, Box(np.array([0.02, 1.0, 1.0])), FAR + [0.0, 0.0, 1.0])
    place = FAR + [-0.5 - offset, 0, 1.2]
    pellet = prop("pellet", Sphere(0.01), place, mass=0.02, velocity=[speed, 0, 0], bounce=bounce)
    world = among(standing, plate, pellet)
    path = prop_path(world, fall(standing, world, 0.1), "pellet")[:, 0]
    assert path.max() < FAR[0], "not past the middle"
    back = -np.diff(path)[-1] / DT
    assert back / speed == pytest.approx(max(bounce, MIN_BOUNCE), abs=0.1)


def test_what_falls_far_does_not_pass_through_a_shelf(standing: Made) -> None:
    """From 20 m it comes at 20 m/s, which would take it 4 cm deep into usual contacts."""
    shelf = SceneObject("shelf", Role.OBSTACLE, Box(np.array([1.0, 1.0, 0.01])), FAR + [0.0, 0.0, 0.5])
    world = among(standing, shelf, prop("coin", Cylinder(0.02, 0.005), FAR + [0.0, 0.0, 20.5], mass=0.01))
    assert prop_path(world, fall(standing, world, 3.0), "coin")[:, 2].min() > 0.5


@pytest.mark.parametrize(
    ("shape", "values", "words"),
    [
        (Box(np.array([0.1, 0.1, 1e-5])), {}, "0.020 mm thick"),
        (Hull(CORNERS * [0.1, 0.1, 1e-4]), {}, "mm thick"),
        (Sphere(0.1), {"mass": 1e-9}, "too light"),
        (Sphere(0.1), {"mass": 0.0, "density": 1e-3}, "too light"),
        (Sphere(0.1), {"velocity": [1e4, 0, 0]}, "starts at 10000 m/s"),
    ],
)
def test_props_that_the_engine_cannot_count_with_are_refused(
    shape: Shape, values: dict[str, Any], words: str
) -> None:
    with pytest.raises(InputError, match=words):
        prop("thing", shape, FAR, **values)


def test_the_smallest_prop_that_is_let_through_can_be_built(standing: Made) -> None:
    among(
        standing,
        prop("grain", Sphere(0.001), FAR, mass=0.0, density=1.0),
        prop("bead", Sphere(0.001), -FAR, mass=1e-6),
    )
