"""A motion in joint coordinates on the control grid, with its velocities and accelerations."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from ..base.conventions import FloatArray, freeze


@dataclass(frozen=True, eq=False)
class Reference:
    """Positions qpos (T, nq), velocities qvel (T, nv) and accelerations qacc (T, nv), dt [s] apart."""

    qpos: FloatArray
    qvel: FloatArray
    qacc: FloatArray
    dt: float

    def __post_init__(self) -> None:
        freeze(self, "qpos", "qvel", "qacc")

    def __len__(self) -> int:
        return len(self.qpos)

    @property
    def time(self) -> FloatArray:
        """Return the times of the samples (T), from zero [s]."""
        return np.arange(len(self)) * self.dt


def pose_changes(
    model: mujoco.MjModel, start: FloatArray, end: FloatArray, seconds: float = 1.0
) -> FloatArray:
    """Return the velocities (T, nv) that lead from poses to others (T, nq) within a time [s].

    Within one second they are the change of the pose itself.
    """
    result = np.zeros((len(start), model.nv))
    for t in range(len(start)):
        mujoco.mj_differentiatePos(model, result[t], seconds, start[t], end[t])
    return result


def moved_pose(model: mujoco.MjModel, pose: FloatArray, change: FloatArray) -> FloatArray:
    """Return a pose (nq) after a change (nv), as `pose_changes` gives it."""
    moved = pose.copy()
    mujoco.mj_integratePos(model, moved, np.ascontiguousarray(change), 1.0)
    return moved


def reference_from_poses(model: mujoco.MjModel, qpos: FloatArray, dt: float) -> Reference:
    """Differentiate poses (T, nq) by central differences in the tangent space of the joint coordinates."""
    between = pose_changes(model, qpos[:-1], qpos[1:], dt)
    padded = np.vstack([between[:1], between, between[-1:]])
    qacc = np.diff(padded, axis=0) / dt
    if len(qpos) > 2:
        qacc[0], qacc[-1] = qacc[1], qacc[-2]
    return Reference(qpos, 0.5 * (padded[:-1] + padded[1:]), qacc, dt)
