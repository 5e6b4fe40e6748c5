"""The tracking controller: right targets, forces within bounds, and a body that keeps its balance."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim_core.base.conventions import GRAVITY, FloatArray, IntArray
from sim_core.character.spec import JointKind
from sim_core.control.tracking.inputs import capped_assist
from sim_core.control.tracking.policy import BalanceTargets
from sim_core.control.tracking.qp import BoxQP, Daqp
from sim_core.control.tracking.qp_build import InputResponse, build_qp, input_response
from sim_core.control.tracking.task_set import Instant
from sim_core.control.tracking.tasks import CoordinateTask
from sim_core.control.tracking.tracker import Tracker
from sim_core.dynamics.kinematics import Kinematics, inverse_dynamics
from sim_core.reference.reference import reference_from_poses
from sim_core.result.metrics import residual_share
from sim_core.simulation.protocol import Command, State
from sim_core.simulation.trace import Trace
from sim_core.world.world import World
from tests.core.sample_motions import DT, simulate, still, walk
from tests.core.sample_people import mirror_name
from tests.core.sample_simulation import SingleSimulation
from tests.core.sample_tracking import TrackedScene, tracked

SEEDS = st.integers(0, 10_000)


@pytest.fixture(scope="module")
def standing() -> TrackedScene:
    return tracked(still(1.0))


@pytest.fixture(scope="module")
def walking() -> TrackedScene:
    return tracked(walk(1.3))


def program(tracker: Tracker, instant: Instant) -> tuple[BoxQP, InputResponse]:
    """The QP of an instant, and what turns its solution into accelerations."""
    inputs = tracker.input_groups(instant)
    response = input_response(instant.prediction, inputs)
    return build_qp(response, tracker.tasks.at(instant), inputs), response


def test_without_errors_the_tasks_ask_for_the_reference(walking: TrackedScene) -> None:
    """Every row - joints, trunk, centre of mass, momentum, soles, swing foot - wants what the plan does."""
    made = walking.scene
    raw = reference_from_poses(made.world.model, made.qpos, DT)
    tracker = replace(walking, ready=replace(walking.ready, reference=raw)).tracker()
    error: dict[str, float] = defaultdict(float)
    size: dict[str, float] = defaultdict(float)
    for sample in range(10, len(raw) - 10, 7):
        qacc = raw.qacc[sample]
        for task in tracker.tasks.at(tracker.observe(State(sample * DT, raw.qpos[sample], raw.qvel[sample]))):
            if isinstance(task, CoordinateTask):
                assert task.wanted == pytest.approx(qacc[task.coordinates], abs=1e-9), "it is as given"
                continue
            done = task.rows @ qacc
            error[task.name] = max(error[task.name], np.abs(done - task.wanted).max(initial=0.0))
            size[task.name] = max(size[task.name], np.abs(done).max(initial=0.0))
    # These rows come from differences of places, not of angles. A swing of 0.4 s, about a wave of 3 Hz,
    # has (w DT)^2 / 6 to (w DT)^2, 0.6 to 3.6 %, of its acceleration in the terms that differ.
    assert error.keys() == {"centre of mass", "angular momentum", "swing feet", "no slip"}
    feet = max(size["swing feet"], size["no slip"])
    for name, largest in error.items():
        assert largest < 0.05 * (feet if name in ("swing feet", "no slip") else size[name]), name


def test_joints_are_pulled_back_but_the_place_is_not(standing: TrackedScene) -> None:
    """Eq. 4: no spring holds the root's place; joints and the trunk's turn have one."""
    model, tracker = standing.scene.world.model, standing.tracker()
    rng = np.random.default_rng(0)
    off = 0.05 * rng.normal(size=model.nv)
    off[:6] = [0.3, -0.2, 0.0, 0.0, 0.0, 0.0]
    instant = tracker.observe(standing.state(10, off))
    targets = BalanceTargets(np.zeros(3), np.zeros(3), np.zeros((2, 3)))
    desired = tracker.tasks.coordinate_acceleration(replace(instant, targets=targets))
    # The reference itself hardly accelerates.
    assert desired[6:] == pytest.approx(-tracker.settings.stiffness * off[6:], abs=0.05)
    for task in tracker.tasks.at(instant):
        if isinstance(task, CoordinateTask):
            assert task.coordinates.start >= 3, "no row asks for the root's own position"
            assert np.all(task.root_weight > 0.0)
        else:
            assert not ((np.abs(task.rows) > 0.0).sum(axis=1) == 1).any()


def test_a_standing_body_is_held_by_its_own_torques(standing: TrackedScene) -> None:
    tracker, world = standing.tracker(), standing.scene.world
    instant = tracker.observe(standing.state(20))
    qp, response = program(tracker, instant)
    x = Daqp().solve(qp, None)
    assert len(instant.contacts) == 8
    nu = len(world.index.torque_limit)
    force = (x[nu:].reshape(-1, 4) @ tracker.inputs.edges).sum(axis=0)
    assert force == pytest.approx([0.0, 0.0, world.spec.mass * GRAVITY], abs=0.01 * world.spec.mass * GRAVITY)
    assert np.abs(response.acceleration(x)).max() < 0.1


def test_a_walk_is_planned_with_its_own_accelerations(walking: TrackedScene) -> None:
    tracker, reference = walking.tracker(), walking.ready.reference
    dofs = walking.scene.world.index.actuated_dof
    samples = range(5, len(reference) - 5, 5)
    planned = np.array([tracker.command(walking.state(t)).target_acceleration for t in samples])
    wanted = reference.qacc[samples][:, dofs]
    assert np.sqrt(((planned - wanted) ** 2).mean()) < 0.25 * np.sqrt((wanted**2).mean())


def test_points_push_only_when_they_are_planned_and_near(walking: TrackedScene) -> None:
    tracker, schedule = walking.tracker(), walking.scene.schedule
    high = np.zeros(walking.scene.world.model.nv)
    high[2] = 0.3
    for sample in range(0, len(schedule.touches), 10):
        at_rest = tracker.observe(walking.state(sample)).contacts
        assert np.array_equal(at_rest, np.flatnonzero(schedule.touches[sample]))
        assert len(tracker.observe(walking.state(sample, high)).contacts) == 0


@settings(max_examples=25, deadline=None)
@given(seed=SEEDS)
def test_forces_stay_within_their_bounds_in_any_state(walking: TrackedScene, seed: int) -> None:
    tracker, world = walking.tracker(), walking.scene.world
    state = walking.disturbed(seed)
    instant = tracker.observe(state)
    qp, response = program(tracker, instant)
    limit = world.index.torque_limit
    assert len(qp.gradient) == len(limit) + 4 * len(instant.contacts), "there is no assist without a cap"
    x = Daqp().solve(qp, None)
    assert qp.residual(x) < 1e-5
    torque, weights = x[: len(limit)], x[len(limit) :]
    assert np.all(np.abs(torque) <= limit * (1.0 + 1e-6))
    assert weights.min(initial=0.0) >= -1e-6
    # The accelerations are those of the equations of motion, from the engine's own functions.
    force = generalised_force(
        world, state, torque, instant.contacts, weights.reshape(-1, 4) @ tracker.inputs.edges
    )
    needed = inverse_dynamics(Kinematics(world), state.qpos, state.qvel, response.acceleration(x))
    assert np.abs(needed - force).max() < 1e-8 * (1.0 + np.abs(force).max())


def generalised_force(
    world: World, state: State, torque: FloatArray, contacts: IntArray, ground_force: FloatArray
) -> FloatArray:
    """What torques and forces (C, 3) at some sole points do to each degree of freedom (nv)."""
    model, kinematics = world.model, Kinematics(world)
    kinematics.set(state.qpos, state.qvel)
    points, result = kinematics.support_points(np.arange(world.index.soles)), np.zeros(model.nv)
    result[world.index.actuated_dof] = torque
    for k, force in zip(contacts, ground_force, strict=True):
        body = int(world.index.support_body[k])
        mujoco.mj_applyFT(model, kinematics.data, force, np.zeros(3), points[k], body, result)
    return result


@settings(max_examples=15, deadline=None)
@given(seed=SEEDS, cap=st.sampled_from([0.0, 2.0, 15.0]))
def test_the_assist_keeps_to_its_cap(walking: TrackedScene, seed: int, cap: float) -> None:
    command = walking.tracker(cap).command(walking.disturbed(seed))
    assert command.assist.shape == (6,)
    assert np.linalg.norm(command.assist[:3]) <= cap * (1.0 + 1e-9)
    assert np.linalg.norm(command.assist[3:]) <= cap * (1.0 + 1e-9)
    assert (cap == 0.0) == (not command.assist.any())
    assert np.all(np.abs(command.torque) <= walking.scene.world.index.torque_limit * (1.0 + 1e-6))


def test_a_longer_assist_is_shortened_and_keeps_its_direction() -> None:
    asked = np.array([15.0, -15.0, 15.0, 0.0, 3.0, 4.0])
    given = capped_assist(asked, 15.0)
    assert np.linalg.norm(given[:3]) == pytest.approx(15.0)
    assert np.allclose(np.cross(given[:3], asked[:3]), 0.0)
    assert np.array_equal(given[3:], asked[3:]), "one that is short enough stays as it is"


def test_a_body_that_stands_by_itself_gets_hardly_any_assist(standing: TrackedScene) -> None:
    assert np.abs(standing.tracker(15.0).command(standing.state(20)).assist).max() < 0.05 * 15.0


def test_springs_hold_the_plan_and_not_the_error(standing: TrackedScene) -> None:
    """At the instant of the command the springs are at rest, so the body gets the QP's torques."""
    command = standing.tracker().command(standing.disturbed(3))
    assert not command.target_offset.any()
    assert np.all(command.kp > 0.0) and np.all(command.kd > 0.0)


def mirror(world: World, values: FloatArray) -> FloatArray:
    """Velocities or generalised forces (nv) of the body seen in a mirror on the plane y = 0."""
    result = np.zeros_like(values)
    flip, turned = np.array([1.0, -1.0, 1.0]), np.array([-1.0, 1.0, -1.0])
    address = dict(zip(world.spec.names, world.model.jnt_dofadr[world.index.joint], strict=True))
    result[:3], result[3:6] = flip * values[:3], turned * values[3:6]
    for segment in world.spec.segments[1:]:
        to, start = address[mirror_name(segment.name)], address[segment.name]
        if segment.joint.kind is JointKind.HINGE:
            other = world.spec[mirror_name(segment.name)].joint.axis
            result[to] = np.sign(other @ (turned * segment.joint.axis)) * values[start]
        else:
            result[to : to + 3] = turned * values[start : start + 3]
    return result


@settings(max_examples=10, deadline=None)
@given(seed=SEEDS)
def test_a_mirrored_state_gets_the_mirrored_command(standing: TrackedScene, seed: int) -> None:
    world = standing.scene.world
    rng, nv = np.random.default_rng(seed), world.model.nv
    off, slip = 0.05 * rng.normal(size=nv), 0.5 * rng.normal(size=nv)
    command = standing.tracker().command(standing.state(20, off, slip))
    other = standing.tracker().command(standing.state(20, mirror(world, off), mirror(world, slip)))
    expected, dofs = np.zeros(nv), world.index.actuated_dof
    expected[dofs] = command.torque
    # The solver stops at 1e-6 of accelerations that weigh up to some hundreds.
    assert other.torque == pytest.approx(mirror(world, expected)[dofs], abs=1e-2)


def test_a_standing_body_stays_where_it_is(standing: TrackedScene) -> None:
    trace = simulate(standing.scene, standing.ready)
    away = np.abs(trace.qpos[:, :3] - standing.ready.reference.qpos[:, :3])
    assert away[:, :2].max() < 0.003
    # Soft contacts give way by a millimetre or two.
    assert away[:, 2].max() < 0.003
    assert not trace.assist.any()


def test_a_walk_is_followed_by_its_own_forces(walking: TrackedScene) -> None:
    trace = simulate(walking.scene, walking.ready)
    away = np.linalg.norm(trace.qpos[:, :3] - walking.ready.reference.qpos[:, :3], axis=1)
    assert away.max() < 0.03
    assert not trace.assist.any()
    mass = np.array([segment.mass for segment in walking.scene.world.spec])
    assert residual_share(trace.body_com, mass, trace.contact_force, trace.assist[:, :3], DT) < 0.02


class Pushed:
    """A controller whose body is pushed for a tenth of a second [N]."""

    def __init__(self, tracker: Tracker, force: tuple[float, float]) -> None:
        self.tracker, self.force = tracker, force

    def command(self, state: State) -> Command:
        command = self.tracker.command(state)
        push = np.array([*self.force, 0.0, 0.0, 0.0, 0.0])
        return replace(command, assist=push) if 0.1 <= state.time < 0.2 - 1e-6 else command


def pushed(tracked_scene: TrackedScene, force: tuple[float, float]) -> Trace:
    reference, world = tracked_scene.ready.reference, tracked_scene.scene.world
    controller = Pushed(tracked_scene.tracker(), force)
    return SingleSimulation(world, DT).run(
        controller, reference.qpos[0], reference.qvel[0], len(reference) - 1
    )


@pytest.mark.parametrize("force", [(60.0, 0.0), (-60.0, 0.0), (0.0, 60.0), (0.0, -60.0)])
def test_a_pushed_body_comes_back(standing: TrackedScene, force: tuple[float, float]) -> None:
    """6 Ns on both feet: it sways, and 0.8 s later it is nearly where it was and slow."""
    trace = pushed(standing, force)
    away = trace.qpos[:, :2] - standing.ready.reference.qpos[:, :2]
    along = away @ (np.array(force) / 60.0)
    assert along.max() > 0.003, "the push was felt"
    assert np.linalg.norm(away[-1]) < 0.03
    assert np.linalg.norm(trace.qvel[-1, :3]) < 0.1


def test_the_same_start_gives_the_same_walk(walking: TrackedScene) -> None:
    noisy = 0.1 * np.random.default_rng(4).standard_normal(walking.scene.world.model.nv)
    first, second = (simulate(walking.scene, walking.ready, qvel=noisy) for _ in range(2))
    assert np.array_equal(first.qpos, second.qpos)
    assert np.array_equal(first.contact_force, second.contact_force)
    away = np.linalg.norm(first.qpos[:, :3] - walking.ready.reference.qpos[:, :3], axis=1)
    assert 0.0 < away.max() < 0.1
