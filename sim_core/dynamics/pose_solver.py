"""Inverse kinematics: the pose nearest to a desired one in which parts of the body meet their goals.

Damped least squares (Levenberg, Marquardt) on the engine's Jacobians: the errors of the goals and the
distance from the desired pose are weighted by their standard deviations. Goals that cannot be met are met
as far as possible.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import mujoco
import numpy as np

from ..base.conventions import BoolArray, FloatArray, IntArray
from ..world.world import World
from .kinematics import Kinematics

RANGE_SIGMA = 0.01
"""Standard deviation of a ball joint's excess over its range [rad]."""
ITERATIONS = 8
STEP_TOLERANCE = 1e-4
"""Size of a step that ends the search [m, rad]."""
DAMPING, DAMPING_GROWTH = 1.0, 10.0
"""Damping after a step that increased the cost, in units of the joints' weights, and its growth factor."""

Rows = tuple[FloatArray, FloatArray]
"""Errors (n) in standard deviations, and their Jacobian over all velocities (n, nv)."""


class Goal(Protocol):
    """What a part of the body should do."""

    def rows(self, model: mujoco.MjModel, data: mujoco.MjData) -> Rows:
        """Return the errors in the pose of `data`, and their Jacobian."""
        ...


@dataclass(frozen=True, eq=False)
class PointGoal:
    """A point in the frame of a body [m] should be at a position in the world [m]; sigma [m]."""

    body: int
    point: FloatArray
    position: FloatArray
    sigma: float

    def rows(self, model: mujoco.MjModel, data: mujoco.MjData) -> Rows:
        """Return the error of the point's position (3), and its Jacobian."""
        now = data.xpos[self.body] + data.xmat[self.body].reshape(3, 3) @ self.point
        linear = np.zeros((3, model.nv))
        mujoco.mj_jac(model, data, linear, None, now, self.body)
        return (now - self.position) / self.sigma, linear / self.sigma


@dataclass(frozen=True, eq=False)
class FrameGoal:
    """A body should be at a position [m] with a rotation matrix (3, 3); sigmas [m], [rad]."""

    body: int
    position: FloatArray
    rotation: FloatArray
    position_sigma: float
    rotation_sigma: float

    def rows(self, model: mujoco.MjModel, data: mujoco.MjData) -> Rows:
        """Return the errors of position and rotation (6), and their Jacobian."""
        linear, angular = np.zeros((3, model.nv)), np.zeros((3, model.nv))
        mujoco.mj_jacBody(model, data, linear, angular, self.body)
        quaternion, vector = np.zeros(4), np.zeros(3)
        mujoco.mju_mat2Quat(quaternion, (data.xmat[self.body].reshape(3, 3) @ self.rotation.T).reshape(-1))
        mujoco.mju_quat2Vel(vector, quaternion, 1.0)
        error = np.concatenate(
            [(data.xpos[self.body] - self.position) / self.position_sigma, vector / self.rotation_sigma]
        )
        return error, np.concatenate([linear / self.position_sigma, angular / self.rotation_sigma])


@dataclass(frozen=True, eq=False)
class _Linearisation:
    """Normal equations over the free velocities at a pose, and its cost."""

    hessian: FloatArray
    gradient: FloatArray
    cost: float


class PoseSolver:
    """Solves for some coordinates of a pose; the others keep their desired values.

    free (n): indices of the velocities that may change
    sigma (n): standard deviations of the distances from the desired pose [m, rad]
    """

    def __init__(self, world: World, free: IntArray, sigma: FloatArray, iterations: int = ITERATIONS) -> None:
        self.world, self.kinematics = world, Kinematics(world)
        self.free, self.prior, self.iterations = free, 1.0 / sigma, iterations
        model = world.model
        moved = np.isin(model.jnt_dofadr, free)
        self.hinges = np.flatnonzero((model.jnt_type == mujoco.mjtJoint.mjJNT_HINGE) & moved)
        self.balls = np.flatnonzero((model.jnt_type == mujoco.mjtJoint.mjJNT_BALL) & moved)
        self.hinge_column = np.searchsorted(free, model.jnt_dofadr[self.hinges])

    def solve(
        self, desired: FloatArray, goals: Sequence[Goal], start: FloatArray | None = None
    ) -> FloatArray:
        """Return the pose (nq) nearest to `desired` that meets the goals; the search begins at `start`."""
        model, qpos = self.world.model, np.array(desired if start is None else start)
        current, damping = self._linearise(qpos, desired, goals), 0.0
        step = np.zeros(model.nv)
        for _ in range(self.iterations):
            step[self.free] = self._step(current, damping, desired, qpos)
            trial_pose = qpos.copy()
            mujoco.mj_integratePos(model, trial_pose, step, 1.0)
            trial = self._linearise(trial_pose, desired, goals)
            if trial.cost > current.cost * (1.0 + 1e-9):
                damping = max(damping * DAMPING_GROWTH, DAMPING)
                continue
            qpos, current, damping = trial_pose, trial, damping / DAMPING_GROWTH if damping > DAMPING else 0.0
            if np.abs(step).max() < STEP_TOLERANCE:
                break
        return qpos

    def _linearise(self, qpos: FloatArray, desired: FloatArray, goals: Sequence[Goal]) -> _Linearisation:
        self.kinematics.set_position(qpos)
        model, data = self.world.model, self.kinematics.data
        parts = [goal.rows(model, data) for goal in goals] + self._cone_rows(qpos, desired)
        error = np.concatenate([part[0] for part in parts])
        rows = np.concatenate([part[1] for part in parts])[:, self.free]
        change = np.zeros(model.nv)
        mujoco.mj_differentiatePos(model, change, 1.0, desired, qpos)
        away = self.prior * change[self.free]
        return _Linearisation(
            rows.T @ rows + np.diag(self.prior**2),
            rows.T @ error + self.prior * away,
            float(error @ error + away @ away),
        )

    def _cone_rows(self, qpos: FloatArray, desired: FloatArray) -> list[Rows]:
        """Return rows for ball joints beyond their range, or beyond the desired angle if it is larger."""
        model = self.world.model
        found: list[Rows] = []
        for ball in self.balls:
            at, dof = int(model.jnt_qposadr[ball]), int(model.jnt_dofadr[ball])
            vectors = np.zeros((2, 3))
            for vector, pose in zip(vectors, (qpos, desired), strict=True):
                mujoco.mju_quat2Vel(vector, pose[at : at + 4], 1.0)
            angle, desired_angle = np.linalg.norm(vectors, axis=1)
            beyond = float(angle - max(desired_angle, model.jnt_range[ball, 1]))
            if model.jnt_limited[ball] and beyond > 0.0:
                row = np.zeros((1, model.nv))
                row[0, dof : dof + 3] = vectors[0] / angle
                found.append((np.array([beyond / RANGE_SIGMA]), row / RANGE_SIGMA))
        return found

    def _step(
        self, current: _Linearisation, damping: float, desired: FloatArray, qpos: FloatArray
    ) -> FloatArray:
        """Return the step (n) that solves the normal equations; hinges stop at the ends of their ranges."""
        hessian = current.hessian + damping * np.diag(self.prior**2)
        step = -np.linalg.solve(hessian, current.gradient)
        at = self.world.model.jnt_qposadr[self.hinges]
        low, high = self.world.model.jnt_range[self.hinges].T
        angle = qpos[at] + step[self.hinge_column]
        allowed = np.clip(angle, np.minimum(low, desired[at]), np.maximum(high, desired[at]))
        beyond: BoolArray = allowed != angle
        if beyond.any():
            held = np.zeros(len(step), dtype=bool)
            held[self.hinge_column[beyond]] = True
            step[self.hinge_column[beyond]] = (allowed - qpos[at])[beyond]
            rest = current.gradient[~held] + hessian[np.ix_(~held, held)] @ step[held]
            step[~held] = -np.linalg.solve(hessian[np.ix_(~held, ~held)], rest)
        return step
