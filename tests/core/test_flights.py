"""Projectiles meet the part they are thrown at, or are refused with the reason."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sim_core.base import rotations
from sim_core.base.conventions import GRAVITY, Z_UP, FloatArray
from sim_core.base.errors import InputError
from sim_core.character.posing import segment_poses
from sim_core.control.make_tracker import make_tracker
from sim_core.reference.prepare import Prepared
from sim_core.scene.scene import Keys, Launch, Role, Scene, SceneObject
from sim_core.scene.shapes import Box, Sphere
from sim_core.simulation.projectiles import Flight, aim, plan_flights
from sim_core.simulation.trace import Trace
from sim_core.world.world import World, build_world
from tests.core.sample_motions import DT, prepared, walk
from tests.core.sample_motions import Scene as Made
from tests.core.sample_motions import scene as made_for
from tests.core.sample_simulation import SingleSimulation
from tests.core.test_props import prop_path

RADIUS = 0.05
START = np.array([2.5, -1.5, 1.4])


@pytest.fixture(scope="module")
def walking() -> Made:
    return made_for(walk(1.8))


@pytest.fixture(scope="module")
def ready(walking: Made) -> Prepared:
    return prepared(walking)


def ball(launch: Launch, **more: Any) -> SceneObject:
    values: dict[str, Any] = {"position": START, "mass": 0.2, "launch": launch}
    return SceneObject("ball", Role.PROJECTILE, Sphere(RADIUS), **(values | more))


def parts(world: World) -> dict[str, int]:
    return {name: i for i, name in enumerate(world.spec.names)}


def planned(made: Made, ready: Prepared, *objects: SceneObject) -> tuple[World, tuple[Flight, ...]]:
    world = build_world(made.world.spec, scene=Scene(objects))
    return world, plan_flights(world, ready.reference, parts(world))


def simulated(made: Made, ready: Prepared, world: World, flights: tuple[Flight, ...]) -> Trace:
    tracker = make_tracker(world, ready, made.leg_length)
    reference = ready.reference
    ticks = len(reference) - 1
    return SingleSimulation(world, DT).run(
        tracker, reference.qpos[0], reference.qvel[0], ticks, flights=flights
    )


def middle(world: World, part: str, qpos: FloatArray) -> FloatArray:
    """Centres (T, 3) of a body part."""
    i = world.spec.names.index(part)
    position, quaternion = segment_poses(world.spec, qpos)
    return position[:, i] + rotations.rotate(quaternion[:, i], world.spec.segments[i].com)


def test_the_aim_solves_the_throw_at_a_still_target() -> None:
    """On level ground a throw over a distance d at speed v has sin(2 angle) = g d / v^2; low goes first."""
    speed, way = 8.0, 5.0
    times = np.arange(1, 300) * 0.01
    seconds, velocity = aim(np.zeros(3), lambda t: np.tile([way, 0.0, 0.0], (len(t), 1)), speed, times, 0.0)
    angle = 0.5 * np.arcsin(GRAVITY * way / speed**2)
    assert velocity == pytest.approx(speed * np.array([np.cos(angle), 0.0, np.sin(angle)]))
    assert seconds == pytest.approx(way / velocity[0])


def test_the_aim_meets_a_moving_target() -> None:
    def target(t: FloatArray) -> FloatArray:
        return np.stack([3.0 + 2.0 * np.sin(3.0 * t), 1.0 - t, 1.0 + 0.1 * t], axis=1)

    seconds, velocity = aim(np.zeros(3), target, 7.0, np.arange(1, 200) * 0.01, 0.002)
    assert np.linalg.norm(velocity) == pytest.approx(7.0)
    arrived = velocity * seconds - 0.5 * GRAVITY * seconds * (seconds + 0.002) * Z_UP
    assert arrived == pytest.approx(target(np.array([seconds]))[0])


@pytest.mark.parametrize("part", ["head", "pelvis", "thigh.L", "upper_arm.R"])
def test_a_projectile_hits_the_part_of_a_walking_character(walking: Made, ready: Prepared, part: str) -> None:
    """From the last sample before the hit on, it would pass the part's middle within 5 cm."""
    at = START * ([1.0, -1.0, 1.0] if part.endswith("L") else 1.0)
    world, flights = planned(walking, ready, ball(Launch(0.3, 8.0, part), position=at))
    trace = simulated(walking, ready, world, flights)
    path = prop_path(world, trace, "ball")[:, :3]
    slot = trace.contact_segment == world.spec.names.index(part)
    struck = np.linalg.norm(trace.contact_force[:, slot], axis=-1).max(axis=1) > 10.0
    first, waits = int(struck.argmax()), trace.time < 0.3 - 1e-6
    assert struck.any(), "it must hit that part"
    assert np.abs(path[waits] - at).max() < 1e-6
    before = first - 2  # forces reach a sample beyond the hit
    velocity = (path[before] - path[before - 1]) / DT
    away = middle(world, part, trace.qpos)[before] - path[before]
    along = velocity / np.linalg.norm(velocity)
    assert np.linalg.norm(away - (away @ along) * along) < 0.05
    arrival = round((0.3 + flights[0].seconds) / DT)
    assert abs(arrival - first) * DT * 8.0 < RADIUS + 0.25, "the hit is where its surface is"


def test_a_throw_along_a_direction_flies_that_way(walking: Made, ready: Prepared) -> None:
    spin = np.array([0.0, 6.0, 0.0])
    launch = Launch(0.1, 3.0, direction=np.array([0.0, -3.0, 4.0]))
    world, flights = planned(walking, ready, ball(launch, angular_velocity=spin))
    path = prop_path(world, simulated(walking, ready, world, flights), "ball")
    t = 0.3
    wanted = START + np.array([0.0, -1.8, 2.4]) * t - 0.5 * GRAVITY * t * (t + world.timestep) * Z_UP
    assert path[40, :3] == pytest.approx(wanted, abs=1e-6)
    assert np.abs(path[40, 3:]) == pytest.approx([np.cos(0.9), 0.0, np.sin(0.9), 0.0], abs=1e-6)


def test_times_are_those_of_the_motion_file(walking: Made, ready: Prepared) -> None:
    scene = Scene((ball(Launch(5.4, 8.0, "head")),))
    world = build_world(walking.world.spec, scene=scene, start_s=5.0)
    (flight,) = plan_flights(world, ready.reference, parts(world))
    assert flight.tick == 40


def wall(**more: Any) -> SceneObject:
    values: dict[str, Any] = {"position": 0.6 * START + [0.2, 0.0, 0.0]} | more
    return SceneObject("wall", Role.OBSTACLE, Box(np.array([0.6, 0.6, 1.5])), **values)


@pytest.mark.parametrize(
    ("objects", "words"),
    [
        ([ball(Launch(0.3, 1.0, "head"))], r"'ball' cannot reach head: at 1\.0 m/s .* give it \d"),
        ([ball(Launch(1.7, 8.0, "head"))], "cannot reach head"),
        ([ball(Launch(9.0, 8.0, "head"))], "launched at 9.00 s, but the motion goes from 0.00 to"),
        ([ball(Launch(-1.0, 8.0, "head"))], "launched at -1.00 s"),
        ([ball(Launch(0.3, 8.0, "tail"))], "'tail', which is no part"),
        ([ball(Launch(0.3, 8.0, "head")), wall()], "would meet 'wall' on its way"),
        ([ball(Launch(0.3, 8.0, "hand.L"))], "would meet the character's"),
        ([ball(Launch(0.3, 8.0, "head"), position=[0.0, 0.0, 1.2])], "inside the character's"),
        ([ball(Launch(0.3, 8.0, "head"), position=[3.0, 0.0, 0.0])], "inside the floor"),
    ],
)
def test_throws_that_cannot_succeed_are_refused(
    walking: Made, ready: Prepared, objects: list[SceneObject], words: str
) -> None:
    with pytest.raises(InputError, match=words) as caught:
        planned(walking, ready, *objects)
    assert "\n" not in str(caught.value)


def test_a_door_that_opens_in_time_lets_it_through(walking: Made, ready: Prepared) -> None:
    away, shut = [0.0, 0.0, 9.0], wall().position
    turn = np.tile([1.0, 0.0, 0.0, 0.0], (2, 1))
    door = replace(
        wall(), role=Role.MOVING, keys=Keys(np.array([0.0, 0.2]), np.array([shut, shut + away]), turn)
    )
    planned(walking, ready, ball(Launch(0.3, 8.0, "head")), door)
    late = replace(door, keys=Keys(np.array([1.0, 1.2]), np.array([shut, shut + away]), turn))
    with pytest.raises(InputError, match="would meet 'wall'"):
        planned(walking, ready, ball(Launch(0.3, 8.0, "head")), late)
