"""Heels that come down: towards where the body falls, all the way to the ground, and only then."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from sim_core.base.conventions import Y_LEFT, FloatArray
from sim_core.control.balance.heel_lowering import LOWER_AT, LOWER_S, RAISE_AT, RAISE_S, HeelLowering
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
def on_toes() -> tuple[World, TrackingPlan]:
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


def lowered(on_toes: Tiptoe, capture_error: FloatArray, seconds: float) -> HeelLowering:
    world, plan = on_toes
    heel_lowering = HeelLowering(world, plan)
    for _ in range(round(seconds / DT)):
        heel_lowering.update(SAMPLE, capture_error)
    return heel_lowering


def test_a_fall_over_the_heel_brings_it_down(on_toes: Tiptoe) -> None:
    _, plan = on_toes
    heel_lowering = lowered(on_toes, 1.2 * LOWER_AT * backwards(plan), LOWER_S)
    assert heel_lowering.lowered[FOOT] == pytest.approx(1.0)
    sole = plan.schedule.foot == FOOT
    planned = plan.schedule.touches[SAMPLE]
    assert not planned[sole].all()
    assert heel_lowering.touches(SAMPLE, planned)[sole].all()
    lifted = planned & ~sole
    assert not heel_lowering.touches(SAMPLE, lifted)[sole].any(), "a foot that takes a step"


@pytest.mark.parametrize("share", [-2.0, 0.9])
def test_a_fall_to_the_other_side_or_a_small_one_leaves_the_plan(on_toes: Tiptoe, share: float) -> None:
    _, plan = on_toes
    heel_lowering = lowered(on_toes, share * LOWER_AT * backwards(plan), LOWER_S)
    planned = plan.schedule.touches[SAMPLE]
    assert heel_lowering.lowered[FOOT] == 0.0
    assert (heel_lowering.touches(SAMPLE, planned) == planned).all()


def test_a_heel_goes_up_again_once_the_body_is_back(on_toes: Tiptoe) -> None:
    _, plan = on_toes
    back = backwards(plan)
    heel_lowering = lowered(on_toes, 1.2 * LOWER_AT * back, LOWER_S)
    for _ in range(round(RAISE_S / DT)):
        heel_lowering.update(SAMPLE, 0.9 * RAISE_AT * back)
    assert heel_lowering.lowered[FOOT] == pytest.approx(0.0, abs=1e-9)
    assert np.all(heel_lowering.joint_offset(SAMPLE) == 0.0)


def test_a_foot_in_the_air_forgets_that_its_heel_was_down(on_toes: Tiptoe) -> None:
    _, plan = on_toes
    heel_lowering = lowered(on_toes, 1.2 * LOWER_AT * backwards(plan), LOWER_S)
    heel_lowering.update(LIFT, np.zeros(2))
    assert heel_lowering.lowered[FOOT] == 0.0


def test_the_ankle_turns_until_the_sole_is_level(on_toes: Tiptoe) -> None:
    """To first order: a Newton step over an angle x leaves about x^2."""
    world, plan = on_toes
    heel_lowering = lowered(on_toes, 1.2 * LOWER_AT * backwards(plan), LOWER_S)
    supports = plan.schedule.support[plan.schedule.foot == FOOT]

    def slope(qpos: FloatArray) -> float:
        kinematics = Kinematics(world)
        kinematics.set_position(qpos)
        sole = kinematics.support_points(supports)
        along = sole[2:].mean(axis=0) - sole[:2].mean(axis=0)
        return float(np.arctan2(along[2], np.linalg.norm(along[:2])))

    qpos = plan.reference.qpos[SAMPLE].copy()
    before = abs(slope(qpos))
    mujoco.mj_integratePos(
        world.model, qpos, np.zeros(world.model.nv) + heel_lowering.joint_offset(SAMPLE), 1.0
    )
    assert before > 0.05
    assert abs(slope(qpos)) < before**2
