"""What lies under a point is known for every shape, and moves with what it belongs to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sim_core.base import rotations
from sim_core.base.conventions import FloatArray
from sim_core.scene.scene import Hinge, Keys, Role, Scene, SceneObject
from sim_core.scene.shapes import Box, Capsule, Cylinder, HeightField, Hull, Plane, Shape, Sphere
from sim_core.world.ground import FLOOR, NOTHING, FlatGround, ObjectState, SceneGround, has_floor, make_ground


def about(axis: int, angle: float) -> FloatArray:
    return rotations.from_vector(angle * np.eye(3)[axis])


def ground_of(shape: Shape, role: Role = Role.GROUND, **pose: Any) -> SceneGround:
    return SceneGround(Scene((SceneObject("it", role, shape, **pose),), floor=role is not Role.GROUND), 0.0)


def test_flat_ground_is_the_same_everywhere() -> None:
    ground = make_ground(Scene(), 0.3)
    assert isinstance(ground, FlatGround)
    found = ground.below(np.array([[0.0, 0.0, 1.0], [5.0, -2.0, 0.1]]))
    assert found.height == pytest.approx([0.3, 0.3])
    assert found.normal == pytest.approx(np.tile([0.0, 0.0, 1.0], (2, 1)))
    assert not found.velocity.any() and (found.object == FLOOR).all()


def test_a_slope_rises_by_its_tangent() -> None:
    angle = np.radians(10.0)
    found = ground_of(Plane(), quaternion=about(1, -angle)).below(np.array([[2.0, 1.0, 3.0]]))
    assert found.height[0] == pytest.approx(2.0 * np.tan(angle))
    assert found.normal[0] == pytest.approx([-np.sin(angle), 0.0, np.cos(angle)])


@pytest.mark.parametrize(
    ("shape", "top"),
    [
        (Box(np.array([1, 1, 0.2])), 0.2),
        (Sphere(0.5), 0.5),
        (Cylinder(1.0, 0.3), 0.3),
        (Capsule(0.2, 0.3), 0.5),
        (Hull(0.25 * np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])), 0.25),
    ],
)
def test_tops_of_solids(shape: Shape, top: float) -> None:
    place = np.array([1.0, 2.0, 0.7])
    found = ground_of(shape, position=place).below(np.array([[1.0, 2.0, 3.0], [9.0, 2.0, 3.0]]))
    assert found.height[0] == pytest.approx(0.7 + top)
    assert found.normal[0] == pytest.approx([0.0, 0.0, 1.0], abs=1e-6)
    assert np.isneginf(found.height[1]) and found.object.tolist() == [0, NOTHING]


def test_a_height_field_goes_through_its_heights_rows_along_y() -> None:
    heights = np.random.default_rng(0).uniform(-1.0, 0.5, size=(4, 6))
    ground = ground_of(HeightField(np.array([5.0, 3.0]), heights), position=np.array([1.0, -2.0, 4.0]))
    x, y = 1.0 + np.linspace(-5.0, 5.0, 6), -2.0 + np.linspace(-3.0, 3.0, 4)
    # Rays along the very border miss it.
    points = np.array([[x[j], y[i], 9.0] for i in (1, 2) for j in range(1, 5)])
    assert ground.below(points).height == pytest.approx(4.0 + heights[1:3, 1:5].reshape(-1), abs=1e-6)


def test_obstacles_stand_on_the_floor_and_rays_from_within_look_below() -> None:
    ground = ground_of(Box(np.array([1, 1, 1])), Role.OBSTACLE, position=np.array([0.0, 0.0, 3.0]))
    found = ground.below(np.array([[0.0, 0.0, 9.0], [0.0, 0.0, 3.0], [0.0, 0.0, 1.0]]))
    assert found.height == pytest.approx([4.0, 0.0, 0.0])
    assert found.object.tolist() == [0, FLOOR, FLOOR]


def test_the_grip_is_a_share_of_the_usual_friction_and_no_more_than_that() -> None:
    places = (("ice", 0.09, 0.0), ("rubber", 2.0, 5.0))
    boxes = [
        SceneObject(n, Role.OBSTACLE, Box(np.array([1, 1, 1])), np.array([x, 0.0, 0.0]), friction=f)
        for n, f, x in places
    ]
    found = SceneGround(Scene(tuple(boxes)), 0.0).below(
        np.array([[0.0, 0, 1.2], [5.0, 0, 1.2], [9.0, 0, 1.2]])
    )
    assert found.friction_scale == pytest.approx([0.1, 1.0, 1.0])


def test_a_moving_surface_has_the_velocity_of_its_body() -> None:
    keys = Keys(np.array([0, 1]), np.zeros((2, 3)), np.tile([1.0, 0, 0, 0], (2, 1)))
    ground = SceneGround(
        Scene((SceneObject("disc", Role.MOVING, Box(np.array([2, 2, 0.1])), keys=keys),)), -5.0
    )
    turned = about(2, 0.4)
    state = ObjectState(np.array([1.0, 0.0, 0.5, *turned]), np.array([0.3, 0.0, 0.1, 0.0, 0.0, 2.0]))
    found = ground.below(np.array([[1.5, 0.0, 2.0]]), state)
    assert found.height[0] == pytest.approx(0.6)
    assert found.velocity[0] == pytest.approx([0.3, 2.0 * 0.5, 0.1])
    place, turn = ground.pose(0, state)
    assert place == pytest.approx([1.0, 0.0, 0.5])
    assert turn == pytest.approx(rotations.to_matrix(turned))


def test_a_board_falls_where_its_hinge_lets_it() -> None:
    board = SceneObject(
        "board",
        Role.HINGE,
        Box(np.array([1.0, 0.3, 0.05])),
        np.array([0, 0, 0.5]),
        mass=10.0,
        hinge=Hinge(np.array([0, 1, 0]), -0.3, 0.3),
    )
    found = SceneGround(Scene((board,)), 0.0).below(
        np.array([[0.8, 0.0, 2.0]]), ObjectState(np.array([0.2]), np.array([1.0]))
    )
    # About +Y the front goes down: the top face passes 0.05 above the hinge.
    height = 0.5 + 0.05 / np.cos(0.2) - 0.8 * np.tan(0.2)
    assert found.height[0] == pytest.approx(height)
    assert found.velocity[0] == pytest.approx(np.cross([0.0, 1.0, 0.0], [0.8, 0.0, height - 0.5]))


def block(top: float, tilt_deg: float = 0.0, half_size: tuple[float, float] = (1.0, 1.0)) -> SceneObject:
    """A slab of ground whose upper side is at a height [m], tilted about the Y axis through its middle."""
    turn = rotations.from_vector(np.array([0.0, np.radians(tilt_deg), 0.0]))
    middle = np.array([0.0, 0.0, top]) - rotations.rotate(turn, np.array([0.0, 0.0, 0.1]))
    return SceneObject("slab", Role.GROUND, Box(np.array([*half_size, 0.1])), middle, turn)


@pytest.mark.parametrize(
    ("slab", "floor"),
    [
        (block(0.0), True),
        (block(0.4), True),
        (block(-0.3), False),
        (block(0.0, 10.0, (5.0, 5.0)), False),
        (block(0.5, 16.0, (1.9, 1.0)), True),
    ],
    ids=["level", "a step", "a pit", "a slope through the floor", "a ramp that starts on the floor"],
)
def test_the_floor_stays_unless_it_would_cover_the_ground(slab: SceneObject, floor: bool) -> None:
    assert has_floor(Scene((slab,)), 0.0) is floor
    beside = make_ground(Scene((slab,)), 0.0).below(np.array([[20.0, 0.0, 0.0]]))
    assert bool(beside.object[0] == FLOOR) is floor
    assert has_floor(Scene((slab,), floor=True), 0.0)
    assert not has_floor(Scene((slab,), floor=False), 0.0)


def test_endless_ground_needs_no_floor() -> None:
    assert not has_floor(Scene((SceneObject("plane", Role.GROUND, Plane()),)), 0.0)
    assert has_floor(Scene(), 0.0)
