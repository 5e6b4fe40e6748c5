"""Forces of the ground that explain a motion: they carry the weight and stay inside the cone."""

from __future__ import annotations

import numpy as np
import pytest

from sim_core.character.from_rig import RigCharacter, character_from_rig
from sim_core.character.posing import pose_from_motion
from sim_core.conventions import GRAVITY, FloatArray
from sim_core.dynamics.ground import FRICTION, explain, pyramid, solve_forces
from sim_core.reference.reference import Reference, reference_from_poses
from sim_core.simulation.world import World, build_world
from tests.core.sample_people import MAPPING, moving, person, standing


@pytest.fixture(scope="module")
def built() -> RigCharacter:
    return character_from_rig(person(moving()), MAPPING)


@pytest.fixture(scope="module")
def world(built: RigCharacter) -> World:
    return build_world(built.spec)


@pytest.fixture(scope="module")
def stance(built: RigCharacter) -> FloatArray:
    return pose_from_motion(built.spec, built.binding, person(standing()))[0]


def held(
    world: World, qpos: FloatArray, acceleration: FloatArray | float = 0.0, samples: int = 1
) -> Reference:
    """One pose, at rest, with the whole body accelerated along x, y, z [m/s^2]."""
    qacc = np.zeros((samples, world.model.nv))
    qacc[:, :3] = acceleration
    return Reference(np.tile(qpos, (samples, 1)), np.zeros_like(qacc), qacc, 0.01)


def test_a_standing_body_is_carried_by_its_soles(world: World, stance: FloatArray) -> None:
    forces = explain(world, held(world, stance))
    weight = world.spec.mass * GRAVITY
    total = forces.sole_force[0].sum(axis=0)
    # Least squares weighs forces and torques against the root's part: a thousandth of the weight may be left.
    assert total == pytest.approx([0.0, 0.0, weight], abs=1e-3 * weight)
    assert np.abs(forces.residual[0]).max() < 1e-3 * weight


def test_forces_stay_inside_the_pyramid(world: World, built: RigCharacter) -> None:
    motion = person(moving())
    qpos = pose_from_motion(built.spec, built.binding, motion)
    force = explain(world, reference_from_poses(world.model, qpos, 0.02)).sole_force
    assert force[..., 2].min() >= 0.0
    sideways = np.abs(force[..., :2]).sum(axis=-1)
    assert np.all(sideways <= FRICTION * force[..., 2] + 1e-9)


@pytest.mark.parametrize("push", [(0.5, 0.0, 0.0), (0.0, 0.4, 0.0), (0.0, 0.0, 3.0), (0.0, 0.0, -5.0)])
def test_an_accelerated_body_gets_mass_times_acceleration(
    world: World, stance: FloatArray, push: tuple[float, float, float]
) -> None:
    forces = explain(world, held(world, stance, np.array(push)))
    mass = world.spec.mass
    expected = mass * (np.array(push) + [0.0, 0.0, GRAVITY])
    assert forces.sole_force[0].sum(axis=0) == pytest.approx(expected, abs=2e-3 * mass * GRAVITY)


def test_more_than_friction_gives_is_left_over(world: World, stance: FloatArray) -> None:
    """Nobody starts at 2 g sideways on the spot: the rest stays with the root."""
    push = 2.0 * GRAVITY
    forces = explain(world, held(world, stance, np.array([push, 0.0, 0.0])))
    assert forces.residual[0, 0] > 0.5 * world.spec.mass * push


def test_nothing_pushes_a_body_in_the_air(world: World, stance: FloatArray) -> None:
    jumping = stance.copy()
    jumping[2] += 0.2
    forces = explain(world, held(world, jumping, np.array([0.0, 0.0, -GRAVITY])))
    assert not forces.sole_force.any()
    assert np.abs(forces.residual).max() < 1e-9, "free fall needs no force"
    assert np.abs(forces.torque).max() < 1e-9


def test_torques_and_forces_add_up_to_the_motion(world: World, stance: FloatArray) -> None:
    """What is not explained by soles and joints is exactly what is called residual."""
    forces = explain(world, held(world, stance, np.array([0.3, 0.0, 1.0])))
    mass = world.spec.mass
    together = forces.sole_force[0].sum(axis=0) + forces.residual[0, :3]
    assert together == pytest.approx(mass * np.array([0.3, 0.0, 1.0 + GRAVITY]), abs=1e-6)


def test_the_pyramid_leans_by_the_friction() -> None:
    edges = pyramid(0.5)
    assert np.allclose(edges[:, 2], 1.0)
    assert np.allclose(np.abs(edges[:, :2]).sum(axis=1), 0.5)
    assert np.allclose(edges.sum(axis=0), [0.0, 0.0, 4.0])


def test_a_weight_on_two_points_is_shared_by_its_lever() -> None:
    """A beam with supports at x = 0 and x = 1 and 8 N at x = 0.25: 6 N and 2 N."""
    columns = np.zeros((6, 2))
    columns[2] = 1.0
    columns[4] = [0.0, -1.0]  # moment about y of a vertical force at x
    needed = np.array([0.0, 0.0, 8.0, 0.0, -2.0, 0.0])
    # The small weight on forces, 1e-3, moves the answer by about its square.
    assert solve_forces(columns, needed) == pytest.approx([6.0, 2.0], abs=1e-4)


def test_a_pull_of_the_ground_is_never_asked_for() -> None:
    weights = solve_forces(np.eye(6)[:, 2:3], np.array([0.0, 0.0, -8.0, 0.0, 0.0, 0.0]))
    assert weights == pytest.approx([0.0])
