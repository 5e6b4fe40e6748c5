"""Each task and each input of the tracking QP alone, and the QP as their sum."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim_core.base.conventions import FloatArray, IntArray
from sim_core.control.tracking.inputs import LEAST_EDGE_COST, InputGroup, joint_torques
from sim_core.control.tracking.prediction import Prediction, Predictor
from sim_core.control.tracking.qp_build import build_qp, input_response
from sim_core.control.tracking.task_set import Instant
from sim_core.control.tracking.tasks import (
    CoordinateTask,
    JacobianTask,
    Task,
    angular_momentum,
    centre_of_mass,
    no_slip,
    posture,
    root_rotation,
    swing_feet,
)
from sim_core.control.tracking.tracker import Tracker
from sim_core.dynamics.kinematics import Kinematics
from sim_core.simulation.protocol import State
from tests.core.sample_motions import still, walk
from tests.core.sample_tracking import TrackedScene, tracked

SEEDS = st.integers(0, 10_000)
STEP = 1e-4
"""Of the differences in time [s]."""
TOLERANCE = 4e-7
"""Relative. Turning at 5 rad/s, STEP^2 5^2 / 6 of an acceleration is lost in differences: 4e-8; rounding of
velocities, 1e-15 / STEP, is less. Ten times that, for parts that turn faster."""


@pytest.fixture(scope="module")
def walking() -> TrackedScene:
    return tracked(walk(1.3))


@pytest.fixture(scope="module")
def standing() -> TrackedScene:
    return tracked(still(1.0))


def moved(scene: TrackedScene, state: State, qacc: FloatArray, seconds: float) -> State:
    """The state a little later, or earlier, if the coordinates accelerate by qacc (nv)."""
    qpos = state.qpos.copy()
    change = seconds * state.qvel + 0.5 * seconds**2 * qacc
    mujoco.mj_integratePos(scene.scene.world.model, qpos, change, 1.0)
    return State(state.time + seconds, qpos, state.qvel + seconds * qacc)


def rate(
    scene: TrackedScene,
    state: State,
    qacc: FloatArray,
    supports: IntArray,
    of: Callable[[Prediction], FloatArray],
) -> FloatArray:
    """How fast something of a prediction changes, by differences in time."""
    predictor = Predictor(scene.scene.world)
    before, after = (
        of(predictor.predict(moved(scene, state, qacc, seconds), supports)) for seconds in (-STEP, STEP)
    )
    return (after - before) / (2.0 * STEP)


def points_of_all_parts(scene: TrackedScene) -> IntArray:
    """Some soles, which have no radius, and some rounded parts."""
    return np.arange(0, len(scene.scene.world.index.support_body), 3)


TASKS: list[tuple[Callable[[Prediction], JacobianTask], Callable[[Prediction], FloatArray]]] = [
    (lambda p: centre_of_mass(p, np.zeros(3), 1.0), lambda p: p.com_velocity),
    (lambda p: angular_momentum(p, np.zeros(3), 1.0), lambda p: p.momentum),
    (lambda p: swing_feet(p, np.zeros((2, 3)), [1.0, 1.0]), lambda p: p.foot_velocity.ravel()),
    (lambda p: no_slip(p, np.zeros(p.points.shape), 1.0), lambda p: p.point_velocity.ravel()),
]


@pytest.mark.parametrize(("make", "velocity"), TASKS, ids=["com", "momentum", "feet", "points"])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_rows_and_drift_give_the_acceleration(
    walking: TrackedScene,
    make: Callable[[Prediction], JacobianTask],
    velocity: Callable[[Prediction], FloatArray],
    seed: int,
) -> None:
    """A task that wants nothing has rows qdd - wanted for the acceleration itself."""
    state = walking.disturbed(seed)
    qacc = 5.0 * np.random.default_rng(seed).normal(size=len(state.qvel))
    supports = points_of_all_parts(walking)
    task = make(Predictor(walking.scene.world).predict(state, supports))
    expected = rate(walking, state, qacc, supports, velocity)
    allowed = TOLERANCE * float(np.abs(expected).max())
    assert task.rows @ qacc - task.wanted == pytest.approx(expected, abs=allowed)


@pytest.mark.parametrize(("make", "velocity"), TASKS, ids=["com", "momentum", "feet", "points"])
def test_rows_give_the_velocity(
    walking: TrackedScene,
    make: Callable[[Prediction], JacobianTask],
    velocity: Callable[[Prediction], FloatArray],
) -> None:
    state = walking.disturbed(5)
    prediction = Predictor(walking.scene.world).predict(state, points_of_all_parts(walking))
    assert make(prediction).rows @ state.qvel == pytest.approx(velocity(prediction), abs=1e-9)


def test_wanted_accelerations_and_weights_are_those_asked_for(walking: TrackedScene) -> None:
    prediction = Predictor(walking.scene.world).predict(walking.disturbed(1), points_of_all_parts(walking))
    asked = np.array([1.0, -2.0, 3.0])
    for make in (centre_of_mass, angular_momentum):
        still_, moving = make(prediction, np.zeros(3), 9.0), make(prediction, asked, 9.0)
        assert moving.wanted - still_.wanted == pytest.approx(asked)
        assert np.array_equal(moving.root_weight, np.full(3, 3.0))
    feet = swing_feet(prediction, np.tile(asked, (2, 1)), [0.0, 4.0])
    assert np.array_equal(feet.root_weight, [0.0, 0.0, 0.0, 2.0, 2.0, 2.0])
    count = len(prediction.points)
    points = no_slip(prediction, np.tile(asked, (count, 1)), 16.0)
    assert points.wanted.reshape(-1, 3) + prediction.point_drift == pytest.approx(np.tile(asked, (count, 1)))
    assert np.array_equal(points.root_weight, np.full(3 * count, 4.0))


def test_coordinates_are_split_into_the_roots_rotation_and_the_joints() -> None:
    wanted = np.arange(12.0)
    turn, joints = root_rotation(wanted, 4.0), posture(wanted, np.full(6, 3.0))
    assert np.array_equal(turn.wanted, [3.0, 4.0, 5.0]) and np.array_equal(turn.root_weight, [2.0, 2.0, 2.0])
    assert np.array_equal(joints.wanted, np.arange(6.0, 12.0))
    assert np.array_equal(wanted[turn.coordinates], turn.wanted)
    assert np.array_equal(wanted[joints.coordinates], joints.wanted)


def named(tracker: Tracker, instant: Instant) -> dict[str, Task]:
    return {task.name: task for task in tracker.tasks.at(instant)}


def test_a_region_that_was_hit_is_pulled_back_less_and_counts_less(standing: TrackedScene) -> None:
    """Zordan, Hodgins 2002, section 5: a share of the stiffness, and its root of the damping."""
    tracker, model = standing.tracker(), standing.scene.world.model
    scale = np.linspace(0.2, 1.0, model.nv - 6)
    rng = np.random.default_rng(2)
    error, slip = 0.05 * rng.normal(size=model.nv), 0.5 * rng.normal(size=model.nv)
    firm = tracker.observe(standing.state(10, error, slip))
    soft = replace(firm, gain_scale=scale)
    acceleration = standing.ready.reference.qacc[10]
    stiffness, damping = tracker.settings.stiffness, tracker.settings.damping
    change = tracker.tasks.coordinate_acceleration(soft) - acceleration
    difference = np.zeros(model.nv)
    planned = standing.ready.reference.qpos[10]
    mujoco.mj_differentiatePos(model, difference, 1.0, firm.state.qpos, planned)
    difference += firm.targets.joint_offset
    assert change[6:] == pytest.approx(
        stiffness * scale * difference[6:] - damping * np.sqrt(scale) * slip[6:]
    )
    weights = [named(tracker, instant)["posture"].root_weight for instant in (firm, soft)]
    assert weights[1] == pytest.approx(np.sqrt(scale) * weights[0])
    for name in ("root rotation", "centre of mass", "no slip"):
        before, after = named(tracker, firm)[name], named(tracker, soft)[name]
        assert np.array_equal(before.wanted, after.wanted), name
        assert np.array_equal(before.root_weight, after.root_weight), name


def test_feet_have_a_task_while_they_swing_and_points_while_they_stand(walking: TrackedScene) -> None:
    tracker, schedule = walking.tracker(), walking.ready.schedule
    seen = set()
    for sample in range(0, len(walking.ready.reference), 6):
        instant = tracker.observe(walking.state(sample))
        tasks = named(tracker, instant)
        stands = schedule.standing(instant.touches)
        seen.add(tuple(stands.tolist()))
        assert np.array_equal(tasks["swing feet"].root_weight.reshape(2, 3).any(axis=1), ~stands)
        assert len(tasks["no slip"].wanted) == 3 * len(instant.contacts)
    assert len(seen) == 3, "both feet, and either of them"


def test_slip_is_damped(standing: TrackedScene) -> None:
    """A sole that slides at some velocity, on ground that is at rest, is asked to stop (eq. 5)."""
    tracker = standing.tracker()
    slide = np.zeros(standing.scene.world.model.nv)
    slide[:2] = 0.1, -0.05
    sliding = tracker.observe(standing.state(10, slip=slide))
    expected = -tracker.settings.damping * sliding.prediction.point_velocity
    assert tracker.tasks.point_acceleration(sliding) == pytest.approx(expected)
    assert sliding.prediction.point_velocity[:, :2] == pytest.approx(np.tile([0.1, -0.05], (8, 1)), abs=0.02)


def test_unit_torques_act_on_their_own_joint(standing: TrackedScene) -> None:
    world = standing.scene.world
    group = joint_torques(world, 2.0)
    assert np.array_equal(group.force[:, world.index.actuated_dof], np.eye(len(world.index.actuated_dof)))
    assert np.count_nonzero(group.force) == len(group.force)
    # At the limit a torque costs its weight.
    cost = 0.5 * group.cost.high**2 * np.diag(group.cost.hessian)
    assert cost == pytest.approx(np.ones(len(cost)))
    assert np.array_equal(group.cost.low, -group.cost.high) and not group.gradient.any()


def test_unit_contact_forces_are_those_of_the_engine(walking: TrackedScene) -> None:
    tracker, world = walking.tracker(), walking.scene.world
    instant = tracker.observe(walking.state(20))
    group = tracker.input_groups(instant)[1]
    kinematics = Kinematics(world)
    kinematics.set(instant.state.qpos, instant.state.qvel)
    bodies = world.index.support_body[tracker.plan.schedule.support[instant.contacts]]
    edges = [
        (body, point, edge)
        for body, point in zip(bodies, instant.prediction.points, strict=True)
        for edge in tracker.inputs.edges
    ]
    assert len(edges) == len(group.force) > 0
    for (body, point, edge), row in zip(edges, group.force, strict=True):
        force = np.zeros(world.model.nv)
        mujoco.mj_applyFT(world.model, kinematics.data, edge, np.zeros(3), point, int(body), force)
        assert row == pytest.approx(force, abs=1e-12)


def test_without_tasks_contact_forces_are_those_of_the_plan(standing: TrackedScene) -> None:
    tracker = standing.tracker()
    instant = tracker.observe(standing.state(20))
    group = tracker.input_groups(instant)[1]
    x = np.linalg.solve(group.cost.hessian, -group.gradient)
    force = x.reshape(-1, 4) @ tracker.inputs.edges
    planned = tracker.plan.support_force[20, instant.contacts]
    # The cost that makes the weights unique shrinks forces by its share of the edges' own curvature, which is
    # least along the ground: 2 friction^2.
    shrink = LEAST_EDGE_COST / (tracker.settings.force * 2.0 * tracker.settings.friction**2)
    assert planned[:, 2].min() > 10.0
    assert np.abs(force - planned).max() <= shrink * np.abs(planned).max()


def test_the_assist_acts_on_the_pelvis_and_stays_near_the_last(standing: TrackedScene) -> None:
    tracker, world = standing.tracker(15.0), standing.scene.world
    instant = tracker.observe(standing.state(20))
    jacobian, last = tracker.predictor.pelvis_jacobian(), np.array([3.0, -2.0, 1.0, 0.5, 0.0, -1.0])
    group = tracker.inputs.assist(jacobian, last)
    kinematics, root = Kinematics(world), int(world.index.body[0])
    kinematics.set(instant.state.qpos, instant.state.qvel)
    force, torque, acted = np.array([1.0, 2.0, 3.0]), np.array([-1.0, 0.5, 2.0]), np.zeros(world.model.nv)
    centre = kinematics.data.xipos[root]
    mujoco.mj_applyFT(world.model, kinematics.data, force, torque, centre, root, acted)
    assert np.concatenate([force, torque]) @ group.force == pytest.approx(acted, abs=1e-12)
    alone = np.linalg.solve(group.cost.hessian, -group.gradient)
    weights = tracker.settings
    share = weights.assist_change / (weights.assist + weights.assist_change)
    assert alone == pytest.approx(share * last)
    assert np.array_equal(group.cost.high, np.full(6, 15.0))


@settings(max_examples=10, deadline=None)
@given(seed=SEEDS)
def test_the_program_is_the_sum_of_its_tasks_and_inputs(walking: TrackedScene, seed: int) -> None:
    tracker = walking.tracker(15.0)
    instant = tracker.observe(walking.disturbed(seed))
    inputs, tasks = tracker.input_groups(instant), tracker.tasks.at(instant)
    response = input_response(instant.prediction, inputs)
    program = build_qp(response, tasks, inputs)
    x = np.random.default_rng(seed).normal(size=len(program.gradient))

    def total(at: FloatArray) -> float:
        qacc = response.acceleration(at)
        return sum(task_cost(task, qacc) for task in tasks) + input_cost(inputs, at)

    built = 0.5 * x @ program.hessian @ x + program.gradient @ x
    # Differences of two sums that each have some hundred terms.
    assert built == pytest.approx(total(x) - total(np.zeros(len(x))), rel=1e-9, abs=1e-12 * total(x))


def task_cost(task: Task, qacc: FloatArray) -> float:
    done = qacc[task.coordinates] if isinstance(task, CoordinateTask) else task.rows @ qacc
    return float(0.5 * np.sum((task.root_weight * (done - task.wanted)) ** 2))


def input_cost(inputs: tuple[InputGroup, ...], x: FloatArray) -> float:
    cost, start = 0.0, 0
    for group in inputs:
        own = x[start : start + len(group.gradient)]
        cost += float(0.5 * own @ group.cost.hessian @ own + group.gradient @ own)
        start += len(own)
    return cost


def test_one_heavy_task_alone_is_fulfilled(standing: TrackedScene) -> None:
    """With nothing but the centre of mass to move, torques and ground forces move it as asked."""
    tracker = standing.tracker()
    instant = tracker.observe(standing.state(20))
    inputs = tracker.input_groups(instant)
    response = input_response(instant.prediction, inputs)
    asked = np.array([0.3, -0.2, 0.1])
    for make in (centre_of_mass, angular_momentum):
        task = make(instant.prediction, asked, 1e8)
        x = tracker.solver.solve(build_qp(response, [task], inputs), None)
        assert task.rows @ response.acceleration(x) == pytest.approx(task.wanted, abs=1e-3), task.name
