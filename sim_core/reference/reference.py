"""A motion in joint coordinates on the control grid, with its velocities and accelerations."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from ..conventions import FloatArray, frozen


@dataclass(frozen=True, eq=False)
class Reference:
    """Samples at a fixed interval.

    qpos (T, nq), qvel (T, nv), qacc (T, nv); dt [s]
    """

    qpos: FloatArray
    qvel: FloatArray
    qacc: FloatArray
    dt: float

    def __post_init__(self) -> None:
        for name in ("qpos", "qvel", "qacc"):
            object.__setattr__(self, name, frozen(getattr(self, name)))

    def __len__(self) -> int:
        return len(self.qpos)

    @property
    def time(self) -> FloatArray:
        return np.arange(len(self)) * self.dt


def reference_from_poses(model: mujoco.MjModel, qpos: FloatArray, dt: float) -> Reference:
    """Central differences in the tangent space of the joint coordinates."""
    qvel = velocities(model, qpos, dt)
    return Reference(qpos, qvel, np.gradient(qvel, dt, axis=0), dt)


def velocities(model: mujoco.MjModel, qpos: FloatArray, dt: float) -> FloatArray:
    """Central differences (T, nv); one-sided at the ends."""
    samples = len(qpos)
    result = np.zeros((samples, model.nv))
    for i in range(samples):
        before, after = max(i - 1, 0), min(i + 1, samples - 1)
        mujoco.mj_differentiatePos(model, result[i], (after - before) * dt, qpos[before], qpos[after])
    return result
