"""The tracking controller: right targets, forces within bounds, and a body that keeps its balance."""

from __future__ import annotations

from dataclasses import dataclass, replace

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim_core.base.conventions import GRAVITY, BoolArray, FloatArray, IntArray
from sim_core.character.spec import JointKind, mirror_name
from sim_core.control.balance.policy import BalanceTargets
from sim_core.control.make_tracker import TrackerOptions, make_tracker
from sim_core.control.tracking.prediction import Prediction
from sim_core.control.tracking.qp import Daqp, Problem
from sim_core.control.tracking.tracker import Tracker
from sim_core.dynamics.kinematics import Kinematics, inverse_dynamics
from sim_core.reference.prepare import Prepared
from sim_core.reference.reference import reference_from_poses
from sim_core.result.metrics import residual_share
from sim_core.simulation.protocol import Command, State
from sim_core.simulation.trace import Trace
from sim_core.world.world import World
from tests.core.sample_motions import DT, Scene, prepared, scene, simulate, still, walk
from tests.core.sample_simulation import SingleSimulation

SEEDS = st.integers(0, 10_000)


@dataclass(frozen=True, eq=False)
class Rehearsal:
    """A scene with its filtered reference."""

    scene: Scene
    ready: Prepared

    def tracker(self, assist_cap: float = 0.0) -> Tracker:
        options = TrackerOptions(assist_cap=assist_cap)
        return make_tracker(self.scene.world, self.ready, self.scene.leg_length, options)

    def state(self, sample: int, off_by: FloatArray | float = 0.0, slip: FloatArray | float = 0.0) -> State:
        """As planned, but for joint coordinates (nv) and velocities (nv) that are off."""
        reference, model = self.ready.reference, self.scene.world.model
        qpos = reference.qpos[sample].copy()
        mujoco.mj_integratePos(model, qpos, np.zeros(model.nv) + off_by, 1.0)
        return State(sample * DT, qpos, reference.qvel[sample] + slip)


@pytest.fixture(scope="module")
def standing() -> Rehearsal:
    made = scene(still(1.0))
    return Rehearsal(made, prepared(made))


@pytest.fixture(scope="module")
def walking() -> Rehearsal:
    made = scene(walk(1.3))
    return Rehearsal(made, prepared(made))


@dataclass(frozen=True, eq=False)
class Instant:
    """What a tracker sees at one state."""

    prediction: Prediction
    targets: BalanceTargets
    contacts: IntArray
    touches: BoolArray


def look(tracker: Tracker, sample: int, state: State) -> Instant:
    touches = tracker.balance.touches(sample)
    prediction, contacts = tracker._predict(state, touches)
    return Instant(prediction, tracker.balance.targets(sample, state, prediction), contacts, touches)


def problem(tracker: Tracker, sample: int, state: State) -> tuple[Problem, FloatArray, FloatArray, IntArray]:
    """The QP, what turns its answer into accelerations, and the points that may push."""
    now = look(tracker, sample, state)
    built = tracker._build(sample, state, now.prediction, now.targets, now.contacts, now.touches)
    return *built, now.contacts


def test_without_errors_the_tasks_ask_for_the_reference(walking: Rehearsal) -> None:
    """Every row - joints, trunk, centre of mass, momentum, soles, swing foot - wants what the plan does."""
    made = walking.scene
    raw = reference_from_poses(made.world.model, made.qpos, DT)
    tracker = Rehearsal(made, replace(walking.ready, reference=raw)).tracker()
    nv = made.world.model.nv
    parts = (slice(nv - 3, nv), slice(nv, nv + 3), slice(nv + 3, None))  # com, momentum, feet and points
    off, size = np.zeros(3), np.zeros(3)
    for sample in range(10, len(raw) - 10, 7):
        state = State(sample * DT, raw.qpos[sample], raw.qvel[sample])
        now = look(tracker, sample, state)
        tasks = tracker._tasks(sample, state, now.prediction, now.targets, now.contacts, now.touches)
        wanted, done = tasks.wanted, np.concatenate([raw.qacc[sample, 3:], tasks.rows @ raw.qacc[sample]])
        assert done[: nv - 3] == pytest.approx(wanted[: nv - 3], abs=1e-9), "posture is as given"
        off = np.maximum(off, [np.abs(done - wanted)[part].max(initial=0.0) for part in parts])
        size = np.maximum(size, [np.abs(done[part]).max(initial=0.0) for part in parts])
    # These rows come from differences of places, not of angles. A swing of 0.4 s, about a wave of 3 Hz,
    # has (w DT)^2 / 6 to (w DT)^2, 0.6 to 3.6 %, of its acceleration in the terms that differ.
    assert np.all(off < 0.05 * size)


def test_joints_are_pulled_back_but_the_place_is_not(standing: Rehearsal) -> None:
    """Eq. 4: no spring holds the root's place; joints and the trunk's turn have one."""
    model, tracker = standing.scene.world.model, standing.tracker()
    rng = np.random.default_rng(0)
    off = 0.05 * rng.normal(size=model.nv)
    off[:6] = [0.3, -0.2, 0.0, 0.0, 0.0, 0.0]
    targets = BalanceTargets(np.zeros(3), np.zeros(3), np.zeros((2, 3)))
    desired = tracker._desired(10, standing.state(10, off), targets)
    # The reference itself hardly accelerates.
    assert desired[6:] == pytest.approx(-tracker.settings.stiffness * off[6:], abs=0.05)
    now = look(tracker, 10, standing.state(10, off))
    state = standing.state(10, off)
    tasks = tracker._tasks(10, state, now.prediction, now.targets, now.contacts, now.touches)
    alone = tasks.rows[(np.abs(tasks.rows) > 0.0).sum(axis=1) == 1]
    assert not alone[:, :3].any(), "no row asks for the root's own place"
    assert np.all(tasks.root_weight[: model.nv + 3] > 0.0)


def test_a_standing_body_is_held_by_its_own_torques(standing: Rehearsal) -> None:
    tracker, world = standing.tracker(), standing.scene.world
    qp, response, free, contacts = problem(tracker, 20, standing.state(20))
    x = Daqp().solve(qp, None).x
    assert len(contacts) == 8
    nu = len(world.index.torque_limit)
    force = (x[nu:].reshape(-1, 4) @ tracker.edges).sum(axis=0)
    assert force == pytest.approx([0.0, 0.0, world.spec.mass * GRAVITY], abs=0.01 * world.spec.mass * GRAVITY)
    assert np.abs(response @ x + free).max() < 0.1


def test_a_walk_is_planned_with_its_own_accelerations(walking: Rehearsal) -> None:
    tracker, reference = walking.tracker(), walking.ready.reference
    dofs = walking.scene.world.index.actuated_dof
    samples = range(5, len(reference) - 5, 5)
    planned = np.array([tracker.command(walking.state(t)).target_acceleration for t in samples])
    wanted = reference.qacc[samples][:, dofs]
    assert np.sqrt(((planned - wanted) ** 2).mean()) < 0.25 * np.sqrt((wanted**2).mean())


def test_points_push_only_when_they_are_planned_and_near(walking: Rehearsal) -> None:
    tracker, schedule = walking.tracker(), walking.scene.schedule
    high = np.zeros(walking.scene.world.model.nv)
    high[2] = 0.3
    for sample in range(0, len(schedule.touches), 10):
        at_rest = look(tracker, sample, walking.state(sample)).contacts
        assert np.array_equal(at_rest, np.flatnonzero(schedule.touches[sample]))
        assert len(look(tracker, sample, walking.state(sample, high)).contacts) == 0


def disturbed(rehearsal: Rehearsal, seed: int) -> tuple[int, State]:
    rng, nv = np.random.default_rng(seed), rehearsal.scene.world.model.nv
    sample = int(rng.integers(len(rehearsal.ready.reference)))
    return sample, rehearsal.state(sample, 0.1 * rng.normal(size=nv), rng.normal(size=nv))


@settings(max_examples=25, deadline=None)
@given(seed=SEEDS)
def test_forces_stay_within_their_bounds_in_any_state(walking: Rehearsal, seed: int) -> None:
    tracker, world = walking.tracker(), walking.scene.world
    sample, state = disturbed(walking, seed)
    qp, response, free, contacts = problem(tracker, sample, state)
    limit = world.index.torque_limit
    assert len(qp.gradient) == len(limit) + 4 * len(contacts), "without a cap nobody helps"
    solution = Daqp().solve(qp, None)
    assert solution.is_optimal(1e-5)
    torque, weights = solution.x[: len(limit)], solution.x[len(limit) :]
    assert np.all(np.abs(torque) <= limit * (1.0 + 1e-6))
    assert weights.min(initial=0.0) >= -1e-6
    # The accelerations are those of the equations of motion, from the engine's own functions.
    force = generalised_force(world, state, torque, contacts, weights.reshape(-1, 4) @ tracker.edges)
    needed = inverse_dynamics(Kinematics(world), state.qpos, state.qvel, response @ solution.x + free)
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
def test_the_helping_hand_keeps_to_its_cap(walking: Rehearsal, seed: int, cap: float) -> None:
    sample, state = disturbed(walking, seed)
    tracker = walking.tracker(cap)
    command = tracker.command(state)
    assert command.assist.shape == (6,)
    assert np.all(np.abs(command.assist) <= cap * (1.0 + 1e-6))
    assert (cap == 0.0) == (not command.assist.any())
    assert np.all(np.abs(command.torque) <= walking.scene.world.index.torque_limit * (1.0 + 1e-6))


def test_nobody_helps_who_needs_no_help(standing: Rehearsal) -> None:
    assert np.abs(standing.tracker(15.0).command(standing.state(20)).assist).max() < 0.05 * 15.0


def test_springs_hold_the_plan_and_not_the_error(standing: Rehearsal) -> None:
    """At the instant of the command the springs are at rest, so the body gets the QP's torques."""
    command = standing.tracker().command(disturbed(standing, 3)[1])
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
def test_a_mirrored_state_gets_the_mirrored_command(standing: Rehearsal, seed: int) -> None:
    world = standing.scene.world
    rng, nv = np.random.default_rng(seed), world.model.nv
    off, slip = 0.05 * rng.normal(size=nv), 0.5 * rng.normal(size=nv)
    command = standing.tracker().command(standing.state(20, off, slip))
    other = standing.tracker().command(standing.state(20, mirror(world, off), mirror(world, slip)))
    expected, dofs = np.zeros(nv), world.index.actuated_dof
    expected[dofs] = command.torque
    # The solver stops at 1e-6 of accelerations that weigh up to some hundreds.
    assert other.torque == pytest.approx(mirror(world, expected)[dofs], abs=1e-2)


def test_a_standing_body_stays_where_it_is(standing: Rehearsal) -> None:
    trace = simulate(standing.scene, standing.ready)
    away = np.abs(trace.qpos[:, :3] - standing.ready.reference.qpos[:, :3])
    assert away[:, :2].max() < 0.003
    # Soft contacts give way by a millimetre or two.
    assert away[:, 2].max() < 0.003
    assert not trace.assist.any()


def test_a_walk_is_followed_by_its_own_forces(walking: Rehearsal) -> None:
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


def pushed(rehearsal: Rehearsal, force: tuple[float, float]) -> Trace:
    reference, world = rehearsal.ready.reference, rehearsal.scene.world
    controller = Pushed(rehearsal.tracker(), force)
    return SingleSimulation(world, DT).run(
        controller, reference.qpos[0], reference.qvel[0], len(reference) - 1
    )


@pytest.mark.parametrize("force", [(60.0, 0.0), (-60.0, 0.0), (0.0, 60.0), (0.0, -60.0)])
def test_a_pushed_body_comes_back(standing: Rehearsal, force: tuple[float, float]) -> None:
    """6 Ns on both feet: it sways, and 0.8 s later it is nearly where it was and slow."""
    trace = pushed(standing, force)
    away = trace.qpos[:, :2] - standing.ready.reference.qpos[:, :2]
    along = away @ (np.array(force) / 60.0)
    assert along.max() > 0.003, "the push was felt"
    assert np.linalg.norm(away[-1]) < 0.03
    assert np.linalg.norm(trace.qvel[-1, :3]) < 0.1


def test_the_same_start_gives_the_same_walk(walking: Rehearsal) -> None:
    noisy = 0.1 * np.random.default_rng(4).standard_normal(walking.scene.world.model.nv)
    first, second = (simulate(walking.scene, walking.ready, qvel=noisy) for _ in range(2))
    assert np.array_equal(first.qpos, second.qpos)
    assert np.array_equal(first.contact_force, second.contact_force)
    away = np.linalg.norm(first.qpos[:, :3] - walking.ready.reference.qpos[:, :3], axis=1)
    assert 0.0 < away.max() < 0.1
