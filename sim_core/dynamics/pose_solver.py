"""The pose nearest to a wished one in which parts of the body are where they should be.

Damped least squares (Levenberg, Marquardt) on the engine's own Jacobians: goals and the distance from the
wished pose are weighed by their standard deviations. Goals that cannot be met are met as far as possible.
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
"""How far a ball joint may leave its cone [rad]."""
ITERATIONS = 8
ENOUGH = 1e-4
"""A step that is smaller ends the search [m, rad]."""
DAMPING, FIRMER = 1.0, 10.0
"""What a step that made things worse is damped by, in units of the joints' weights, and how that grows."""

Rows = tuple[FloatArray, FloatArray]
"""Errors (n) in standard deviations, and their Jacobian over all velocities (n, nv)."""


class Goal(Protocol):
    def rows(self, model: mujoco.MjModel, data: mujoco.MjData) -> Rows: ...


@dataclass(frozen=True, eq=False)
class PointGoal:
    """A point of a body, in its frame [m], is at a place in the world [m]; sigma [m]."""

    body: int
    point: FloatArray
    place: FloatArray
    sigma: float

    def rows(self, model: mujoco.MjModel, data: mujoco.MjData) -> Rows:
        now = data.xpos[self.body] + data.xmat[self.body].reshape(3, 3) @ self.point
        linear = np.zeros((3, model.nv))
        mujoco.mj_jac(model, data, linear, None, now, self.body)
        return (now - self.place) / self.sigma, linear / self.sigma


@dataclass(frozen=True, eq=False)
class FrameGoal:
    """A body's frame is at a place [m] with a turn (3, 3); sigmas [m], [rad]."""

    body: int
    place: FloatArray
    turn: FloatArray
    place_sigma: float
    turn_sigma: float

    def rows(self, model: mujoco.MjModel, data: mujoco.MjData) -> Rows:
        linear, angular = np.zeros((3, model.nv)), np.zeros((3, model.nv))
        mujoco.mj_jacBody(model, data, linear, angular, self.body)
        quaternion, vector = np.zeros(4), np.zeros(3)
        mujoco.mju_mat2Quat(quaternion, (data.xmat[self.body].reshape(3, 3) @ self.turn.T).reshape(-1))
        mujoco.mju_quat2Vel(vector, quaternion, 1.0)
        error = np.concatenate(
            [(data.xpos[self.body] - self.place) / self.place_sigma, vector / self.turn_sigma]
        )
        return error, np.concatenate([linear / self.place_sigma, angular / self.turn_sigma])


@dataclass(frozen=True, eq=False)
class _Look:
    """What the goals say of a pose: normal equations over the free coordinates, and the cost."""

    hessian: FloatArray
    gradient: FloatArray
    cost: float


class PoseSolver:
    """free (n): velocities that may change; sigma (n): how far each may be from the wish [m, rad]."""

    def __init__(self, world: World, free: IntArray, sigma: FloatArray, iterations: int = ITERATIONS) -> None:
        self.world, self.kinematics = world, Kinematics(world)
        self.free, self.prior, self.iterations = free, 1.0 / sigma, iterations
        model = world.model
        moved = np.isin(model.jnt_dofadr, free)
        self.hinges = np.flatnonzero((model.jnt_type == mujoco.mjtJoint.mjJNT_HINGE) & moved)
        self.balls = np.flatnonzero((model.jnt_type == mujoco.mjtJoint.mjJNT_BALL) & moved)
        self.hinge_column = np.searchsorted(free, model.jnt_dofadr[self.hinges])

    def solve(self, wish: FloatArray, goals: Sequence[Goal], start: FloatArray | None = None) -> FloatArray:
        """The pose (nq) nearest to `wish` that meets the goals; the search begins at `start`."""
        model, qpos = self.world.model, np.array(wish if start is None else start)
        look, damping = self._look(qpos, wish, goals), 0.0
        step = np.zeros(model.nv)
        for _ in range(self.iterations):
            step[self.free] = self._step(look, damping, wish, qpos)
            tried = qpos.copy()
            mujoco.mj_integratePos(model, tried, step, 1.0)
            seen = self._look(tried, wish, goals)
            if seen.cost > look.cost * (1.0 + 1e-9):
                damping = max(damping * FIRMER, DAMPING)
                continue
            qpos, look, damping = tried, seen, damping / FIRMER if damping > DAMPING else 0.0
            if np.abs(step).max() < ENOUGH:
                break
        return qpos

    def _look(self, qpos: FloatArray, wish: FloatArray, goals: Sequence[Goal]) -> _Look:
        self.kinematics.set_position(qpos)
        model, data = self.world.model, self.kinematics.data
        parts = [goal.rows(model, data) for goal in goals] + self._beyond_cones(qpos, wish)
        error = np.concatenate([part[0] for part in parts])
        rows = np.concatenate([part[1] for part in parts])[:, self.free]
        change = np.zeros(model.nv)
        mujoco.mj_differentiatePos(model, change, 1.0, wish, qpos)
        away = self.prior * change[self.free]
        return _Look(
            rows.T @ rows + np.diag(self.prior**2),
            rows.T @ error + self.prior * away,
            float(error @ error + away @ away),
        )

    def _beyond_cones(self, qpos: FloatArray, wish: FloatArray) -> list[Rows]:
        """How far ball joints have left their cones; what was outside in the wish may stay as it was."""
        model = self.world.model
        found: list[Rows] = []
        for ball in self.balls:
            at, dof = int(model.jnt_qposadr[ball]), int(model.jnt_dofadr[ball])
            vectors = np.zeros((2, 3))
            for vector, pose in zip(vectors, (qpos, wish), strict=True):
                mujoco.mju_quat2Vel(vector, pose[at : at + 4], 1.0)
            angle, wished = np.linalg.norm(vectors, axis=1)
            beyond = float(angle - max(wished, model.jnt_range[ball, 1]))
            if model.jnt_limited[ball] and beyond > 0.0:
                row = np.zeros((1, model.nv))
                row[0, dof : dof + 3] = vectors[0] / angle
                found.append((np.array([beyond / RANGE_SIGMA]), row / RANGE_SIGMA))
        return found

    def _step(self, look: _Look, damping: float, wish: FloatArray, qpos: FloatArray) -> FloatArray:
        """The step (n) that solves the normal equations; hinges at the end of their range stay there."""
        hessian = look.hessian + damping * np.diag(self.prior**2)
        step = -np.linalg.solve(hessian, look.gradient)
        at = self.world.model.jnt_qposadr[self.hinges]
        low, high = self.world.model.jnt_range[self.hinges].T
        angle = qpos[at] + step[self.hinge_column]
        allowed = np.clip(angle, np.minimum(low, wish[at]), np.maximum(high, wish[at]))
        beyond: BoolArray = allowed != angle
        if beyond.any():
            held = np.zeros(len(step), dtype=bool)
            held[self.hinge_column[beyond]] = True
            step[self.hinge_column[beyond]] = (allowed - qpos[at])[beyond]
            rest = look.gradient[~held] + hessian[np.ix_(~held, held)] @ step[held]
            step[~held] = -np.linalg.solve(hessian[np.ix_(~held, ~held)], rest)
        return step
