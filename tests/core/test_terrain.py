"""A walk made for a flat floor is put on other ground: soles on surfaces, feet that clear edges."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.ndimage import maximum_filter1d

from sim_core.base import rotations
from sim_core.base.conventions import FloatArray
from sim_core.base.errors import InputError
from sim_core.dynamics.centroidal import support_points_over_time
from sim_core.reference.dynamic_filter import DynamicFilter, FilterSettings
from sim_core.reference.foot_trajectories import CLEARANCE
from sim_core.reference.footsteps import find_source_steps
from sim_core.reference.ground_projection import ProjectedMotion, project_on_ground
from sim_core.reference.object_prediction import predict_objects
from sim_core.scene.scene import Hinge, Keys, Role, Scene, SceneObject
from sim_core.scene.shapes import Box, HeightField, Plane
from sim_core.world.world import build_world
from tests.core.sample_motions import DT, walk
from tests.core.sample_motions import Scene as Made
from tests.core.sample_motions import scene as made_for

NOTHING_MOVED = 1e-6


@pytest.fixture(scope="module")
def walking() -> Made:
    return made_for(walk(2.4))


def on(made: Made, *objects: SceneObject, floor: bool | None = None) -> tuple[Made, ProjectedMotion]:
    world = build_world(made.world.spec, scene=Scene(objects, floor=floor))
    moved = replace(made, world=world)
    return moved, project_on_ground(world, made.qpos, made.schedule, DT)


def soles(made: Made, grounded: ProjectedMotion) -> FloatArray:
    return support_points_over_time(made.world, grounded.qpos, made.schedule.support)


def slope(angle: float) -> SceneObject:
    """Rises along X."""
    turn = rotations.from_vector(np.array([0.0, -angle, 0.0]))
    return SceneObject("slope", Role.GROUND, Plane(), quaternion=turn)


def box(name: str, role: Role, top: float, start: float, end: float, **more: object) -> SceneObject:
    """From start to end along X, its top at a height [m]."""
    centre, half = 0.5 * (start + end), 0.5 * (end - start)
    return SceneObject(name, role, Box([half, 3.0, 0.5]), np.array([centre, 0.0, top - 0.5]), **more)  # type: ignore[arg-type]


def test_flat_ground_changes_nothing(walking: Made) -> None:
    grounded = project_on_ground(walking.world, walking.qpos, walking.schedule, DT)
    assert grounded.qpos is walking.qpos
    assert not grounded.contact_ground.base.any() and not grounded.contact_ground.acceleration.any()


def test_ground_that_is_as_flat_changes_nothing_either(walking: Made) -> None:
    _, grounded = on(walking, box("floor", Role.GROUND, 0.0, -20.0, 20.0))
    assert np.abs(grounded.qpos - walking.qpos).max() < NOTHING_MOVED


@pytest.mark.parametrize("degrees", [5.0, -10.0])
def test_on_a_slope_soles_lie_on_it_and_the_body_goes_with_them(walking: Made, degrees: float) -> None:
    angle = np.radians(degrees)
    made, grounded = on(walking, slope(angle))
    points, touches = soles(made, grounded), walking.schedule.touches
    height = points[..., 2] - points[..., 0] * np.tan(angle)
    # Legs reach their feet to a millimetre.
    assert np.abs(height[touches]).max() < 2e-3
    normal = grounded.contact_ground.normal[touches]
    assert normal == pytest.approx(np.tile([-np.sin(angle), 0.0, np.cos(angle)], (len(normal), 1)))
    root = grounded.qpos[:, :3] - walking.qpos[:, :3]
    rise = root[-1, 2] - root[0, 2]
    way = walking.qpos[-1, 0] - walking.qpos[0, 0]
    assert rise == pytest.approx(way * np.tan(angle), abs=0.03)
    # The trunk stays upright: only legs and the pelvis's place change.
    assert np.array_equal(grounded.qpos[:, 3:7], walking.qpos[:, 3:7])


def test_steps_are_stood_on_with_the_whole_sole_and_edges_are_cleared(walking: Made) -> None:
    """An edge under the middle of a sole: the foot is set so far forwards that it stands even."""
    flat = support_points_over_time(walking.world, walking.qpos, walking.schedule.support)
    last = flat[-1, walking.schedule.foot == 0, 0]
    edge = float(last.mean())
    made, grounded = on(walking, box("step", Role.OBSTACLE, 0.05, edge, edge + 9.0))
    points, touches = soles(made, grounded), walking.schedule.touches
    ground = made.world.ground.below(points.reshape(-1, 3)).height.reshape(points.shape[:2])
    assert np.abs(points[..., 2] - ground)[touches].max() < 3e-3
    for foot in (0, 1):
        heights = ground[-1, walking.schedule.foot == foot]
        assert np.ptp(heights) < 1e-9, "no sole stands on the edge"
    # Between, no point is inside of the step, and well before and after its contacts it is well above.
    assert (points[..., 2] - ground).min() > -2e-3
    near = maximum_filter1d(touches.astype(int), 21, axis=0).astype(bool)
    over = ~near & (np.abs(points[..., 0] - edge) < 0.01)
    assert over.any()
    assert (points[..., 2] - 0.05)[over].min() > 0.5 * CLEARANCE


def test_roughness_tilts_each_sole_by_what_is_under_it(walking: Made) -> None:
    heights = np.random.default_rng(2).uniform(0.0, 0.02, size=(101, 101))
    field = SceneObject("field", Role.GROUND, HeightField(np.array([5.0, 5.0]), heights))
    made, grounded = on(walking, field)
    points, touches = soles(made, grounded), walking.schedule.touches
    ground = made.world.ground.below(points.reshape(-1, 3)).height.reshape(points.shape[:2])
    off = np.abs(points[..., 2] - ground)[touches]
    # A stiff sole on bumps of 2 cm: its plane passes between them.
    assert off.max() < 0.015 and off.mean() < 0.004


def test_a_platform_carries_the_whole_motion(walking: Made) -> None:
    time = np.arange(0.0, 3.0, 0.02)
    way = 0.1 * np.sin(np.pi * time)
    keys = Keys(time, np.outer(way, [0.3, 1.0, 0.0]) - [0, 0, 0.4], np.tile([1.0, 0, 0, 0], (len(time), 1)))
    _, grounded = on(walking, SceneObject("it", Role.MOVING, Box(np.array([9, 9, 0.5])), keys=keys))
    carried = grounded.qpos[:, :3] - walking.qpos[:, :3] - [0.0, 0.0, 0.1]
    wanted = np.outer(0.1 * np.sin(np.pi * np.arange(len(carried)) * DT), [0.3, 1.0, 0.0])
    # The pelvis follows smoothly: by 3 % less at this frequency.
    assert carried == pytest.approx(wanted, abs=0.05 * 0.1)
    points = support_points_over_time(walking.world, grounded.qpos, walking.schedule.support)
    flat = support_points_over_time(walking.world, walking.qpos, walking.schedule.support)
    assert points - flat - [0, 0, 0.1] == pytest.approx(np.repeat(wanted[:, None], 8, axis=1), abs=1e-3)
    # The ground's acceleration is that of the platform, where feet stand.
    touches = walking.schedule.touches
    bend = -(np.pi**2) * wanted
    inner = touches.copy()
    inner[:2], inner[-2:] = False, False
    found = grounded.contact_ground.acceleration[inner]
    assert found == pytest.approx(np.repeat(bend[:, None], touches.shape[1], axis=1)[inner], abs=0.02)


def test_a_step_onto_a_lift_takes_the_body_up(walking: Made) -> None:
    time = np.array([0.0, 10.0])
    keys = Keys(time, np.array([[0, 0, -0.4], [0, 0, 0.6]]), np.tile([1.0, 0, 0, 0], (2, 1)))
    _, grounded = on(walking, SceneObject("lift", Role.MOVING, Box(np.array([9, 9, 0.5])), keys=keys))
    risen = grounded.qpos[:, 2] - walking.qpos[:, 2]
    assert risen == pytest.approx(0.1 + 0.1 * np.arange(len(risen)) * DT, abs=5e-3)


def test_a_board_is_expected_to_tip_under_the_weight(walking: Made) -> None:
    angle, end = 0.05, float(walking.qpos[-1, 0])
    hinge = Hinge(np.array([0, 1, 0]), -angle, angle, 100.0, -angle)
    board = SceneObject(
        "board",
        Role.HINGE,
        Box(np.array([2.0, 1.0, 0.02])),
        np.array([0.5 * end, 0, 0.15]),
        mass=20.0,
        hinge=hinge,
    )
    made, grounded = on(walking, board)
    flat = support_points_over_time(walking.world, walking.qpos, walking.schedule.support)
    found = find_source_steps(flat, walking.schedule.touches, walking.schedule.foot, 0.0, DT)
    states = predict_objects(made.world, walking.qpos, found, DT)
    assert states[0].qpos[0] == pytest.approx(-angle, abs=1e-3)
    assert states[-1].qpos[0] == pytest.approx(angle, abs=2e-3)
    points, touches = soles(made, grounded), walking.schedule.touches
    for t in range(0, len(points), 10):
        ground = made.world.ground.below(points[t], states[t]).height
        assert np.abs(points[t, :, 2] - ground)[touches[t]].max() < 4e-3


def test_where_no_ground_is_the_time_is_told(walking: Made) -> None:
    with pytest.raises(InputError, match=r"no ground where a foot should stand at 0\.[0-9]+ s|at 1\."):
        on(walking, box("short", Role.GROUND, 0.0, -1.0, 0.3), floor=False)


def test_beside_a_short_ground_the_floor_goes_on(walking: Made) -> None:
    _, grounded = on(walking, box("short", Role.GROUND, 0.0, -1.0, 0.3))
    assert np.abs(grounded.qpos - walking.qpos).max() < NOTHING_MOVED


def test_on_slippery_ground_little_friction_is_planned_with(walking: Made) -> None:
    """A third of the usual friction gives a third of the cones' width."""
    made, grounded = on(walking, replace(slope(0.0), friction=0.3))
    settings = FilterSettings()
    filtered = DynamicFilter(
        made.world, made.schedule, DT, made.leg_length, settings, grounded.contact_ground
    ).run(grounded.qpos)
    push = filtered.support_force[made.schedule.touches]
    along = np.linalg.norm(push[:, :2], axis=1)
    assert np.all(along <= settings.friction / 3.0 * push[:, 2] + 1e-6)
    assert (along / np.maximum(push[:, 2], 1.0)).max() > 0.9 * settings.friction / 3.0, (
        "the walk would use more"
    )


def test_on_a_slope_forces_within_its_cones_explain_the_filtered_walk(walking: Made) -> None:
    made, grounded = on(walking, slope(np.radians(-10.0)))
    settings = FilterSettings()
    filtered = DynamicFilter(
        made.world, made.schedule, DT, made.leg_length, settings, grounded.contact_ground
    ).run(grounded.qpos)
    weight = 9.81 * made.world.spec.mass
    left = np.sqrt((filtered.residual[:, :3] ** 2).sum(axis=1).mean()) / weight
    assert left < 0.02
    normal = grounded.contact_ground.normal[0, 0]
    push = filtered.support_force[made.schedule.touches]
    along = push - np.outer(push @ normal, normal)
    assert np.all(np.linalg.norm(along, axis=1) <= settings.friction * (push @ normal) + 1e-6)
    points = support_points_over_time(made.world, filtered.qpos, made.schedule.support)
    height = points[..., 2] + points[..., 0] * np.tan(np.radians(10.0))
    assert np.abs(height[made.schedule.touches]).mean() < 2e-3
