"""Balance by a virtual actuator and by offsets: they leave a perfect copy alone, and push the right way."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from sim_core.bake.pipeline import bake
from sim_core.base.conventions import GRAVITY, FloatArray
from sim_core.control.balance.joint_offset import LARGEST_ANGLE, JointOffsetBalance, JointOffsetGains
from sim_core.control.balance.policy import BalancePolicy
from sim_core.control.balance.virtual_actuator import VirtualActuatorBalance, VirtualActuatorGains
from sim_core.control.make_tracker import make_tracker
from sim_core.control.tracking.plan import TrackingPlan
from sim_core.control.tracking.prediction import Prediction, Predictor
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings
from sim_core.simulation.protocol import State
from tests.core.sample_motions import Scene as Made
from tests.core.sample_motions import prepared, still
from tests.core.sample_motions import scene as made_for
from tests.core.sample_people import MAPPING, person, standing

SAMPLE = 10


@pytest.fixture(scope="module")
def made() -> Made:
    return made_for(still(0.5))


@pytest.fixture(scope="module")
def plan(made: Made) -> TrackingPlan:
    return make_tracker(made.world, prepared(made), made.leg_length).plan


def actuator(made: Made, plan: TrackingPlan) -> VirtualActuatorBalance:
    return VirtualActuatorBalance(made.world, plan, VirtualActuatorGains())


def offsets(made: Made, plan: TrackingPlan) -> JointOffsetBalance:
    return JointOffsetBalance(made.world, plan, made.leg_length, JointOffsetGains())


def off_by(made: Made, plan: TrackingPlan, speed: FloatArray) -> tuple[State, Prediction]:
    """As planned, but with a velocity (3) of the whole body [m/s]."""
    reference = plan.reference
    qvel = reference.qvel[SAMPLE].copy()
    qvel[:3] += speed
    state = State(SAMPLE * reference.dt, reference.qpos[SAMPLE].copy(), qvel)
    return state, Predictor(made.world).predict(state, plan.schedule.support)


@pytest.mark.parametrize("make", [actuator, offsets])
def test_a_perfect_copy_is_left_alone(made: Made, plan: TrackingPlan, make: type[BalancePolicy]) -> None:
    targets = make(made, plan).targets(SAMPLE, *off_by(made, plan, np.zeros(3)))  # type: ignore[call-arg]
    assert np.abs(targets.torque).max() < 1e-6 and np.abs(targets.joint_offset).max() < 1e-9
    assert targets.com == 0.0


def test_the_ankles_do_what_the_force_would_do(made: Made, plan: TrackingPlan) -> None:
    """When the body sways over its ankles in one piece, their work is that of the force on its centre."""
    policy, model, index = actuator(made, plan), made.world.model, made.world.index
    state, prediction = off_by(made, plan, np.array([0.05, 0.0, 0.0]))
    force = -made.world.spec.mass * policy.gains.damping * np.array([0.05, 0.0, 0.0])
    torque = np.zeros(model.nv)
    torque[index.actuated_dof] = policy.targets(SAMPLE, state, prediction).torque
    data, axis = policy.kinematics.data, np.array([0.0, 1.0, 0.0])
    sway, root = np.zeros(model.nv), int(index.body[0])
    ankles = [made.world.index.dofs_of(segment) for segment in made.world.index.foot_segments]
    anchor = data.xanchor[model.dof_jntid[ankles[0][0]]]
    sway[:3] = np.cross(axis, data.xpos[root] - anchor)
    sway[3:6] = data.xmat[root].reshape(3, 3).T @ axis
    for dofs in ankles:
        sway[dofs] = -data.cdof[dofs, :3] @ axis
    assert np.abs(prediction.point_jacobian @ sway).max() < 1e-6, "the feet stand"
    # The feet are a part of the body that does not sway: 2 % of its mass, near the ankles.
    assert torque @ sway == pytest.approx(force @ (prediction.rows[0] @ sway), rel=0.005)
    assert torque @ sway < 0.0, "it holds the body back"


def test_the_force_is_bounded(made: Made, plan: TrackingPlan) -> None:
    policy = actuator(made, plan)
    some, more = (
        policy.targets(SAMPLE, *off_by(made, plan, np.array([speed, 0.0, 0.0]))).torque
        for speed in (3.0, 30.0)
    )
    assert more == pytest.approx(some)
    reach = 1.2  # from the centre of mass to the ankle, at most [m]
    assert np.abs(more).max() < policy.gains.largest * made.world.spec.mass * GRAVITY * reach


@pytest.mark.parametrize("way", [(1.0, 0.0), (0.0, 1.0), (-0.6, 0.8)])
def test_offsets_lean_the_body_against_its_drift(
    made: Made, plan: TrackingPlan, way: tuple[float, float]
) -> None:
    """Seen from the standing feet, the pose that is asked for has its centre of mass further back."""
    state, prediction = off_by(made, plan, 0.2 * np.array([*way, 0.0]))
    offset = offsets(made, plan).targets(SAMPLE, state, prediction).joint_offset
    model, index = made.world.model, made.world.index
    leaning = state.qpos.copy()
    mujoco.mj_integratePos(model, leaning, np.asarray(offset), 1.0)
    places = []
    for qpos in (state.qpos, leaning):
        data = mujoco.MjData(model)
        data.qpos[:] = qpos
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        com = data.subtree_com[index.body[0]]
        seen = [data.xmat[f].reshape(3, 3).T @ (com - data.xpos[f]) for f in index.feet]
        places.append(np.mean(seen, axis=0))
    moved = (places[1] - places[0])[:2]
    assert moved @ way < -0.01, "feet point along X, as the world does"
    assert np.abs(offset).max() <= LARGEST_ANGLE


@pytest.mark.parametrize("balance", ["virtual_actuator", "joint_offset"])
def test_they_carry_a_standing_body(balance: str) -> None:
    settings = BakeSettings(quality="draft", assist_cap=0.0, balance=balance, find_assist=False)
    result = bake(Job(person(standing(1.5)), MAPPING, settings))
    assert result.meta["fell_at"] is None
    assert result.meta["metrics"]["root_error_m"] < 0.02
