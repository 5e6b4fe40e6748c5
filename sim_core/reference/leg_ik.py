"""Legs that reach wanted places of the feet, with the smallest change of a pose."""

from __future__ import annotations

import mujoco
import numpy as np

from ..conventions import FloatArray
from ..dynamics.kinematics import Kinematics
from ..simulation.world import World

FOOT_SIGMA, TURN_SIGMA = 0.002, 0.02
"""How exactly feet keep their places [m] and turns [rad]."""
ROOT_SIGMA, JOINT_SIGMA = 0.005, 0.3
"""How far the pelvis [m] and the legs' joints [rad] may give way."""
STRAIGHT, STRAIGHTEST = 0.97, 0.99
"""Of a leg's length: how far its foot may usually be from the hip, and how far at most."""
BENT, ONE_SIDED = 0.2, 1.0
"""Knees are bent at least this far to begin with [rad]; a hinge with such a sum of its ends is a knee."""
ITERATIONS = 8
ENOUGH = 1e-4
"""A step that is smaller ends the search [m, rad]."""


class LegSolver:
    """Gauss-Newton over the pelvis's place and the joints of both legs."""

    def __init__(self, world: World) -> None:
        self.world, self.kinematics = world, Kinematics(world)
        model = world.model
        self.feet = world.index.feet
        legs = [self._above(int(foot)) for foot in self.feet]
        above = {body for leg in legs for body in leg}
        self.hips = np.array([leg[-1] for leg in legs])
        self.length = np.array([sum(np.linalg.norm(model.body_pos[b]) for b in leg[:-1]) for leg in legs])
        joints = np.flatnonzero(np.isin(model.dof_bodyid, list(above)))
        self.free = np.concatenate([np.arange(3), joints])
        self.prior = 1.0 / np.concatenate([np.full(3, ROOT_SIGMA), np.full(len(joints), JOINT_SIGMA)])
        self.weight = 1.0 / np.tile(np.repeat([FOOT_SIGMA, TURN_SIGMA], 3), len(self.feet))
        hinge = (model.jnt_type == mujoco.mjtJoint.mjJNT_HINGE) & np.isin(model.jnt_bodyid, list(above))
        self.hinges = np.flatnonzero(hinge)
        self.knees = self.hinges[model.jnt_range[self.hinges].sum(axis=1) > ONE_SIDED]
        self.hinge_column = np.searchsorted(self.free, model.jnt_dofadr[self.hinges])

    def _above(self, foot: int) -> list[int]:
        """Bodies of a leg from the foot up."""
        leg = [foot]
        while (parent := int(self.world.model.body_parentid[leg[-1]])) != int(self.world.index.body[0]):
            leg.append(parent)
        return leg

    def too_high(self, pose: FloatArray, feet: FloatArray, source: FloatArray) -> float:
        """How far the pelvis of a pose must come down so that legs reach feet (F, 3) [m].

        A leg may be as straight as in the source's pose, where that is straighter than usual.
        """
        now = self.feet_of(source)[0]
        reach = np.linalg.norm(now - self.kinematics.data.xpos[self.hips], axis=1)
        reach = np.clip(reach, STRAIGHT * self.length, STRAIGHTEST * self.length)
        self.kinematics.set_position(pose)
        hips = self.kinematics.data.xpos[self.hips]
        aside = np.linalg.norm((hips - feet)[:, :2], axis=1)
        highest = feet[:, 2] + np.sqrt(np.maximum(reach**2 - aside**2, 0.0))
        return float((hips[:, 2] - highest).max())

    def feet_of(self, qpos: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Places (F, 3) and rotation matrices (F, 3, 3) of the feet in a pose."""
        self.kinematics.set_position(qpos)
        data = self.kinematics.data
        return data.xpos[self.feet].copy(), data.xmat[self.feet].reshape(-1, 3, 3).copy()

    def solve(self, wish: FloatArray, place: FloatArray, turn: FloatArray) -> FloatArray:
        """The pose nearest to `wish` (nq) whose feet are at place (F, 3) and turn (F, 3, 3)."""
        model, qpos = self.world.model, wish.copy()
        knees = model.jnt_qposadr[self.knees]
        qpos[knees] = np.maximum(wish[knees], BENT)  # a straight leg does not know which way to bend
        change, step = np.zeros(model.nv), np.zeros(model.nv)
        for _ in range(ITERATIONS):
            error, jacobian = self._error(qpos, place, turn)
            mujoco.mj_differentiatePos(model, change, 1.0, wish, qpos)
            rows = self.weight[:, None] * jacobian
            hessian = rows.T @ rows + np.diag(self.prior**2)
            gradient = rows.T @ (self.weight * error) + self.prior**2 * change[self.free]
            step[self.free] = self._within_range(hessian, gradient, wish, qpos)
            mujoco.mj_integratePos(model, qpos, step, 1.0)
            if np.abs(step).max() < ENOUGH:
                break
        return qpos

    def _within_range(
        self, hessian: FloatArray, gradient: FloatArray, wish: FloatArray, qpos: FloatArray
    ) -> FloatArray:
        """The step (n) that solves the normal equations; knees at the end of their range stay there."""
        step = -np.linalg.solve(hessian, gradient)
        at = self.world.model.jnt_qposadr[self.hinges]
        low, high = self.world.model.jnt_range[self.hinges].T
        angle = qpos[at] + step[self.hinge_column]
        allowed = np.clip(angle, np.minimum(low, wish[at]), np.maximum(high, wish[at]))
        beyond = allowed != angle
        if beyond.any():
            held = np.zeros(len(step), dtype=bool)
            held[self.hinge_column[beyond]] = True
            step[self.hinge_column[beyond]] = (allowed - qpos[at])[beyond]
            rest = gradient[~held] + hessian[np.ix_(~held, held)] @ step[held]
            step[~held] = -np.linalg.solve(hessian[np.ix_(~held, ~held)], rest)
        return step

    def _error(self, qpos: FloatArray, place: FloatArray, turn: FloatArray) -> tuple[FloatArray, FloatArray]:
        """How far the feet are off (6 F), and its Jacobian over the free coordinates (6 F, n)."""
        now, turned = self.feet_of(qpos)
        model, data = self.world.model, self.kinematics.data
        errors, jacobians = [], []
        for i, foot in enumerate(self.feet):
            linear, angular = np.zeros((3, model.nv)), np.zeros((3, model.nv))
            mujoco.mj_jacBody(model, data, linear, angular, int(foot))
            quaternion, vector = np.zeros(4), np.zeros(3)
            mujoco.mju_mat2Quat(quaternion, (turned[i] @ turn[i].T).reshape(-1))
            mujoco.mju_quat2Vel(vector, quaternion, 1.0)
            errors += [now[i] - place[i], vector]
            jacobians += [linear[:, self.free], angular[:, self.free]]
        return np.concatenate(errors), np.concatenate(jacobians)
