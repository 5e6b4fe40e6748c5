"""Feedback of the whole state: right derivatives, the best torques, held soles, and a body that follows."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
import pytest
from scipy.linalg import solve_discrete_are

from sim_core.base.conventions import FloatArray
from sim_core.character.posing import segment_poses
from sim_core.control.balance import full_state as full_state_lqr
from sim_core.control.balance.full_state import (
    CONTACT_DAMPING,
    FullCosts,
    FullStateBalance,
    FullStateScales,
    FullSystem,
    Linearisation,
    full_state_gains,
    riccati_step,
)
from sim_core.control.make_tracker import TrackerOptions, make_tracker
from sim_core.control.tracking.plan import TrackingPlan, make_plan
from sim_core.control.tracking.prediction import Predictor
from sim_core.reference.prepare import Prepared
from sim_core.result.metrics import jitter_deg
from sim_core.simulation.protocol import State
from sim_core.simulation.trace import Trace
from tests.core.sample_motions import DT, Scene, prepared, scene, walk
from tests.core.sample_simulation import SingleSimulation

SAMPLE = 40
"""One foot stands here."""


@dataclass(frozen=True, eq=False)
class Walker:
    scene: Scene
    ready: Prepared
    plan: TrackingPlan
    linear: Linearisation


@pytest.fixture(scope="module")
def walker() -> Walker:
    made = scene(walk(1.3))
    ready = prepared(made)
    plan = make_plan(made.world, ready.reference, ready.schedule, ready.contact_ground, ready.support_force)
    assert plan.schedule.stands[SAMPLE].sum() == 1
    return Walker(made, ready, plan, Linearisation(made.world, plan))


@pytest.fixture(scope="module")
def system(walker: Walker) -> FullSystem:
    return walker.linear.at(SAMPLE)


@pytest.fixture(scope="module")
def gains(walker: Walker) -> FloatArray:
    return full_state_gains(walker.scene.world, walker.plan, FullStateScales())


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(5)


def held(walker: Walker) -> FloatArray:
    """Jacobians of the points that touch (3 k, nv)."""
    touching = walker.linear.sole_jacobians(SAMPLE)[walker.plan.schedule.touches[SAMPLE]]
    return touching.reshape(-1, touching.shape[-1])


def accelerations(walker: Walker, change: FloatArray, torque: FloatArray, soles: FloatArray) -> FloatArray:
    """Of the character near the plan, by the engine: joint torques (nu) and sole forces (K, 3) beyond it."""
    world, plan = walker.scene.world, walker.plan
    model, data, reference, nv = world.model, mujoco.MjData(world.model), plan.reference, world.model.nv
    qpos = reference.qpos[SAMPLE].copy()
    data.qpos[:], data.qvel[:] = qpos, reference.qvel[SAMPLE]
    planned = _generalised(walker, data, plan.support_force[SAMPLE])
    bias, mass = _bias_and_mass(walker, data)
    nominal = mass @ reference.qacc[SAMPLE] + bias - planned  # the torques of the plan
    mujoco.mj_integratePos(model, qpos, change[:nv], 1.0)
    data.qpos[:], data.qvel[:] = qpos, reference.qvel[SAMPLE] + change[nv:]
    force = _generalised(walker, data, plan.support_force[SAMPLE] + soles) + nominal
    force[world.index.actuated_dof] += torque
    bias, mass = _bias_and_mass(walker, data)
    return np.linalg.solve(mass, force - bias)


def _generalised(walker: Walker, data: mujoco.MjData, soles: FloatArray) -> FloatArray:
    """Forces at the sole points as generalised forces (nv); the points move with the feet."""
    world, support = walker.scene.world, walker.plan.schedule.support
    mujoco.mj_kinematics(world.model, data)
    mujoco.mj_comPos(world.model, data)
    result = np.zeros(world.model.nv)
    bodies, points = world.index.support_body[support], world.index.support_point[support]
    for body, point, force in zip(bodies, points, soles, strict=True):
        place = data.xpos[body] + data.xmat[body].reshape(3, 3) @ point
        mujoco.mj_applyFT(world.model, data, force, np.zeros(3), place, int(body), result)
    return result


def _bias_and_mass(walker: Walker, data: mujoco.MjData) -> tuple[FloatArray, FloatArray]:
    model = walker.scene.world.model
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    mujoco.mj_crb(model, data)
    mujoco.mj_comVel(model, data)
    bias, mass = np.zeros(model.nv), np.zeros((model.nv, model.nv))
    mujoco.mj_rne(model, data, 0, bias)
    mujoco.mj_fullM(model, data, mass)
    return bias, mass


def test_linear_accelerations_against_the_engine(
    walker: Walker, system: FullSystem, rng: np.random.Generator
) -> None:
    """Near the plan, with the ground forces that hold the soles, accelerations change as the engine's do.

    A linear model's error shrinks with the square of the change, so half the change leaves a quarter.
    """
    world, nv = walker.scene.world, walker.scene.world.model.nv
    touches, jacobian = walker.plan.schedule.touches[SAMPLE], held(walker)
    planned = walker.plan.reference.qacc[SAMPLE]
    still = np.eye(nv) - np.linalg.pinv(jacobian) @ jacobian  # changes that leave the soles where they are
    direction = np.concatenate([still @ rng.normal(size=nv) * 0.01, still @ rng.normal(size=nv) * 0.1])
    torque = 2.0 * rng.normal(size=len(world.index.actuated_dof))
    off, size = [], 0.0
    for share in (1.0, 0.5):
        change, more = share * direction, share * torque
        soles = np.zeros((len(touches), 3))
        soles[touches] = (system.force_by_error @ change + system.force_by_torque @ more).reshape(-1, 3)
        linear = system.by_error @ change + system.by_torque @ more
        off.append(np.abs(linear - (accelerations(walker, change, more, soles) - planned)).max())
        size = max(size, np.abs(linear).max())
    assert off[0] < 0.05 * size
    assert off[1] < 0.3 * off[0]


def test_soles_are_held(walker: Walker, system: FullSystem, rng: np.random.Generator) -> None:
    """Whatever the torques, the ground takes the same share of the touching points' velocity."""
    nv = walker.scene.world.model.nv
    jacobian = held(walker)
    error, torque = rng.normal(size=2 * nv), 10.0 * rng.normal(size=system.b.shape[1])
    before, after = (jacobian @ (state[nv:]) for state in (error, system.a @ error + system.b @ torque))
    assert np.abs(after - (1.0 - CONTACT_DAMPING * DT) * before).max() < 0.02 * np.abs(before).max()


def test_heights_of_soles_against_the_engine(
    walker: Walker, system: FullSystem, rng: np.random.Generator
) -> None:
    world, support = walker.scene.world, walker.plan.schedule.support
    kinematics, qpos = walker.linear.kinematics, walker.plan.reference.qpos[SAMPLE]
    change = 1e-5 * rng.normal(size=world.model.nv)
    heights = []
    for sign in (1.0, -1.0):
        moved = qpos.copy()
        mujoco.mj_integratePos(world.model, moved, sign * change, 1.0)
        kinematics.set_position(moved)
        heights.append(kinematics.support_points(support)[:, 2])
    assert system.height_by_error @ change == pytest.approx(0.5 * (heights[0] - heights[1]), abs=1e-10)


def test_where_the_character_is_does_not_matter(walker: Walker, system: FullSystem) -> None:
    nv = walker.scene.world.model.nv
    moved = np.zeros(2 * nv)
    moved[:3] = [0.3, -0.2, 0.1]
    assert system.by_error @ moved == pytest.approx(np.zeros(nv), abs=1e-4)


@pytest.fixture(scope="module")
def small() -> tuple[FullSystem, FullCosts]:
    """One coordinate, with costs of everything."""
    a, b = np.array([[1.0, 0.1], [0.3, 1.0]]), np.array([[0.005], [0.1]])
    acceleration = np.array([[3.0, -0.2]]), np.array([[1.5]])
    force, height = (np.array([[0.5, 0.2]]), np.array([[0.4]])), np.array([[0.7]])
    costs = FullCosts(np.diag([1.0, 0.1]), np.array([[0.2]]), np.array([0.3]), height=2.0, force=3.0)
    return FullSystem(a, b, *acceleration, *force, height), costs


def outputs(system: FullSystem, costs: FullCosts) -> tuple[FloatArray, FloatArray]:
    """Everything whose squares cost, by error and by torque."""
    half_state, half_torque = np.linalg.cholesky(costs.state).T, np.linalg.cholesky(costs.torque).T
    roots = np.sqrt([costs.force, costs.acceleration[0], costs.height])
    height = np.pad(system.height_by_error, ((0, 0), (0, 1)))
    by_error = np.vstack([system.force_by_error, system.by_error, height])
    by_torque = np.vstack([system.force_by_torque, system.by_torque, [[0.0]]])
    return (
        np.vstack([half_state, roots[:, None] * by_error, np.zeros((1, 2))]),
        np.vstack([np.zeros((2, 1)), roots[:, None] * by_torque, half_torque]),
    )


def test_riccati_step_against_scipy(small: tuple[FullSystem, FullCosts]) -> None:
    """Repeated, it ends at scipy's algebraic solution."""
    system, costs = small
    value = costs.state
    for _ in range(2000):
        feedback, value = riccati_step(system, value, costs)
    c, d = outputs(system, costs)
    exact = solve_discrete_are(system.a, system.b, c.T @ c, d.T @ d, s=c.T @ d)
    assert value == pytest.approx(exact, rel=1e-9)
    assert np.abs(np.linalg.eigvals(system.a - system.b @ feedback)).max() < 1.0


def test_riccati_steps_find_the_best_torques_of_a_finite_time(small: tuple[FullSystem, FullCosts]) -> None:
    """Against least squares over all torques of seven intervals at once."""
    (system, costs), steps, start = small, 7, np.array([0.4, -0.3])
    value = costs.state
    for _ in range(steps):
        feedback, value = riccati_step(system, value, costs)
    c, d = outputs(system, costs)
    error, by_torques = start, np.zeros((2, steps))
    rows, wanted = [], []
    for step in range(steps):
        now = c @ by_torques
        now[:, step] += d[:, 0]
        rows.append(now)
        wanted.append(-c @ error)
        error, by_torques = system.a @ error, system.a @ by_torques
        by_torques[:, step] += system.b[:, 0]
    last = np.linalg.cholesky(costs.state).T
    matrix, target = np.vstack([*rows, last @ by_torques]), np.concatenate([*wanted, -last @ error])
    best, (cost, *_), *_ = np.linalg.lstsq(matrix, target, rcond=None)
    assert -feedback @ start == pytest.approx(best[:1], rel=1e-9)
    assert start @ value @ start == pytest.approx(cost, rel=1e-9)


def test_light_parts_have_the_gains_of_a_free_joint(walker: Walker, gains: FloatArray) -> None:
    """A forearm carries nothing, so its springs are those of a double integrator.

    Its own angle, rate and acceleration are all that costs. Torque costs a little besides, and the arm
    moves with the body.
    """
    scales, world = FullStateScales(), walker.scene.world
    a, b = np.array([[1.0, DT], [0.0, 1.0]]), np.array([[DT**2], [DT]])
    state, effort = np.diag([scales.angle**-2, scales.rate**-2]), np.array([[scales.acceleration**-2]])
    value = solve_discrete_are(a, b, state, effort)
    stiffness, damping = np.linalg.solve(effort + b.T @ value @ b, b.T @ value @ a)[0]
    dof, nv = int(world.index.dofs_of(world.spec.names.index("forearm.L"))[0]), world.model.nv
    assert -gains[SAMPLE, dof, dof] == pytest.approx(stiffness, rel=0.05)
    assert -gains[SAMPLE, dof, nv + dof] == pytest.approx(damping, rel=0.05)


def test_no_joint_is_stopped_within_an_interval(walker: Walker, gains: FloatArray) -> None:
    """Which would be a damping of 1 / dt: what trembles then does so at the rate of control.

    At no sample, those at which contacts change included.
    """
    nv, touches = walker.scene.world.model.nv, walker.plan.schedule.touches
    assert (touches[1:] != touches[:-1]).any()
    joints = np.arange(6, nv)
    assert (-gains[:, joints, nv + joints]).max() < 0.95 / DT


def test_without_errors_it_wants_the_plan(walker: Walker) -> None:
    made, plan, nv = walker.scene, walker.plan, walker.scene.world.model.nv
    gains = np.ones((len(plan), nv, 2 * nv))
    reference = plan.reference
    state = State(SAMPLE * DT, reference.qpos[SAMPLE], reference.qvel[SAMPLE])
    prediction = Predictor(made.world).predict(state, np.zeros(0, dtype=np.int64))
    targets = FullStateBalance(made.world, plan, gains).targets(SAMPLE, state, prediction)
    assert targets.acceleration == pytest.approx(reference.qacc[SAMPLE], abs=1e-6)
    assert targets.com_acceleration == pytest.approx(plan.com_acceleration[SAMPLE], abs=1e-6)


def test_joints_are_pulled_back_and_the_place_is_not(walker: Walker, gains: FloatArray) -> None:
    nv, now = walker.scene.world.model.nv, gains[SAMPLE]
    assert np.abs(now[:, :2]).max() < 1e-3 * np.abs(now[:, 3:nv]).max()
    joints = np.arange(6, nv)
    assert np.all(now[joints, joints] < 0.0), "against the error"
    assert np.all(now[joints, nv + joints] < 0.0), "against the velocity"


def follow(walker: Walker, balance: str) -> Trace:
    """After a start that is off."""
    made, reference = walker.scene, walker.ready.reference
    noise = 0.1 * np.random.default_rng(0).standard_normal(made.world.model.nv)
    tracker = make_tracker(made.world, walker.ready, made.leg_length, TrackerOptions(balance=balance))
    start, intervals = reference.qvel[0] + noise, len(reference) - 1
    return SingleSimulation(made.world, DT).run(tracker, reference.qpos[0], start, intervals)


@pytest.fixture(scope="module")
def followed(walker: Walker) -> Trace:
    return follow(walker, "full_state")


def squared_error(walker: Walker, trace: Trace) -> float:
    """Of joints, mean over time [rad^2]."""
    reference, model = walker.ready.reference, walker.scene.world.model
    off = np.zeros((len(reference), model.nv))
    for t in range(len(reference)):
        mujoco.mj_differentiatePos(model, off[t], 1.0, reference.qpos[t], trace.qpos[t])
    return float((off[:, 6:] ** 2).sum(axis=1).mean())


def jitter(walker: Walker, trace: Trace) -> float:
    spec = walker.scene.world.spec
    return jitter_deg(segment_poses(spec, trace.qpos)[1], spec.parents, DT)


def test_it_follows_closer_than_the_springs_alone(walker: Walker, followed: Trace) -> None:
    """Figure 5-1 of the thesis: less error than the plain tracking QP."""
    assert squared_error(walker, followed) < squared_error(walker, follow(walker, "swing_hip"))


def test_soft_ground_and_a_cost_of_acceleration_make_it_smoother(
    walker: Walker, followed: Trace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Than ground that stops a foot within an interval, and joints whose torque alone costs."""
    monkeypatch.setattr(full_state_lqr, "CONTACT_DAMPING", 1.0 / DT)
    monkeypatch.setattr(full_state_lqr, "FullStateScales", lambda: FullStateScales(acceleration=1e9))
    assert jitter(walker, followed) < 0.95 * jitter(walker, follow(walker, "full_state"))
