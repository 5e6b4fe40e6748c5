"""Feedback of the whole state: right derivatives, the best torques, held soles, and a body that follows."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
import pytest
from scipy.linalg import solve_discrete_are

from sim_core.control.protocol import State
from sim_core.control.tracking.full_state_balance import FullStateBalance
from sim_core.control.tracking.full_state_lqr import (
    FullStateScales,
    FullSystem,
    Linearisation,
    full_state_gains,
    riccati_step,
)
from sim_core.control.tracking.make import make_tracker
from sim_core.control.tracking.plan import TrackingPlan, make_plan
from sim_core.control.tracking.prediction import Predictor
from sim_core.conventions import FloatArray
from sim_core.reference.prepare import Prepared
from sim_core.simulation.simulator import Simulator
from tests.core.sample_motions import DT, Scene, prepared, scene, walk

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
    plan = make_plan(made.world, ready.reference, ready.schedule, ready.footing, ready.support_force)
    assert plan.schedule.stands[SAMPLE].sum() == 1
    return Walker(made, ready, plan, Linearisation(made.world, plan))


@pytest.fixture(scope="module")
def system(walker: Walker) -> FullSystem:
    return walker.linear.at(SAMPLE)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(5)


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
    touches, jacobian = walker.plan.schedule.touches[SAMPLE], walker.linear._held(SAMPLE)
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
    """Whatever the torques, touching points come to rest within an interval."""
    nv = walker.scene.world.model.nv
    jacobian = walker.linear._held(SAMPLE)
    error, torque = rng.normal(size=2 * nv), 10.0 * rng.normal(size=system.b.shape[1])
    after = system.a @ error + system.b @ torque
    assert np.abs(jacobian @ after[nv:]).max() < 0.02 * np.abs(jacobian @ error[nv:]).max()


def test_where_the_character_is_does_not_matter(walker: Walker, system: FullSystem) -> None:
    nv = walker.scene.world.model.nv
    moved = np.zeros(2 * nv)
    moved[:3] = [0.3, -0.2, 0.1]
    assert system.by_error @ moved == pytest.approx(np.zeros(nv), abs=1e-4)


def test_riccati_step_against_scipy(system: FullSystem, rng: np.random.Generator) -> None:
    """Repeated on a small system with a cost of forces, it ends at scipy's algebraic solution."""
    a = np.array([[1.0, 0.1], [0.3, 1.0]])
    b = np.array([[0.005], [0.1]])
    c, d = np.array([[0.5, 0.2]]), np.array([[0.4]])
    small = FullSystem(a, b, np.zeros((1, 2)), np.zeros((1, 1)), c, d)
    state, torque, force = np.diag([1.0, 0.1]), np.array([[0.2]]), 3.0
    value = state
    for _ in range(2000):
        feedback, value = riccati_step(small, value, state, torque, force)
    exact = solve_discrete_are(a, b, state + force * c.T @ c, torque + force * d.T @ d, s=force * c.T @ d)
    assert value == pytest.approx(exact, rel=1e-9)
    assert np.abs(np.linalg.eigvals(a - b @ feedback)).max() < 1.0


def test_without_errors_it_wants_the_plan(walker: Walker) -> None:
    made, plan, nv = walker.scene, walker.plan, walker.scene.world.model.nv
    gains = np.ones((len(plan), nv, 2 * nv))
    reference = plan.reference
    state = State(SAMPLE * DT, reference.qpos[SAMPLE], reference.qvel[SAMPLE])
    prediction = Predictor(made.world).predict(state, np.zeros(0, dtype=np.int64))
    targets = FullStateBalance(made.world, plan, gains).targets(SAMPLE, state, prediction)
    assert targets.acceleration == pytest.approx(reference.qacc[SAMPLE], abs=1e-6)
    assert targets.com_acceleration == pytest.approx(plan.com_acceleration[SAMPLE], abs=1e-6)


def test_joints_are_pulled_back_and_the_place_is_not(walker: Walker) -> None:
    made, plan, nv = walker.scene, walker.plan, walker.scene.world.model.nv
    gains = full_state_gains(made.world, plan, FullStateScales())[SAMPLE]
    assert np.abs(gains[:, :3]).max() < 1e-3 * np.abs(gains[:, 3:nv]).max()
    joints = np.arange(6, nv)
    assert np.all(gains[joints, joints] < 0.0), "against the error"
    assert np.all(gains[joints, nv + joints] < 0.0), "against the velocity"


def test_it_follows_closer_than_the_springs_alone(walker: Walker) -> None:
    """Figure 5-1 of the thesis: less error than the plain tracking QP, after a start that is off."""
    made, ready, reference = walker.scene, walker.ready, walker.ready.reference
    noise = 0.1 * np.random.default_rng(0).standard_normal(made.world.model.nv)
    errors = {}
    for balance in ("full_state", "swing_hip"):
        tracker = make_tracker(made.world, ready, made.leg_length, 0.0, balance)
        start = reference.qvel[0] + noise
        trace = Simulator(made.world, DT).run(
            tracker, reference.qpos[0], start, len(reference) - 1, lambda _, __: True
        )
        off = np.zeros((len(reference), made.world.model.nv))
        for t in range(len(reference)):
            mujoco.mj_differentiatePos(made.world.model, off[t], 1.0, reference.qpos[t], trace.qpos[t])
        errors[balance] = float((off[:, 6:] ** 2).sum(axis=1).mean())
    assert errors["full_state"] < errors["swing_hip"]
