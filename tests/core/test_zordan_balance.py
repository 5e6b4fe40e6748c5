"""Balance by a virtual actuator and by joint offsets while both feet stand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sim_core.bake.notes import balance_notes
from sim_core.bake.pipeline import bake
from sim_core.base.conventions import Z_UP, FloatArray
from sim_core.control.balance.footstep_balance import FootstepBalance
from sim_core.control.balance.joint_offset import JointOffsetBalance
from sim_core.control.balance.two_feet import AHEAD_S, TwoFeetBalance, stance_error
from sim_core.control.balance.virtual_actuator import VirtualActuatorBalance
from sim_core.control.make_tracker import TrackerOptions, make_tracker
from sim_core.control.tracking.prediction import Prediction, Predictor
from sim_core.control.tracking.tracker_settings import TrackerSettings
from sim_core.reference.prepare import Prepared
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BALANCE_METHODS, BakeSettings
from sim_core.scene.scene import Push, Scene
from sim_core.simulation.protocol import State
from tests.core.sample_motions import Scene as Made
from tests.core.sample_motions import prepared, still, walk
from tests.core.sample_motions import scene as made_for
from tests.core.sample_people import MAPPING, person, standing

SAMPLE = 10
METHODS = ("virtual_actuator", "joint_offset")


@pytest.fixture(scope="module")
def made() -> Made:
    return made_for(still(0.5))


@pytest.fixture(scope="module")
def ready(made: Made) -> Prepared:
    return prepared(made)


@pytest.fixture(scope="module")
def walking() -> tuple[Made, Prepared]:
    made = made_for(walk())
    return made, prepared(made)


def policy_of(made: Made, ready: Prepared, method: str) -> TwoFeetBalance:
    policy = make_tracker(made.world, ready, made.leg_length, TrackerOptions(balance=method)).balance
    assert isinstance(policy, TwoFeetBalance)
    return policy


def moving(
    made: Made, policy: TwoFeetBalance, velocity: FloatArray, sample: int = SAMPLE
) -> tuple[State, Prediction]:
    """The planned pose with an additional velocity (3) of the whole body [m/s]."""
    reference = policy.plan.reference
    qvel = reference.qvel[sample].copy()
    qvel[:3] += velocity
    state = State(sample * reference.dt, reference.qpos[sample].copy(), qvel)
    policy.kinematics.set_position(state.qpos)
    supports = policy.plan.schedule.support[policy.plan.schedule.touches[sample]]
    return state, Predictor(made.world).predict(state, supports)


@pytest.mark.parametrize("method", METHODS)
def test_a_body_that_follows_its_plan_is_left_alone(made: Made, ready: Prepared, method: str) -> None:
    policy = policy_of(made, ready, method)
    targets = policy.targets(SAMPLE, *moving(made, policy, np.zeros(3)))
    assert np.abs(targets.joint_acceleration).max() < 1e-6
    assert np.abs(targets.joint_offset).max() < 1e-9
    assert targets.com_acceleration == pytest.approx(policy.plan.com_acceleration[SAMPLE], abs=1e-6)


def test_the_virtual_force_is_a_spring_and_a_damper(made: Made, ready: Prepared) -> None:
    """Eq. 3 in units of the pendulum: F = -m (k e + b v), k = stiffness g / h, b = damping sqrt(g / h)."""
    policy = policy_of(made, ready, "virtual_actuator")
    assert isinstance(policy, VirtualActuatorBalance)
    _, prediction = moving(made, policy, np.array([0.05, 0.0, 0.0]))
    error = stance_error(policy.plan, SAMPLE, prediction, 0.0)
    height = prediction.com[2] - made.world.ground_height
    assert error.rate == pytest.approx(np.sqrt(9.81 / height), rel=0.01)
    assert error.velocity == pytest.approx([0.05, 0.0])
    wanted = -made.world.spec.mass * policy.gains.damping * error.rate * 0.05
    assert policy.force(error) == pytest.approx([wanted, 0.0, 0.0], abs=1e-6)


def test_the_ankles_do_the_work_of_the_force(made: Made, ready: Prepared) -> None:
    """When the body sways over its ankles in one piece, their work is that of the force (eq. 4)."""
    policy = policy_of(made, ready, "virtual_actuator")
    assert isinstance(policy, VirtualActuatorBalance)
    _, prediction = moving(made, policy, np.zeros(3))
    force = np.array([-30.0, 0.0, 0.0])
    sway = policy.tilt(np.array([0.0, 1.0, 0.0]), policy.ankles)
    assert np.abs(prediction.point_jacobian @ sway).max() < 1e-6, "the feet stand"
    work = policy.torque(force, prediction) @ sway
    # The feet are a part of the body that does not sway: 2 % of its mass, near the ankles.
    assert work == pytest.approx(force @ (prediction.rows[0] @ sway), rel=0.005)


@pytest.mark.parametrize("direction", [(1.0, 0.0), (0.0, 1.0), (-0.6, 0.8)])
def test_the_torques_move_the_body_as_the_force_would(
    made: Made, ready: Prepared, direction: tuple[float, float]
) -> None:
    """On feet that are held, the centre of mass accelerates by about F / m, and the feet do not move."""
    policy = policy_of(made, ready, "virtual_actuator")
    assert isinstance(policy, VirtualActuatorBalance)
    _, prediction = moving(made, policy, np.zeros(3))
    force = made.world.spec.mass * np.array([*direction, 0.0])
    added = policy.response(policy.torque(force, prediction), prediction)
    assert (prediction.rows[0] @ added)[:2] == pytest.approx(direction, abs=0.15)
    assert np.abs(prediction.point_jacobian @ added).max() < 1e-6


@pytest.mark.parametrize("direction", [(1.0, 0.0), (0.0, 1.0), (-0.6, 0.8)])
def test_offsets_lean_the_body_against_its_drift(
    made: Made, ready: Prepared, direction: tuple[float, float]
) -> None:
    policy = policy_of(made, ready, "joint_offset")
    assert isinstance(policy, JointOffsetBalance)
    state, prediction = moving(made, policy, 0.1 * np.array([*direction, 0.0]))
    error = stance_error(policy.plan, SAMPLE, prediction, 0.0)
    lean = policy.offset(error)
    assert lean[:2] == pytest.approx(
        -policy.gains.ankle_damping * 0.1 / np.sqrt(policy.size) * np.array(direction)
    )
    targets = policy.targets(SAMPLE, state, prediction)
    height = prediction.com[2] - made.world.ground_height
    added = (targets.com_acceleration - policy.plan.com_acceleration[SAMPLE])[:2]
    stiffness = TrackerSettings().stiffness
    # An angle at the ankles moves the centre of mass by its height above them, some 8 cm over the ground.
    assert added == pytest.approx(stiffness * lean[:2] * (height - 0.08), rel=0.05, abs=1e-3)


def test_the_capture_point_is_beyond_the_soles_only_outside_them(made: Made, ready: Prepared) -> None:
    policy = policy_of(made, ready, "joint_offset")
    _, slow = moving(made, policy, np.array([0.05, 0.0, 0.0]))
    _, fast = moving(made, policy, np.array([1.0, 0.0, 0.0]))
    assert np.all(stance_error(policy.plan, SAMPLE, slow, 0.0).beyond == 0.0)
    error = stance_error(policy.plan, SAMPLE, fast, 0.0)
    toes = fast.points[:, 0].max() - fast.com[0]
    assert error.beyond == pytest.approx([fast.com_velocity[0] / error.rate - toes, 0.0], abs=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_the_trunk_turns_towards_a_fall_and_comes_back_slowly(
    made: Made, ready: Prepared, method: str
) -> None:
    policy = policy_of(made, ready, method)
    state, prediction = moving(made, policy, np.array([0.6, 0.0, 0.0]))
    for _ in range(10):
        targets = policy.targets(SAMPLE, state, prediction)
    gains, offset = policy.hip_gains, np.asarray(targets.joint_offset)
    assert 0.1 < policy.lean[0] <= gains.largest
    policy.kinematics.set_position(state.qpos)
    turned = np.cross(policy.kinematics.data.xmat[1].reshape(3, 3) @ offset[3:6], Z_UP)
    assert turned[0] > 0.1, "the pelvis tips forwards"
    assert np.abs(prediction.rows[0] @ offset)[:2].max() < 0.005, "and the centre of mass stays where it is"
    leaning = policy.lean[0]
    policy.targets(SAMPLE, *moving(made, policy, np.zeros(3)))
    dt = policy.plan.reference.dt
    assert policy.lean[0] == pytest.approx(leaning * (1.0 - dt / gains.decay))


@pytest.mark.parametrize("method", METHODS)
def test_footsteps_balances_while_a_foot_is_off_the_ground(
    walking: tuple[Made, Prepared], method: str
) -> None:
    made, ready = walking
    policy = policy_of(made, ready, method)
    other = policy_of(made, ready, method).other
    assert isinstance(other, FootstepBalance)
    sample = int(np.flatnonzero(ready.schedule.stands.sum(axis=1) == 1)[20])
    state, prediction = moving(made, policy, np.array([0.1, 0.05, 0.0]), sample)
    targets, wanted = (p.targets(sample, state, prediction) for p in (policy, other))
    assert np.array_equal(targets.com_acceleration, wanted.com_acceleration)
    assert np.all(targets.joint_acceleration == 0.0)


def test_they_rest_before_a_planned_step(walking: tuple[Made, Prepared]) -> None:
    made, ready = walking
    policy = policy_of(made, ready, "joint_offset")
    both = np.asarray(ready.schedule.stands.all(axis=1))
    lifts = np.flatnonzero(both[:-1] & ~both[1:])
    ahead = round(AHEAD_S / ready.reference.dt)
    assert len(lifts) and not any(policy.stays[max(lift - ahead + 1, 0) : lift + 1].any() for lift in lifts)
    assert not policy.stays[~both].any()


def test_they_rest_on_feet_that_stand_otherwise_than_planned(made: Made, ready: Prepared) -> None:
    policy, other = (policy_of(made, ready, "joint_offset") for _ in range(2))
    state, prediction = moving(made, policy, np.array([0.1, 0.0, 0.0]))
    for apart, acts in ((0.05, True), (0.2, False)):
        stepped = replace(prediction, foot=prediction.foot + [[apart, 0.0, 0.0], [0.0, 0.0, 0.0]])
        targets = policy.targets(SAMPLE, state, stepped)
        assert np.any(targets.joint_acceleration) == acts
    wanted = other.other.targets(SAMPLE, state, stepped)
    assert np.allclose(targets.com_acceleration, wanted.com_acceleration, atol=1e-9)


def test_a_trunk_that_leans_comes_up_slowly_during_a_step(walking: tuple[Made, Prepared]) -> None:
    made, ready = walking
    policy = policy_of(made, ready, "virtual_actuator")
    sample = int(np.flatnonzero(ready.schedule.stands.sum(axis=1) == 1)[20])
    state, prediction = moving(made, policy, np.zeros(3), sample)
    without = np.zeros(made.world.model.nv) + policy.targets(sample, state, prediction).joint_offset
    policy.lean = np.array([0.3, 0.0])
    leaning = np.asarray(policy.targets(sample, state, prediction).joint_offset)
    assert np.linalg.norm((leaning - without)[3:6]) > 0.2


def pushed(balance: str, newtons: float) -> Job:
    settings = BakeSettings(quality="draft", assist_cap=0.0, balance=balance, find_assist=False)
    push = Push("chest", np.array([newtons, 0.0, 0.0]), 0.5, 0.1)
    return replace(Job(person(standing(3.0)), MAPPING, settings), scene=Scene(pushes=(push,)))


@pytest.mark.parametrize("newtons", [-140.0, 385.0], ids=["back", "ahead"])
def test_a_pushed_body_recovers_with_them_and_falls_without(newtons: float) -> None:
    """On a motion without steps swing_hip does nothing but damp: that is plain tracking."""
    assert bake(pushed("swing_hip", newtons)).meta.fell_at is not None
    for method in METHODS:
        meta = bake(pushed(method, newtons)).meta
        assert meta.fell_at is None
        assert meta.measured.root_error_m < 0.1
        assert not any("balance method" in note for note in meta.notes)


@pytest.mark.parametrize("name", BALANCE_METHODS)
@pytest.mark.parametrize(
    ("stands", "out_of_place"),
    [
        ([[True, True]] * 10, {"swing_hip", "three_link"}),
        ([[True, True]] * 4 + [[True, False]] * 6, {"virtual_actuator", "joint_offset"}),
    ],
    ids=["standing", "walking"],
)
def test_a_method_that_rarely_acts_is_named_with_a_better_one(
    name: str, stands: list[list[bool]], out_of_place: set[str]
) -> None:
    notes = balance_notes(name, np.array(stands))
    assert bool(notes) == (name in out_of_place)
    for note in notes:
        assert f"'{name}'" in note and "take 'footsteps'" in note
        assert ("0%" if all(stands[-1]) else "40%") in note


def test_a_walk_with_a_method_for_standing_says_so_in_its_result() -> None:
    settings = BakeSettings(quality="draft", balance="joint_offset", find_assist=False)
    notes = bake(Job(person(walk().performance), MAPPING, settings)).meta.notes
    (note,) = [note for note in notes if "balance method" in note]
    assert "'joint_offset' acts only while both feet stand" in note
    assert "'footsteps' balanced the rest" in note
