"""Inverse kinematics of the legs: feet reach their positions with the smallest change of a pose."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.ndimage import gaussian_filter1d, maximum_filter1d

from ..base.conventions import FloatArray
from ..dynamics.pose_solver import FrameGoal, PoseSolver
from ..world.world import World

FOOT_SIGMA, ROTATION_SIGMA = 0.002, 0.02
"""Standard deviations of the feet's positions [m] and rotations [rad]."""
ROOT_SIGMA, JOINT_SIGMA = 0.005, 0.3
"""Standard deviations of the changes of the pelvis [m] and of the legs' joints [rad]."""
USUAL_STRETCH, MAX_STRETCH = 0.97, 0.99
"""Usual and largest distance from hip to foot, as shares of the leg's length."""
MIN_BEND, KNEE_RANGE_SUM = 0.2, 1.0
"""Least bend of the knees at the start of the search [rad]; the sum of a knee's limits exceeds this [rad]."""
MAX_LOWERING = 0.3
"""Largest lowering of the body for legs that do not reach the ground [m]."""
LOWERING_S = 0.2
"""Time over which that lowering is spread before and after [s]."""

Feet = tuple[FloatArray, FloatArray]
"""Positions (F, 3) [m] and rotation matrices (F, 3, 3) of the feet."""


class LegSolver:
    """Solves for the position of the pelvis and the joints of both legs by least squares."""

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
        self.knees = hinges[model.jnt_range[hinges].sum(axis=1) > KNEE_RANGE_SUM]

    def _above(self, foot: int) -> list[int]:
        """Return the bodies of a leg from the foot up."""
        leg = [foot]
        while (parent := int(self.world.model.body_parentid[leg[-1]])) != int(self.world.index.body[0]):
            leg.append(parent)
        return leg

    def excess_height(self, pose: FloatArray, feet: FloatArray, source: FloatArray) -> float:
        """Return how far the pelvis of a pose must be lowered so that the legs reach feet (F, 3) [m].

        A leg may be as straight as in the source's pose, if that is straighter than usual.
        """
        now = self.feet_of(source)[0]
        reach = np.linalg.norm(now - self.solver.kinematics.data.xpos[self.hips], axis=1)
        reach = np.clip(reach, USUAL_STRETCH * self.length, MAX_STRETCH * self.length)
        self.solver.kinematics.set_position(pose)
        hips = self.solver.kinematics.data.xpos[self.hips]
        aside = np.linalg.norm((hips - feet)[:, :2], axis=1)
        highest = feet[:, 2] + np.sqrt(np.maximum(reach**2 - aside**2, 0.0))
        return float((hips[:, 2] - highest).max())

    def feet_of(self, qpos: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return positions (F, 3) and rotation matrices (F, 3, 3) of the feet in a pose."""
        self.solver.kinematics.set_position(qpos)
        data = self.solver.kinematics.data
        return data.xpos[self.feet].copy(), data.xmat[self.feet].reshape(-1, 3, 3).copy()

    def solve(self, desired: FloatArray, position: FloatArray, rotation: FloatArray) -> FloatArray:
        """Return the pose (nq) nearest to `desired` with feet at position (F, 3) and rotation (F, 3, 3)."""
        start, knees = desired.copy(), self.world.model.jnt_qposadr[self.knees]
        start[knees] = np.maximum(desired[knees], MIN_BEND)  # a straight leg could bend in either direction
        goals = [
            FrameGoal(int(foot), position[i], rotation[i], FOOT_SIGMA, ROTATION_SIGMA)
            for i, foot in enumerate(self.feet)
        ]
        return self.solver.solve(desired, goals, start)


def solve_legs(
    legs: LegSolver, qpos: FloatArray, desired: FloatArray, feet: Sequence[Feet], dt: float
) -> FloatArray:
    """Return the poses (T, nq) nearest to desired ones with feet at their places; bodies sink to reach them.

    qpos (T, nq): the source, which shows how straight the legs may be
    """
    lowered = desired.copy()
    excess = [legs.excess_height(*own) for own in zip(desired, (own[0] for own in feet), qpos, strict=True)]
    lowering = np.clip(excess, 0.0, MAX_LOWERING)
    width = LOWERING_S / dt
    lowered[:, 2] -= gaussian_filter1d(
        maximum_filter1d(lowering, 4 * round(width) + 1), width, mode="nearest"
    )
    return np.array([legs.solve(pose, *wanted) for pose, wanted in zip(lowered, feet, strict=True)])
