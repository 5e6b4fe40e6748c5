"""A walk that meets an object gets a path on which it passes it, with feet that stand still."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from sim_core.bake.notes import passing_notes
from sim_core.base import rotations
from sim_core.base.conventions import FloatArray
from sim_core.base.intervals import smooth_step
from sim_core.dynamics.centroidal import measure_centroidal, support_points_over_time
from sim_core.reference.ground_projection import KEPT_ABOVE, find_steps
from sim_core.reference.obstacles import LEAST_CLEARANCE, PassedObstacles, pass_obstacles
from sim_core.reference.passing.stop import DISTANCE
from sim_core.reference.passing.walk import SOLE_MARGIN
from sim_core.reference.prepare import put_on_ground
from sim_core.reference.walked_path import Detour, change_path, walk_along, walked_path
from sim_core.result.records import ObstaclePassing, ReferenceChange
from sim_core.scene.scene import Keys, Passing, Role, Scene, SceneObject
from sim_core.scene.shapes import Box
from sim_core.world.world import World, build_world
from tests.core.sample_motions import DT, walk
from tests.core.sample_motions import Scene as Made
from tests.core.sample_motions import scene as made_for

LEG_LENGTH = 0.86
SECONDS = 8.4


@pytest.fixture(scope="module")
def walking() -> Made:
    return made_for(walk(SECONDS, length=0.7))


def middle(made: Made) -> FloatArray:
    """The position of the pelvis on the floor half way along the path."""
    return np.array([*made.qpos[len(made.qpos) // 2, :2], 0.0])


def block(place: FloatArray, size: float, wide: float | None = None, **more: object) -> SceneObject:
    """A box on the floor; X is the direction of the walk."""
    half = np.array([0.5 * size, 0.5 * (size if wide is None else wide), 0.5 * size])
    return SceneObject("box", Role.OBSTACLE, Box(half), place + [0.0, 0.0, 0.5 * size], **more)  # type: ignore[arg-type]


def among(made: Made, *objects: SceneObject) -> World:
    return build_world(made.world.spec, scene=Scene(objects))


def passed(made: Made, *objects: SceneObject) -> tuple[World, PassedObstacles]:
    world = among(made, *objects)
    return world, pass_obstacles(world, made.qpos, made.schedule, DT, LEG_LENGTH)


def sole_points(world: World, made: Made, qpos: FloatArray) -> FloatArray:
    return support_points_over_time(world, qpos, made.schedule.support)


def closest(world: World, qpos: FloatArray) -> float:
    """The least distance of the body to any object over a motion [m], by the engine's own collisions."""
    model, data = world.engine.model, mujoco.MjData(world.engine.model)
    own = np.flatnonzero(np.isin(model.geom_bodyid, world.engine.index.body))
    least = np.inf
    for pose in qpos[::3]:
        data.qpos[world.engine.index.qpos] = pose
        mujoco.mj_kinematics(model, data)
        distances = [
            mujoco.mj_geomDistance(model, data, int(geom), int(other), 1.0, None)
            for geom in own
            for other in world.engine.objects.geom
        ]
        least = min(least, *distances)
    return least


@pytest.fixture(scope="module")
def around(walking: Made) -> tuple[World, PassedObstacles]:
    """Past a high box a little to the left of the path."""
    return passed(walking, block(middle(walking) + [0.0, 0.08, 0.0], 0.6))


def test_a_detour_is_whole_beside_the_object_and_nothing_far_away() -> None:
    detour = Detour(np.array([0.0, 0.5]), first=3.0, last=4.0, rise=1.0, fall=2.0)
    at = detour.at(np.array([0.0, 2.0, 3.0, 3.5, 4.0, 6.0, 9.0]))
    assert at[:, 1] == pytest.approx([0.0, 0.0, 0.5, 0.5, 0.5, 0.0, 0.0])
    beside = replace(detour, fall=np.inf).at(np.array([4.0, 9.0]))
    assert beside[:, 1] == pytest.approx([0.5, 0.5])


def test_a_path_without_detours_leaves_the_motion_as_it_is(walking: Made) -> None:
    steps = find_steps(walking.world, walking.qpos, walking.schedule, DT)
    path = change_path(walked_path(walking.qpos, DT), [])
    same = walk_along(walking.world, walking.qpos, steps, path, size=1.0)
    # Legs that the made-up walk stretches fully are bent a little: the body sinks by millimetres.
    before, after = (sole_points(walking.world, walking, qpos) for qpos in (walking.qpos, same))
    assert np.abs(before - after).max() < 5e-3


def test_the_body_turns_by_the_angle_of_its_path(walking: Made) -> None:
    path = walked_path(walking.qpos, DT)
    changed = change_path(path, [Detour(np.array([0.0, 0.4]), path.length[-1], path.length[-1], 2.0, np.inf)])
    old, new = (np.gradient(own, DT, axis=0) for own in (path.centre, path.centre + changed.displacement))
    steepest = int(np.argmax(np.abs(new[:, 1] - old[:, 1])))
    before, after = (np.arctan2(own[steepest, 1], own[steepest, 0]) for own in (old, new))
    # Smoothing over a tenth of a second takes a little off the peak.
    assert changed.turn[steepest] == pytest.approx(after - before, rel=0.1)


def test_a_high_box_is_walked_around(walking: Made, around: tuple[World, PassedObstacles]) -> None:
    world, outcome = around
    assert outcome.qpos is not None
    (passing,) = outcome.passings
    assert (passing.way, passing.side) == ("around", "right"), "on the side on which there is more room"
    # Between the samples at which the planner looks, a swinging foot may come a little nearer.
    assert closest(world, outcome.qpos) > 0.5 * LEAST_CLEARANCE
    assert outcome.qpos[-1, :2] == pytest.approx(walking.qpos[-1, :2], abs=0.02), "it comes back to its path"


def test_feet_stand_still_on_a_changed_path(walking: Made, around: tuple[World, PassedObstacles]) -> None:
    world, outcome = around
    assert outcome.qpos is not None
    before, after = (sole_points(world, walking, qpos) for qpos in (walking.qpos, outcome.qpos))
    still = walking.schedule.touches[1:] & walking.schedule.touches[:-1]
    slips = [np.linalg.norm(np.diff(points[..., :2], axis=0), axis=-1)[still] for points in (before, after)]
    # A rigid displacement of each stance adds nothing but the tolerance of the legs' solver.
    assert slips[1].max() < slips[0].max() + 1e-3


def test_a_walk_may_go_on_beside_its_path(walking: Made) -> None:
    _, outcome = passed(walking, block(middle(walking), 0.6, comes_back=False))
    assert outcome.qpos is not None
    aside = abs(outcome.qpos[-1, 1] - walking.qpos[-1, 1])
    assert aside == pytest.approx(outcome.passings[0].shift_m, abs=0.02)


def test_a_low_bar_across_the_path_is_stepped_over(walking: Made) -> None:
    bar = block(middle(walking), 0.1, wide=8.0)
    world, outcome = passed(walking, bar)
    assert outcome.passings[0].way == "over"
    qpos = walking.qpos if outcome.qpos is None else outcome.qpos
    for step in find_steps(world, qpos, walking.schedule, DT):
        along = step.corners[:, 0] - bar.position[0]
        apart = along.min() - 0.05 if along.mean() > 0.0 else -along.max() - 0.05
        assert not step.stands or apart > 0.9 * SOLE_MARGIN
    grounded = put_on_ground(world, walking.qpos, DT, LEG_LENGTH)
    assert closest(world, grounded.projected.qpos) > 0.0, "swinging feet clear it"


def test_low_and_deep_objects_are_stepped_onto(walking: Made) -> None:
    half = np.array([0.6, 2.0, 0.05])
    stage = SceneObject("stage", Role.OBSTACLE, Box(half), middle(walking) + [0.0, 0.0, 0.05])
    _, outcome = passed(walking, stage)
    assert outcome.qpos is None and outcome.passings[0].way == "onto"


def test_what_is_not_in_the_way_changes_nothing(walking: Made) -> None:
    _, outcome = passed(walking, block(middle(walking) + [0.0, 2.0, 0.0], 0.6))
    assert outcome.qpos is None and outcome.passings == ()


def test_ignored_objects_ground_and_platforms_are_met_as_they_are(walking: Made) -> None:
    place = middle(walking)
    keys = Keys(np.array([0.0, 1.0]), np.tile(place, (2, 1)), np.tile([1.0, 0.0, 0.0, 0.0], (2, 1)))
    platform = SceneObject("platform", Role.MOVING, Box(np.full(3, 0.1)), keys=keys)
    ignored, ground = block(place, 0.6, passing=Passing.IGNORE), replace(block(place, 0.6), role=Role.GROUND)
    for obj in (ignored, ground, platform):
        assert passed(walking, obj)[1].passings == ()


def test_a_moving_object_is_passed_where_it_is_by_then(walking: Made) -> None:
    """The box comes into the path and is half way across when the walk arrives; before, it is far away."""
    place, away = middle(walking) + [0.0, 0.0, 0.3], np.array([0.0, 6.0, 0.0])
    time, unturned = np.array([0.0, 0.4 * SECONDS, SECONDS]), np.tile([1.0, 0.0, 0.0, 0.0], (3, 1))
    keys = Keys(time, np.stack([place + away, place, place]), unturned)
    door = SceneObject("door", Role.MOVING, Box(np.full(3, 0.3)), keys=keys, passing=Passing.AROUND)
    assert passed(walking, door)[1].passings[0].way == "around"
    gone = replace(door, keys=replace(keys, position=np.stack([place, place + away, place + away])))
    assert passed(walking, gone)[1].passings == ()


def wall(made: Made, **more: object) -> SceneObject:
    """A wall across the path that has no end."""
    place = middle(made) + [0.0, 0.0, 1.0]
    return SceneObject("wall", Role.OBSTACLE, Box(np.array([0.1, 9.0, 1.0])), place, **more)  # type: ignore[arg-type]


def test_before_a_wall_without_an_end_the_walk_comes_to_a_stand(walking: Made) -> None:
    world, outcome = passed(walking, wall(walking))
    assert outcome.qpos is not None
    (passing,) = outcome.passings
    assert (passing.way, passing.end_s) == ("stop", None)
    still = outcome.qpos[round(passing.start_s / DT) :]
    assert np.abs(still - still[0]).max() < 1e-3, "it stands to the end"
    assert closest(world, outcome.qpos) > 0.9 * DISTANCE
    points = sole_points(world, walking, still[-1:])[0]
    com = measure_centroidal(world, still[-1:], np.arange(8)).com[0]
    low, high = points.min(axis=0)[:2], points.max(axis=0)[:2]
    assert (low < com[:2]).all() and (com[:2] < high).all(), "its weight is over its soles"
    (sentence,) = passing_notes(_change(outcome.passings))
    assert sentence.startswith("Stops before 'wall'") and "to the end" in sentence


def test_what_leaves_no_room_for_a_stand_is_said_to_be_in_the_way(walking: Made) -> None:
    near = np.array([*walking.qpos[0, :2], 1.0]) + [0.35, 0.0, 0.0]
    _, outcome = passed(walking, replace(wall(walking), position=near))
    assert outcome.qpos is None and outcome.passings[0].way == "ignore"
    (sentence,) = passing_notes(_change(outcome.passings))
    assert "'wall' is in the way" in sentence and "no room" in sentence


def test_a_walk_waits_until_a_door_is_open(walking: Made) -> None:
    shut = np.array([*middle(walking)[:2], 1.0])
    time = np.arange(0.0, SECONDS, 0.1)
    aside = 9.0 * smooth_step(time - 5.0)
    position = shut + np.outer(aside, [0.0, 1.0, 0.0])
    keys = Keys(time, position, np.tile([1.0, 0.0, 0.0, 0.0], (len(time), 1)))
    door = SceneObject("door", Role.MOVING, Box(np.array([0.05, 2.0, 1.0])), keys=keys, passing=Passing.STOP)
    _, outcome = passed(walking, door)
    assert outcome.qpos is not None
    (passing,) = outcome.passings
    assert passing.end_s is not None and 4.0 < passing.end_s < 6.0, "not before it opens"
    assert outcome.qpos[-1, 0] > shut[0] + 0.5, "and then through it"
    assert outcome.qpos[-1, 0] < walking.qpos[-1, 0] - 1.0, "but not as far as without the wait"


def test_under_a_bar_the_body_ducks_and_straightens_again(walking: Made) -> None:
    tall = np.array([*middle(walking)[:2], 1.0])
    top = closest_top(walking)
    bar = SceneObject(
        "bar", Role.OBSTACLE, Box(np.array([0.03, 4.0, 0.03])), tall * [1, 1, 0] + [0, 0, top - 0.08]
    )
    world, outcome = passed(walking, bar)
    assert outcome.qpos is not None and outcome.passings[0].way == "under"
    assert closest(world, outcome.qpos) > LEAST_CLEARANCE
    for end in (0, -1):
        hips = outcome.qpos[end, :7], walking.qpos[end, :7]
        assert hips[0] == pytest.approx(hips[1], abs=0.02), "upright far from the bar"


def closest_top(made: Made) -> float:
    """The height of the highest point of the body half way [m]."""
    model, data = made.world.model, mujoco.MjData(made.world.model)
    data.qpos[:] = made.qpos[len(made.qpos) // 2]
    mujoco.mj_kinematics(model, data)
    return float((data.geom_xpos[:, 2] + model.geom_rbound)[data.geom_xpos[:, 2] > 1.0].max())


def test_over_a_higher_object_the_walk_is_slower(walking: Made) -> None:
    _, outcome = passed(walking, block(middle(walking), 0.2, wide=8.0))
    (passing,) = outcome.passings
    assert outcome.qpos is not None and passing.way == "over" and passing.delay_s > 0.1
    speed = np.gradient(walked_path(walking.qpos, DT).length, DT).mean()
    lag = walking.qpos[-1, 0] - outcome.qpos[-1, 0]
    # What is shifted of the steps adds to the way that is not walked for the delay.
    assert lag == pytest.approx(passing.delay_s * speed, abs=passing.shift_m + 0.1)


def test_the_filter_keeps_swinging_feet_above_what_is_stepped_over(walking: Made) -> None:
    """While a sole is over the bar or about to be, the ground that it must clear is more than its top."""
    bar = block(middle(walking), 0.2, wide=8.0)
    grounded = put_on_ground(among(walking, bar), walking.qpos, DT, LEG_LENGTH)
    ground, schedule = grounded.projected.contact_ground, grounded.schedule
    swings = (schedule.foot >= 0) & ~schedule.touches
    over = swings & (np.abs(ground.base[..., 0] - bar.position[0]) < 0.1)
    assert over.any() and ground.base[over][:, 2].min() == pytest.approx(0.2 + KEPT_ABOVE, abs=1e-6)
    far = swings & (np.abs(ground.base[..., 0] - bar.position[0]) > 1.0)
    assert np.abs(ground.base[far][:, 2]).max() < 1e-6


@pytest.mark.parametrize("degrees", [30.0, -30.0])
def test_a_box_that_is_turned_is_walked_around_as_well(walking: Made, degrees: float) -> None:
    turned = rotations.about_vertical(np.radians(degrees))
    world, outcome = passed(walking, block(middle(walking), 0.6, quaternion=turned))
    assert outcome.qpos is not None and outcome.passings[0].way == "around"
    assert closest(world, outcome.qpos) > 0.5 * LEAST_CLEARANCE


def test_a_prop_in_the_scene_does_not_hide_an_obstacle(walking: Made) -> None:
    prop = SceneObject("ball", Role.PROP, Box(np.full(3, 0.1)), np.array([0.0, 5.0, 0.1]), mass=1.0)
    low = block(middle(walking), 0.1, wide=8.0)
    assert passed(walking, prop, low)[1].passings == passed(walking, low)[1].passings


def test_two_boxes_are_passed_one_after_the_other(walking: Made) -> None:
    first, second = (
        replace(block(middle(walking) + [ahead, 0.0, 0.0], 0.5), name=name)
        for ahead, name in ((-0.9, "first"), (0.9, "second"))
    )
    world, outcome = passed(walking, first, second)
    assert outcome.qpos is not None
    assert closest(world, outcome.qpos) > 0.5 * LEAST_CLEARANCE


def _change(passings: tuple[ObstaclePassing, ...]) -> ReferenceChange:
    return ReferenceChange(0.0, 0.0, {}, 0.0, 0.0, 0.0, passings)
