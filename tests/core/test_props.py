"""Props: they fall, bounce, stack, and push the character as hard as it pushes them."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

from sim_core.base import rotations
from sim_core.base.conventions import GRAVITY, FloatArray
from sim_core.scene.scene import Role, Scene, SceneObject
from sim_core.scene.shapes import Box, Hull, Plane, Shape, Sphere
from sim_core.simulation.trace import Trace
from sim_core.world.ground import FlatGround
from sim_core.world.scene_model import MIN_BOUNCE
from sim_core.world.start_state import raise_out_of_ground
from sim_core.world.world import World, build_world
from tests.core.sample_motions import DT, prepared, simulate, still, walk
from tests.core.sample_motions import Scene as Made
from tests.core.sample_motions import scene as made_for
from tests.core.sample_simulation import SingleSimulation
from tests.core.test_physics import FixedCommand, Holder, com, lifted

CORNERS = np.array(list(product((-1.0, 1.0), repeat=3)))
FAR = np.array([5.0, 0.0, 0.0])


@pytest.fixture(scope="module")
def standing() -> Made:
    return made_for(still(0.5))


def prop(name: str, shape: Shape, position: FloatArray | list[float], **more: Any) -> SceneObject:
    return SceneObject(name, Role.PROP, shape, np.array(position), **({"mass": 1.0} | more))


def among(made: Made, *objects: SceneObject, timestep: float = 0.001) -> World:
    return build_world(made.world.spec, timestep=timestep, scene=Scene(objects))


def fall(made: Made, world: World, seconds: float, height: float = 50.0) -> Trace:
    """The character falls limp from far above the floor, where it can touch nothing but props."""
    start = lifted(made.qpos[0], height)
    ticks = round(seconds / DT)
    return SingleSimulation(world, DT).run(FixedCommand(world), start, np.zeros(world.model.nv), ticks)


def prop_path(world: World, trace: Trace, name: str) -> FloatArray:
    """Joint coordinates (T, 7) of a prop."""
    index = world.engine.objects
    names = [world.scene.objects[i].name for i in index.props]
    first = 7 * len(index.moving) + len(index.hinged) + 7 * names.index(name)
    return trace.object_qpos[:, first : first + 7]


def test_a_thrown_prop_flies_on_a_parabola_and_keeps_its_spin(standing: Made) -> None:
    turn = rotations.from_vector(np.array([0.3, -0.2, 0.9]))
    spin, velocity = np.array([0.0, 0.0, 4.0]), np.array([2.0, 1.0, 3.0])
    ball = prop(
        "ball", Sphere(0.1), FAR + [0, 0, 2], quaternion=turn, velocity=velocity, angular_velocity=spin
    )
    world = among(standing, ball)
    trace = fall(standing, world, 0.5)
    path, t = prop_path(world, trace, "ball"), trace.time[:, None]
    # Velocity first, then position: the step makes the fall longer by g h t / 2.
    fallen = 0.5 * GRAVITY * t * (t + world.timestep) * [0.0, 0.0, 1.0]
    assert path[:, :3] == pytest.approx(ball.position + velocity * t - fallen, abs=1e-9)
    turned = rotations.multiply(rotations.from_vector(spin * t), turn)
    assert np.abs(np.sum(path[:, 3:] * turned, axis=1)) == pytest.approx(1.0, abs=1e-9)


def test_mass_and_inertia_are_those_of_the_body(standing: Made) -> None:
    half = np.array([0.1, 0.2, 0.3])
    world = among(
        standing,
        prop("box", Box(half), FAR, mass=3.0),
        prop(
            "hull", Hull(half * CORNERS + [0.5, 0.0, 0.0]), FAR, mass=0.0, density=3.0 / (8.0 * half.prod())
        ),
    )
    model, bodies = world.engine.model, world.engine.objects.body
    wanted = 3.0 / 3.0 * (np.sum(half**2) - half**2)
    for body in bodies:
        assert model.body_mass[body] == pytest.approx(3.0)
        assert np.sort(model.body_inertia[body]) == pytest.approx(np.sort(wanted))
    assert model.body_ipos[bodies[1]] == pytest.approx([0.5, 0.0, 0.0])


@pytest.mark.parametrize("bounce", [0.0, 0.3, 0.6, 0.9])
def test_a_dropped_ball_gives_back_its_share_of_the_speed(standing: Made, bounce: float) -> None:
    """From a fall of 1 m; the engine softens its springs by their depth, which is worth a few percent."""
    world = among(standing, prop("ball", Sphere(0.1), FAR + [0, 0, 1.1], bounce=bounce))
    height = prop_path(world, fall(standing, world, 1.0), "ball")[:, 2] - 0.1
    share = np.sqrt(height[height.argmin() :].max())
    assert share == pytest.approx(max(bounce, MIN_BOUNCE), abs=0.03)


def test_a_margin_keeps_things_away(standing: Made) -> None:
    world = among(standing, prop("box", Box(np.array([0.1, 0.1, 0.1])), FAR + [0, 0, 0.2], margin=0.03))
    assert prop_path(world, fall(standing, world, 1.0), "box")[-1, 2] == pytest.approx(0.13, abs=1e-3)


def test_a_stack_stands_and_a_pushed_box_pushes_the_next(standing: Made) -> None:
    """The pushed box slides; with equal masses the pair goes on with half of the speed at most."""
    stack = [
        prop(f"brick {i}", Box(np.array([0.1, 0.1, 0.1])), -FAR + [0, 0, 0.1 + 0.2 * i]) for i in range(4)
    ]
    pushed = [
        prop("first", Box(np.array([0.1, 0.1, 0.1])), FAR + [0, 0, 0.1], velocity=[2.0, 0, 0], friction=0.0),
        prop("second", Box(np.array([0.1, 0.1, 0.1])), FAR + [0.4, 0, 0.1], friction=0.0),
    ]
    world = among(standing, *stack, *pushed)
    trace = fall(standing, world, 1.0)
    for i, brick in enumerate(stack):
        path = prop_path(world, trace, brick.name)
        assert np.abs(path[:, :3] - brick.position).max() < 0.002 * (i + 1)
    speed = [np.diff(prop_path(world, trace, p.name)[-2:, 0])[0] / DT for p in pushed]
    assert sum(speed) == pytest.approx(2.0, rel=0.01), "nothing but the other box takes its momentum"
    assert speed[1] >= speed[0] > -0.1


def test_a_stack_that_lies_still_wakes_when_it_is_hit(standing: Made) -> None:
    stack = [
        prop(f"brick {i}", Box(np.array([0.1, 0.1, 0.1])), FAR + [0, 0, 0.1 + 0.2 * i]) for i in range(3)
    ]
    ball = prop("ball", Sphere(0.1), FAR + [-4.0, 0, 1.5], velocity=[4.0, 0.0, 3.0], mass=3.0)
    world = among(standing, *stack, ball)
    trace = fall(standing, world, 1.5)
    path = prop_path(world, trace, "brick 2")
    assert np.abs(path[80, :3] - stack[2].position).max() < 0.005, "not yet"
    assert path[-1, 0] > FAR[0] + 0.1


def test_the_character_and_a_prop_push_each_other_equally(standing: Made) -> None:
    """High above the floor, the only forces are weight and what the two do to each other."""
    chest = np.array([0.0, 0.0, 51.2])
    ball = prop("ball", Sphere(0.1), chest - [0.6, 0.0, 0.0], velocity=[6.0, 0.0, 0.0], mass=5.0)
    world = among(standing, ball)
    trace = fall(standing, world, 0.4)
    force = trace.contact_force.sum(axis=1)
    assert force[:, 0].max() > 100.0, "it must hit"
    mass = world.spec.mass
    push = mass * np.diff(com(world, trace), n=2, axis=0) / DT**2 + [0.0, 0.0, mass * GRAVITY]
    assert push == pytest.approx(force[1:-1], abs=1e-3 * np.abs(force).max())
    path = prop_path(world, trace, "ball")
    back = 5.0 * np.diff(path[:, :3], n=2, axis=0) / DT**2 + [0.0, 0.0, 5.0 * GRAVITY]
    assert back == pytest.approx(-push, abs=1e-3 * np.abs(force).max())


def test_a_foot_pushes_a_prop_with_all_of_its_shape_and_the_floor_with_its_sole(standing: Made) -> None:
    """A ball that comes at the heel from behind is turned back, though it meets no sole point."""
    start = raise_out_of_ground(standing.world, standing.qpos[0])
    place = np.array([-0.6, 0.09, 0.045])
    ball = prop("ball", Sphere(0.04), place, velocity=[3.0, 0.0, 0.0], friction=0.0, mass=0.1)
    world = among(standing, ball)
    springs = Holder(world, start, 2000.0, 20.0)
    trace = SingleSimulation(world, DT).run(springs, start, np.zeros(world.model.nv), 40)
    path = prop_path(world, trace, "ball")
    assert path[-1, 0] < -0.04, "it must not run through the foot"


def test_a_walk_goes_on_through_blocks_that_fly() -> None:
    """Three stacks of two light blocks in its way: all that the legs meet is gone, the body is not down."""
    made = made_for(walk(2.4))
    ready = prepared(made)
    ahead = float(ready.reference.qpos[len(ready.reference) // 2, 0])
    blocks = [
        prop(
            f"block {side} {layer}",
            Box(np.array([0.1, 0.1, 0.1])),
            np.array([ahead, 0.21 * side, 0.1 + 0.2 * layer]),
            mass=0.3,
        )
        for side in (-1, 0, 1)
        for layer in (0, 1)
    ]
    world = among(made, *blocks)
    trace = simulate(replace(made, world=world), ready)
    moved = [
        np.linalg.norm(np.diff(prop_path(world, trace, b.name)[[0, -1], :3], axis=0)) > 0.2 for b in blocks
    ]
    assert sum(moved) >= 4
    assert trace.qpos[-1, 2] > 0.8
    assert np.abs(trace.qpos[-1, :2] - ready.reference.qpos[-1, :2]).max() < 0.3


def test_a_motion_is_planned_as_if_props_were_not_there(standing: Made) -> None:
    block = prop("block", Box(np.array([0.3, 0.3, 0.5])), np.array([0.0, 0.0, 0.5]))
    world = among(standing, block)
    assert isinstance(world.ground, FlatGround)
    assert raise_out_of_ground(world, standing.qpos[0]) == pytest.approx(
        raise_out_of_ground(standing.world, standing.qpos[0])
    )
    slope = SceneObject("slope", Role.GROUND, Plane())
    surface = among(standing, slope, block).ground.below(np.array([[0.0, 0.0, 2.0]]))
    assert surface.height == pytest.approx(0.0)


def test_a_prop_far_away_changes_nothing(standing: Made) -> None:
    ready = prepared(standing)
    beside = replace(
        standing, world=among(standing, prop("block", Box(np.array([0.2, 0.2, 0.2])), FAR + [0, 0, 0.2]))
    )
    alone, together = simulate(standing, ready), simulate(beside, ready)
    assert together.qpos == pytest.approx(alone.qpos, abs=1e-6)
