"""Legs that reach wanted places of the feet, with the smallest change of a pose."""

from __future__ import annotations

import numpy as np

from ..base.conventions import FloatArray
from ..dynamics.pose_solver import FrameGoal, PoseSolver
from ..world.world import World

FOOT_SIGMA, TURN_SIGMA = 0.002, 0.02
"""How exactly feet keep their places [m] and turns [rad]."""
ROOT_SIGMA, JOINT_SIGMA = 0.005, 0.3
"""How far the pelvis [m] and the legs' joints [rad] may give way."""
STRAIGHT, STRAIGHTEST = 0.97, 0.99
"""Of a leg's length: how far its foot may usually be from the hip, and how far at most."""
BENT, ONE_SIDED = 0.2, 1.0
"""Knees are bent at least this far to begin with [rad]; a hinge with such a sum of its ends is a knee."""


class LegSolver:
    """Least squares over the pelvis's place and the joints of both legs."""

    def __init__(self, world: World) -> None:
        self.world, model = world, world.model
        self.feet = world.index.feet
        legs = [self._above(int(foot)) for foot in self.feet]
        above = {body for leg in legs for body in leg}
        self.hips = np.array([leg[-1] for leg in legs])
        self.length = np.array([sum(np.linalg.norm(model.body_pos[b]) for b in leg[:-1]) for leg in legs])
        joints = np.flatnonzero(np.isin(model.dof_bodyid, list(above)))
        sigma = np.concatenate([np.full(3, ROOT_SIGMA), np.full(len(joints), JOINT_SIGMA)])
        self.solver = PoseSolver(world, np.concatenate([np.arange(3), joints]), sigma)
        hinges = self.solver.hinges
        self.knees = hinges[model.jnt_range[hinges].sum(axis=1) > ONE_SIDED]

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
        reach = np.linalg.norm(now - self.solver.kinematics.data.xpos[self.hips], axis=1)
        reach = np.clip(reach, STRAIGHT * self.length, STRAIGHTEST * self.length)
        self.solver.kinematics.set_position(pose)
        hips = self.solver.kinematics.data.xpos[self.hips]
        aside = np.linalg.norm((hips - feet)[:, :2], axis=1)
        highest = feet[:, 2] + np.sqrt(np.maximum(reach**2 - aside**2, 0.0))
        return float((hips[:, 2] - highest).max())

    def feet_of(self, qpos: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Places (F, 3) and rotation matrices (F, 3, 3) of the feet in a pose."""
        self.solver.kinematics.set_position(qpos)
        data = self.solver.kinematics.data
        return data.xpos[self.feet].copy(), data.xmat[self.feet].reshape(-1, 3, 3).copy()

    def solve(self, wish: FloatArray, place: FloatArray, turn: FloatArray) -> FloatArray:
        """The pose nearest to `wish` (nq) whose feet are at place (F, 3) and turn (F, 3, 3)."""
        start, knees = wish.copy(), self.world.model.jnt_qposadr[self.knees]
        start[knees] = np.maximum(wish[knees], BENT)  # a straight leg does not know which way to bend
        goals = [
            FrameGoal(int(foot), place[i], turn[i], FOOT_SIGMA, TURN_SIGMA)
            for i, foot in enumerate(self.feet)
        ]
        return self.solver.solve(wish, goals, start)
