"""Poses that meet goals: derivatives by differences, known answers, ranges that are kept."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from sim_core.base.conventions import FloatArray
from sim_core.dynamics.kinematics import moving_dofs
from sim_core.dynamics.pose_solver import FrameGoal, Goal, PointGoal, PoseSolver
from sim_core.reference.reference import pose_changes
from tests.core.finite_differences import central_differences
from tests.core.sample_motions import Scene, Steps, punch, scene

POINT = np.array([0.01, -0.02, -0.07])


@pytest.fixture(scope="module")
def made() -> Scene:
    performance = punch()
    return scene(Steps(performance, np.ones((len(performance.time), 2), dtype=bool)))


@pytest.fixture
def pose(made: Scene) -> FloatArray:
    """Half way out, with all joints turned a little."""
    turned = made.qpos[75].copy()
    change = 0.1 * np.random.default_rng(0).normal(size=made.world.model.nv)
    mujoco.mj_integratePos(made.world.model, turned, change, 1.0)
    return turned


def body(made: Scene, name: str) -> int:
    return int(made.world.index.body[made.world.spec.names.index(name)])


def arm(made: Scene) -> PoseSolver:
    """The right arm alone."""
    moves = moving_dofs(made.world.model, body(made, "hand.R"))
    free = np.flatnonzero(moves & ~moving_dofs(made.world.model, body(made, "chest")))
    return PoseSolver(made.world, free, np.full(len(free), 1.0), iterations=60)


def place(solver: PoseSolver, pose: FloatArray, number: int, point: FloatArray) -> FloatArray:
    solver.kinematics.set_position(pose)
    data = solver.kinematics.data
    return np.asarray(data.xpos[number] + data.xmat[number].reshape(3, 3) @ point)


def hand(made: Scene, solver: PoseSolver, pose: FloatArray) -> FloatArray:
    return place(solver, pose, body(made, "hand.R"), POINT)


@pytest.mark.parametrize("kind", ["point", "frame"])
def test_goals_have_the_derivatives_of_their_errors(made: Scene, pose: FloatArray, kind: str) -> None:
    solver, number, model = arm(made), body(made, "forearm.R"), made.world.model
    solver.kinematics.set_position(pose)
    turn = solver.kinematics.data.xmat[number].reshape(3, 3).copy()
    goals: dict[str, Goal] = {
        "point": PointGoal(number, POINT, np.array([0.3, 0.1, 1.0]), 0.01),
        # Near its goal, where the rotation vector is the rate of turning.
        "frame": FrameGoal(number, np.array([0.3, 0.1, 1.0]), turn, 0.01, 0.05),
    }

    def error(change: FloatArray) -> FloatArray:
        moved = pose.copy()
        mujoco.mj_integratePos(model, moved, change, 1.0)
        solver.kinematics.set_position(moved)
        return goals[kind].rows(model, solver.kinematics.data)[0]

    measured = central_differences(error, np.zeros(model.nv))
    solver.kinematics.set_position(pose)
    rows = goals[kind].rows(model, solver.kinematics.data)[1]
    # The error of a difference is of the order of the step squared, times 1/sigma.
    assert rows == pytest.approx(measured, abs=1e-5)


def test_a_place_that_a_pose_has_is_found(made: Scene, pose: FloatArray) -> None:
    solver, start = arm(made), made.qpos[70]
    target = hand(made, solver, pose_of_arm(made, start, pose))
    found = solver.solve(start, [PointGoal(body(made, "hand.R"), POINT, target, 1e-4)])
    # What remains is where a weight of 1 rad holds against one of 0.1 mm.
    assert hand(made, solver, found) == pytest.approx(target, abs=1e-4)
    changed = np.flatnonzero(pose_changes(made.world.model, start[None], found[None])[0])
    assert set(changed) <= set(solver.free)


def pose_of_arm(made: Scene, start: FloatArray, pose: FloatArray) -> FloatArray:
    """A pose with the arm of another one."""
    change = pose_changes(made.world.model, start[None], pose[None])[0]
    only, moved = np.zeros(len(change)), start.copy()
    only[arm(made).free] = change[arm(made).free]
    mujoco.mj_integratePos(made.world.model, moved, only, 1.0)
    return moved


def test_a_place_out_of_reach_is_neared_by_a_straight_arm(made: Scene) -> None:
    solver, start, number = arm(made), made.qpos[75], body(made, "hand.R")
    shoulder = place(solver, start, body(made, "upper_arm.R"), np.zeros(3))
    target = shoulder + np.array([1.5, 0.0, 0.0])
    found = solver.solve(start, [PointGoal(number, np.zeros(3), target, 1e-3)])
    wrist = place(solver, found, number, np.zeros(3))
    model = made.world.model
    length = sum(np.linalg.norm(model.body_pos[body(made, name)]) for name in ("forearm.R", "hand.R"))
    assert np.linalg.norm(wrist - shoulder) <= length + 1e-9
    assert np.linalg.norm(wrist - target) == pytest.approx(1.5 - length, abs=0.005)


def test_joints_stay_within_their_ranges(made: Scene) -> None:
    solver, start, model = arm(made), made.qpos[75], made.world.model
    shoulder = place(solver, start, body(made, "upper_arm.R"), np.zeros(3))
    for way in ([0.0, 0.0, 0.5], [-0.5, 0.0, 0.3], [0.0, 0.5, 0.0], [0.05, 0.0, 0.0]):
        goal = PointGoal(body(made, "hand.R"), POINT, shoulder + np.array(way), 1e-3)
        found = solver.solve(start, [goal])
        for hinge in solver.hinges:
            angle, (low, high) = found[model.jnt_qposadr[hinge]], model.jnt_range[hinge]
            assert low - 1e-9 <= angle <= high + 1e-9
        for ball in solver.balls:
            at, vector = int(model.jnt_qposadr[ball]), np.zeros(3)
            mujoco.mju_quat2Vel(vector, found[at : at + 4], 1.0)
            # A cone is left by a few of its standard deviations at most.
            assert np.linalg.norm(vector) <= model.jnt_range[ball, 1] + 0.05


def test_a_goal_that_is_met_changes_nothing(made: Scene, pose: FloatArray) -> None:
    solver = arm(made)
    goal = PointGoal(body(made, "hand.R"), POINT, hand(made, solver, pose), 1e-3)
    assert solver.solve(pose, [goal]) == pytest.approx(pose, abs=1e-9)
