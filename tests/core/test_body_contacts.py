"""Hands, knees and the trunk on the ground: found, counted on, and stood on."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from sim_core.base import rotations
from sim_core.base.conventions import GRAVITY, BoolArray, FloatArray, IntArray
from sim_core.character.from_rig import character_from_rig
from sim_core.character.posing import pose_from_motion
from sim_core.character.preset_character import load_character
from sim_core.character.transfer import transfer_motion
from sim_core.control.make_tracker import make_tracker
from sim_core.dynamics.centroidal import measure_bodies
from sim_core.reference.body_contacts import (
    BESIDE,
    REST_HEIGHT,
    beside_objects,
    detect_body_contacts,
    lowest_points,
)
from sim_core.reference.dynamic_filter import FilterSettings
from sim_core.reference.prepare import make_feasible, put_on_ground
from sim_core.world.world import World, build_world
from tests.core.sample_motions import DT, drop_jump
from tests.core.sample_motions import scene as made_scene
from tests.core.sample_people import MAPPING, person, standing
from tests.core.sample_simulation import SingleSimulation

LEG = 0.86


@pytest.fixture(scope="module")
def world() -> World:
    return build_world(character_from_rig(person(standing()), MAPPING).spec)


@pytest.fixture(scope="module")
def upright() -> FloatArray:
    built = character_from_rig(person(standing()), MAPPING)
    return pose_from_motion(built.spec, built.binding, person(standing()))[0]


def lowest(world: World, pose: FloatArray) -> float:
    """Height of the lowest support above the ground [m]."""
    data, index = mujoco.MjData(world.model), world.index
    data.qpos[:] = pose
    mujoco.mj_kinematics(world.model, data)
    turn = data.xmat[index.support_body].reshape(-1, 3, 3)
    centres = data.xpos[index.support_body] + (turn @ index.support_point[..., None])[..., 0]
    return float((centres[:, 2] - index.support_radius).min())


def lying(world: World, upright: FloatArray, samples: int = 60) -> FloatArray:
    """On the back, at rest (T, nq)."""
    pose = upright.copy()
    mujoco.mju_axisAngle2Quat(pose[3:7], np.array([0.0, 1.0, 0.0]), -np.pi / 2)
    pose[2] -= lowest(world, pose)
    return np.tile(pose, (samples, 1))


def still(poses: FloatArray) -> FloatArray:
    """A centre of mass (T, 3) that does not move."""
    return np.zeros((len(poses), 3))


def contacts(
    world: World, poses: FloatArray, com: FloatArray, stands: BoolArray
) -> tuple[BoolArray, IntArray]:
    """What touches when (T, N), and the indices of the supports (N)."""
    points, speed = lowest_points(world, measure_bodies(world, poses), DT, world.index.resting)
    return detect_body_contacts(world, points, speed, DT, com, 1.0, stands)


def nowhere(poses: FloatArray) -> BoolArray:
    """No foot stands (T)."""
    return np.zeros(len(poses), dtype=bool)


def everywhere(poses: FloatArray) -> BoolArray:
    """A foot stands at all times (T)."""
    return np.ones(len(poses), dtype=bool)


def parts(world: World, supports: IntArray) -> set[str]:
    bodies = world.index.support_body[supports]
    return {world.spec.names[s].split(".")[0] for s in world.index.segment_of(bodies)}


def test_who_stands_rests_on_nothing_else(world: World, upright: FloatArray) -> None:
    poses = np.tile(upright, (20, 1))
    touches, supports = contacts(world, poses, still(poses), everywhere(poses))
    assert touches.shape == (20, 0) and len(supports) == 0


def test_a_flat_part_rests_on_its_lower_side() -> None:
    """Toes of 4 cm: their upper corners are as low as a part that rests, but nothing can push them."""
    cast = transfer_motion(load_character("dasilva2008_3d"), person(standing()), MAPPING)
    made, poses = build_world(cast.spec), pose_from_motion(cast.spec, cast.binding, cast.motion)
    touches, supports = contacts(made, poses, still(poses), everywhere(poses))
    assert parts(made, supports) == {"toe"}
    upper = made.index.support_point[supports, 2] > 0.0
    assert not touches[:, upper].any()
    assert touches[:, ~upper].all()


def test_who_lies_rests_on_trunk_and_limbs(world: World, upright: FloatArray) -> None:
    poses = lying(world, upright)
    touches, supports = contacts(world, poses, still(poses), nowhere(poses))
    assert touches.any(axis=0).all()
    assert "foot" not in parts(world, supports)
    assert parts(world, supports) & {"pelvis", "abdomen", "chest"}


def test_what_is_higher_or_faster_does_not_rest(world: World, upright: FloatArray) -> None:
    high = lying(world, upright)
    high[:, 2] += REST_HEIGHT + 0.001
    assert not contacts(world, high, still(high), everywhere(high))[0].any()
    sliding = lying(world, upright)
    sliding[:, 0] += 2.0 * DT * np.arange(len(sliding))
    assert not contacts(world, sliding, still(sliding), everywhere(sliding))[0].any()


def test_a_body_on_a_mat_lies_on_its_lowest_parts_but_one_that_falls_on_nothing(
    world: World, upright: FloatArray
) -> None:
    """Captures fall on mats: 10 cm above the floor, at rest, something carries the body."""
    on_mat = lying(world, upright)
    on_mat[:, 2] += 0.10
    assert contacts(world, on_mat, still(on_mat), nowhere(on_mat))[0].any(axis=1).all()
    time = DT * np.arange(len(on_mat))
    falling = np.outer(-0.5 * GRAVITY * time**2, [0.0, 0.0, 1.0])
    assert not contacts(world, on_mat, falling, nowhere(on_mat))[0].any()


def on_hands(world: World, upright: FloatArray, above: float, samples: int = 60) -> FloatArray:
    """Upside down with raised arms, the lowest points this high above the ground [m] (T, nq)."""
    pose = upright.copy()
    for name in ("upper_arm.L", "upper_arm.R"):
        joint, sign = world.model.joint(name), 1.0 if name.endswith("L") else -1.0
        centre = world.spec[name].joint.centre
        raised = rotations.from_vector(np.array([sign * 0.95 * np.pi, 0.0, 0.0]))
        pose[joint.qposadr[0] : joint.qposadr[0] + 4] = rotations.relative(centre, raised)
    pose[3:7] = rotations.from_vector(np.array([np.pi, 0.0, 0.0]))
    pose[2] += above - lowest(world, pose)
    return np.tile(pose, (samples, 1))


def accelerated(poses: FloatArray, share: float) -> FloatArray:
    """A centre of mass (T, 3) that needs this share of the weight as support."""
    time = DT * np.arange(len(poses))
    return np.outer(0.5 * GRAVITY * (share - 1.0) * time**2, [0.0, 0.0, 1.0])


@pytest.mark.parametrize(("need", "carried"), [(0.6, True), (0.5, True), (0.3, False), (0.0, False)])
def test_hands_that_hover_carry_a_body_that_does_not_fly(
    world: World, upright: FloatArray, need: float, carried: bool
) -> None:
    """Hands 20 cm above the floor: with half of the weight missing nothing flies, with a third it does."""
    poses = on_hands(world, upright, 0.2)
    touches, supports = contacts(world, poses, accelerated(poses, need), nowhere(poses))
    assert touches.any() == carried
    if carried:
        assert touches.any(axis=1).all()
        assert parts(world, supports[touches.any(axis=0)]) == {"hand"}


def test_who_hovers_on_the_feet_stands_on_nothing_else(world: World, upright: FloatArray) -> None:
    """Shins end at the ankles, some centimetres above the soles, which decide."""
    poses = np.tile(upright, (60, 1))
    poses[:, 2] += 0.05
    touches, _ = contacts(world, poses, accelerated(poses, 0.6), nowhere(poses))
    # Second differences at the first and last samples are half of what they should be.
    assert not touches[5:-5].any()


def test_a_rolling_part_rests_where_it_touches(world: World, upright: FloatArray) -> None:
    """Rolling without slipping the matter on the ground is at rest, although its part moves on."""
    poses, index = lying(world, upright, 30), world.index
    at_start = poses[0].copy()
    data = mujoco.MjData(world.model)
    data.qpos[:] = poses[0]
    mujoco.mj_kinematics(world.model, data)
    others = np.arange(index.soles, len(index.support_body))
    turn = data.xmat[index.support_body[others]].reshape(-1, 3, 3)
    centres = data.xpos[index.support_body[others]] + (turn @ index.support_point[others, :, None])[..., 0]
    first = int(np.argmin(centres[:, 2] - index.support_radius[others]))
    radius, centre, rate = index.support_radius[others[first]], centres[first], 3.0
    for t in range(len(poses)):
        turned = np.zeros(4)
        mujoco.mju_axisAngle2Quat(turned, np.array([0.0, 1.0, 0.0]), rate * DT * t)
        arm = np.zeros(3)
        mujoco.mju_rotVecQuat(arm, at_start[:3] - centre, turned)
        way = [rate * radius * DT * t, 0.0, 0.0]
        mujoco.mju_mulQuat(poses[t, 3:7], turned, at_start[3:7])
        poses[t, :3] = centre + arm + way
    touches, supports = contacts(world, poses, still(poses), nowhere(poses))
    assert others[first] in supports
    assert touches[5:-5, list(supports).index(others[first])].all()


def test_a_bumping_body_on_its_back_is_made_possible(world: World, upright: FloatArray) -> None:
    """Bumps of 3 cm at 3 Hz need 1.1 times gravity: where contacts change, whole steps may diverge."""
    poses = lying(world, upright, 100)
    poses[:, 2] += 0.03 * np.sin(2.0 * np.pi * 3.0 * DT * np.arange(len(poses)))
    ready = make_feasible(world, put_on_ground(world, poses, DT, LEG), DT, LEG, FilterSettings())
    assert ready.change is not None
    assert ready.change.residual_after_share < 0.1 * ready.change.residual_before_share


def test_a_body_that_lies_is_carried_and_stays(world: World, upright: FloatArray) -> None:
    """The ground explains its weight, and the tracker keeps it there by its own forces."""
    grounded = put_on_ground(world, lying(world, upright, 100), DT, LEG)
    ready = make_feasible(world, grounded, DT, LEG, FilterSettings())
    weight = world.spec.mass * GRAVITY
    inner = ready.support_force[1:-1, :, 2].sum(axis=1)
    assert np.abs(inner - weight).max() < 0.02 * weight
    assert ready.change is not None and ready.change.other_support_share == 1.0
    tracker = make_tracker(world, ready, LEG)
    reference = ready.reference
    ticks = len(reference) - 1

    def go_on(_: int) -> bool:
        return True

    trace = SingleSimulation(world, DT).run(tracker, reference.qpos[0], reference.qvel[0], ticks, go_on)
    # Parts that are still this high count as resting; the body may settle by as much until they do.
    assert np.abs(trace.qpos[:, :3] - reference.qpos[:, :3]).max() < REST_HEIGHT
    assert not trace.assist.any()


@pytest.mark.parametrize(("sunk", "expected"), [(0.0, True), (0.05, False)])
def test_a_hand_deep_in_a_seat_is_beside_it_unless_the_trunk_is_as_deep(
    world: World, sunk: float, expected: bool
) -> None:
    """Hands hold on to edges. A seat that is higher than the captured one has all parts inside it."""
    index, names = world.index, np.array(world.spec.names)
    owner = names[index.segment_of(index.support_body)]
    hand, pelvis = owner == "hand.L", owner == "pelvis"
    heights = np.full((1, len(owner)), 1.0)
    heights[:, pelvis], heights[:, hand] = -sunk, -(BESIDE + 0.01)
    seat = np.full(heights.shape, world.ground_height + 0.45)
    found = beside_objects(world, heights, seat)
    assert found[0, hand].all() == expected and not found[0, pelvis].any()
    assert not beside_objects(world, heights, np.full(heights.shape, world.ground_height)).any()


def test_a_leg_lands_on_its_sole() -> None:
    """Feet that land are too fast to stand. Shins are the lowest other parts, but above the soles."""
    made = made_scene(drop_jump())
    com = np.zeros((len(made.qpos), 3))
    nothing = np.zeros(len(made.qpos), dtype=bool)
    touches, _ = contacts(made.world, made.qpos, com, nothing)
    assert not touches.any()
