"""Balance by the swing hip: the leg that steps goes where the body goes, and only that leg."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from sim_core.bake.pipeline import bake
from sim_core.base.conventions import FloatArray
from sim_core.character.anthropometry import leg_length
from sim_core.character.from_rig import character_from_rig
from sim_core.character.posing import pose_from_motion
from sim_core.control.balance.swing_hip import LARGEST_ANGLE, SwingHipBalance, SwingHipGains
from sim_core.control.tracking.plan import make_plan
from sim_core.control.tracking.policy import BalanceTargets
from sim_core.control.tracking.prediction import Predictor
from sim_core.reference.contacts import flat_contact_ground
from sim_core.reference.reference import reference_from_poses
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings
from sim_core.simulation.protocol import State
from sim_core.world.world import build_world
from tests.core.sample_people import MAPPING, person, standing
from tests.core.sample_plans import soles_only

GAINS = SwingHipGains(distance=0.5, velocity=0.3, damping=7.0)


class Stance:
    """A person that stands still by a plan, on one foot or both, and a state that departs from it."""

    def __init__(self, stands: tuple[bool, bool]) -> None:
        built = character_from_rig(person(standing()), MAPPING)
        self.world, self.leg = build_world(built.spec), leg_length(built.binding)
        qpos = pose_from_motion(built.spec, built.binding, person(standing(0.1)))
        self.reference = reference_from_poses(self.world.model, qpos, 0.02)
        points = self.world.index.soles
        foot = self.world.index.foot_of_support[:points]
        touches = np.tile(np.array(stands)[foot], (len(qpos), 1))
        force, contact_ground = np.zeros((len(qpos), points, 3)), flat_contact_ground(len(qpos), points, 0.0)
        plan = make_plan(self.world, self.reference, soles_only(touches, foot), contact_ground, force)
        self.policy = SwingHipBalance(self.world, plan, self.leg, GAINS)

    def targets(self, velocity: FloatArray | float = 0.0) -> BalanceTargets:
        """With a root velocity [m/s] that the plan does not have."""
        qvel = np.zeros(self.world.model.nv)
        qvel[:3] = velocity
        state = State(0.0, self.reference.qpos[0], qvel)
        return self.policy.targets(
            0, state, Predictor(self.world).predict(state, np.zeros(0, dtype=np.int64))
        )

    def foot_moves(self, joint_offset: FloatArray | float) -> FloatArray:
        """How the feet (2, 3) move when joints turn by the offset."""
        feet = []
        for share in (0.0, 1.0):
            data = mujoco.MjData(self.world.model)
            data.qpos[:] = self.reference.qpos[0]
            mujoco.mj_integratePos(self.world.model, data.qpos, np.asarray(joint_offset), share)
            mujoco.mj_kinematics(self.world.model, data)
            feet.append(data.xpos[self.world.index.feet].copy())
        return feet[1] - feet[0]


@pytest.mark.parametrize("stands", [(True, False), (False, True), (True, True)])
def test_a_perfect_copy_is_left_alone(stands: tuple[bool, bool]) -> None:
    targets = Stance(stands).targets()
    assert np.abs(targets.joint_offset).max() < 1e-9
    assert np.abs(targets.foot_shift).max() < 1e-9
    assert np.abs(targets.com_acceleration).max() < 1e-6


@pytest.mark.parametrize("swing", [0, 1])
@pytest.mark.parametrize("direction", [(1.0, 0.0), (0.0, 1.0), (-0.6, 0.8)])
def test_the_swing_foot_goes_where_the_body_goes(swing: int, direction: tuple[float, float]) -> None:
    stance = Stance((swing == 1, swing == 0))
    speed = 0.2
    targets = stance.targets(speed * np.array([*direction, 0.0]))
    # Eq. 11 without a change of d: a turn by c_v v moves the foot at the leg's end by leg c_v v.
    wanted = stance.leg * GAINS.velocity * speed * np.array(direction) / np.sqrt(stance.leg / 0.86)
    assert targets.foot_shift[swing, :2] == pytest.approx(wanted)
    moves = stance.foot_moves(targets.joint_offset)
    # The leg is straight down but for the hip's width, and sin(a) = a to a^2 / 6 < 1e-3.
    assert moves[swing, :2] == pytest.approx(wanted, abs=5e-3 * np.linalg.norm(wanted))
    assert np.abs(moves[1 - swing]).max() < 1e-12


def test_the_way_from_the_support_foot_counts() -> None:
    """The body has moved over its foot: the root's place itself has no spring, only the legs answer."""
    stance = Stance((True, False))
    qpos = stance.reference.qpos[0].copy()
    qpos[0] += 0.1
    state = State(0.0, qpos, np.zeros(stance.world.model.nv))
    prediction = Predictor(stance.world).predict(state, np.zeros(0, dtype=np.int64))
    # Root and feet moved together, so d is as planned and the step only follows the body.
    targets = stance.policy.targets(0, state, prediction)
    assert np.abs(targets.joint_offset).max() < 1e-9
    assert targets.foot_shift[1] == pytest.approx([0.1, 0.0, 0.0])
    assert np.abs(targets.com_acceleration).max() < 1e-6
    # Now the support foot stays behind.
    prediction.foot[0, 0] -= 0.1
    lean = GAINS.distance * 0.1 / (stance.leg / 0.86)
    targets = stance.policy.targets(0, state, prediction)
    assert targets.foot_shift[1] == pytest.approx([0.1 + stance.leg * lean, 0.0, 0.0])


def test_velocity_is_damped_and_the_turn_is_bounded() -> None:
    stance = Stance((False, True))
    targets = stance.targets(np.array([20.0, 0.0, 0.0]))
    assert targets.com_acceleration == pytest.approx([-20.0 * GAINS.damping, 0.0, 0.0], abs=1e-6)
    assert np.linalg.norm(targets.joint_offset) == pytest.approx(LARGEST_ANGLE)


def test_nobody_steps_from_two_feet() -> None:
    targets = Stance((True, True)).targets(np.array([0.3, 0.0, 0.0]))
    assert np.abs(targets.joint_offset).max() < 1e-9


def test_a_bake_can_balance_by_it() -> None:
    settings = BakeSettings(quality="draft", assist_cap=0.0, balance="swing_hip")
    result = bake(Job(person(standing(0.5)), MAPPING, settings))
    assert result.meta.fell_at is None
    assert result.meta.settings["balance"] == "swing_hip"
