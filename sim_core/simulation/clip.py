"""A clip that a character plays as it is, instead of being simulated."""

from __future__ import annotations

import mujoco
import numpy as np

from ..conventions import FloatArray
from ..reference.reference import pose_changes


class Clip:
    """Poses qpos (T, nq) at an interval dt [s] of a character that is alone in its model."""

    def __init__(self, model: mujoco.MjModel, qpos: FloatArray, dt: float) -> None:
        self.model, self.qpos, self.dt = model, qpos, dt
        between = pose_changes(model, qpos[:-1], qpos[1:], dt)
        self.qvel = np.vstack([between, between[-1:]])

    def at(self, sample: int, elapsed_s: float) -> tuple[FloatArray, FloatArray]:
        """State (nq), (nv) at a time after a sample, at constant speed from there to the next one."""
        qpos = self.qpos[sample].copy()
        mujoco.mj_integratePos(self.model, qpos, self.qvel[sample], elapsed_s)
        return qpos, self.qvel[sample]

    def mixed(self, start: int, qpos: FloatArray, share: FloatArray) -> FloatArray:
        """Poses that are qpos (T, nq) by a share (T) and the clip, from sample `start` on, by the rest."""
        change = pose_changes(self.model, self.qpos[start : start + len(qpos)], qpos)
        poses = self.qpos[start : start + len(qpos)].copy()
        for pose, way in zip(poses, share[:, None] * change, strict=True):
            mujoco.mj_integratePos(self.model, pose, way, 1.0)
        return poses
