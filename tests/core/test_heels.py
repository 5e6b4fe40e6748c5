"""Heels that come down: towards where the body falls, all the way to the ground, and only then."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from sim_core.base.conventions import Y_LEFT, FloatArray
from sim_core.control.balance.heels import BACK, DOWN_S, OVER, UP_S, Heels
from sim_core.control.tracking.plan import TrackingPlan, make_plan
from sim_core.dynamics.kinematics import Kinematics
from sim_core.world.world import World
from tests.core.sample_motions import DT, prepared, scene, still

Tiptoe = tuple[World, TrackingPlan]

RISE = 0.3
"""How far ankles are stretched on tiptoe [rad]."""
FOOT, SAMPLE, LIFT = 0, 10, 80
"""The foot that is looked at, when, and when it leaves the ground."""


@pytest.fixture(scope="module")
def tiptoe() -> tuple[World, TrackingPlan]:
    """A body that stands on its toes, and then on those of one foot."""
    made = scene(still(1.0))
    ready = prepared(made)
    world, reference = made.world, ready.reference
    qpos = np.array([_risen(world, pose) for pose in reference.qpos])
    touches = ready.schedule.touches.copy()
    for foot in (0, 1):
        touches[:, np.flatnonzero(ready.schedule.foot == foot)[:2]] = False
    touches[LIFT:, ready.schedule.foot == FOOT] = False
    schedule = replace(ready.schedule, touches=touches)
    return world, make_plan(
        world, replace(reference, qpos=qpos), schedule, ready.contact_ground, ready.support_force
    )


def _risen(world: World, pose: FloatArray) -> FloatArray:
    """With ankles that are stretched; the bodies of the sample people face along X."""
    model, data = world.model, mujoco.MjData(world.model)
    data.qpos[:] = pose
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    turning, offset, risen = np.zeros((3, model.nv)), np.zeros(model.nv), pose.copy()
    for foot in (0, 1):
        ankle = world.index.dofs_of(int(world.index.foot_segments[foot]))
        mujoco.mj_jacBody(model, data, None, turning, int(world.index.feet[foot]))
        offset[ankle] = np.linalg.lstsq(turning[:, ankle], RISE * Y_LEFT, rcond=None)[0]
    mujoco.mj_integratePos(model, risen, offset, 1.0)
    return risen


def backwards(plan: TrackingPlan) -> FloatArray:
    """From toes to heel (2), of length one."""
    sole = plan.support_points[SAMPLE, plan.schedule.foot == FOOT, :2]
    way = sole[:2].mean(axis=0) - sole[2:].mean(axis=0)
    return np.asarray(way / np.linalg.norm(way))


def lowered(tiptoe: Tiptoe, capture_error: FloatArray, seconds: float) -> Heels:
    world, plan = tiptoe
    heels = Heels(world, plan)
    for _ in range(round(seconds / DT)):
        heels.follow(SAMPLE, capture_error)
    return heels


def test_a_fall_over_the_heel_brings_it_down(tiptoe: Tiptoe) -> None:
    _, plan = tiptoe
    heels = lowered(tiptoe, 1.2 * OVER * backwards(plan), DOWN_S)
    assert heels.down[FOOT] == pytest.approx(1.0)
    sole = plan.schedule.foot == FOOT
    planned = plan.schedule.touches[SAMPLE]
    assert not planned[sole].all()
    assert heels.touches(SAMPLE, planned)[sole].all()
    lifted = planned & ~sole
    assert not heels.touches(SAMPLE, lifted)[sole].any(), "a foot that takes a step"


@pytest.mark.parametrize("share", [-2.0, 0.9])
def test_a_fall_to_the_other_side_or_a_small_one_leaves_the_plan(tiptoe: Tiptoe, share: float) -> None:
    _, plan = tiptoe
    heels = lowered(tiptoe, share * OVER * backwards(plan), DOWN_S)
    planned = plan.schedule.touches[SAMPLE]
    assert heels.down[FOOT] == 0.0
    assert (heels.touches(SAMPLE, planned) == planned).all()


def test_a_heel_goes_up_again_once_the_body_is_back(tiptoe: Tiptoe) -> None:
    _, plan = tiptoe
    back = backwards(plan)
    heels = lowered(tiptoe, 1.2 * OVER * back, DOWN_S)
    for _ in range(round(UP_S / DT)):
        heels.follow(SAMPLE, 0.9 * BACK * back)
    assert heels.down[FOOT] == pytest.approx(0.0, abs=1e-9)
    assert np.all(heels.joint_offset(SAMPLE) == 0.0)


def test_a_foot_in_the_air_forgets_that_its_heel_was_down(tiptoe: Tiptoe) -> None:
    _, plan = tiptoe
    heels = lowered(tiptoe, 1.2 * OVER * backwards(plan), DOWN_S)
    heels.follow(LIFT, np.zeros(2))
    assert heels.down[FOOT] == 0.0


def test_the_ankle_turns_until_the_sole_is_level(tiptoe: Tiptoe) -> None:
    """To first order: a Newton step over an angle x leaves about x^2."""
    world, plan = tiptoe
    heels = lowered(tiptoe, 1.2 * OVER * backwards(plan), DOWN_S)
    supports = plan.schedule.support[plan.schedule.foot == FOOT]

    def slope(qpos: FloatArray) -> float:
        kinematics = Kinematics(world)
        kinematics.set_position(qpos)
        sole = kinematics.support_points(supports)
        along = sole[2:].mean(axis=0) - sole[:2].mean(axis=0)
        return float(np.arctan2(along[2], np.linalg.norm(along[:2])))

    qpos = plan.reference.qpos[SAMPLE].copy()
    before = abs(slope(qpos))
    mujoco.mj_integratePos(world.model, qpos, np.zeros(world.model.nv) + heels.joint_offset(SAMPLE), 1.0)
    assert before > 0.05
    assert abs(slope(qpos)) < before**2
