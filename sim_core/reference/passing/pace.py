"""A slower pace for a while: what comes after it comes later, and the end of the motion is not reached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import mujoco
import numpy as np

from ...base.conventions import FloatArray
from ...base.intervals import smooth_step
from ..reference import moved_pose, pose_changes


@dataclass(frozen=True)
class Slowdown:
    """A share of the usual pace between two samples; ramp: samples before and after in which it changes."""

    pace: float
    first: int
    last: int
    ramp: int

    def at(self, samples: FloatArray) -> FloatArray:
        """Return the pace at samples (N)."""
        before = smooth_step((samples - self.first) / self.ramp + 1.0)
        after = smooth_step((samples - self.last) / self.ramp)
        return 1.0 - (1.0 - self.pace) * (before - after)


class Pace:
    """Which sample of a motion is reached when, if it is slowed down."""

    def __init__(self, samples: int, slowdowns: Sequence[Slowdown]) -> None:
        self.time = np.zeros(samples)
        """For each sample, when it is reached, in samples."""
        own = np.arange(samples - 1) + 0.5
        pace = np.ones(samples - 1)
        for each in slowdowns:
            pace *= each.at(own)
        self.time[1:] = np.cumsum(1.0 / pace)

    @property
    def delay(self) -> float:
        """Return how much later the last sample is reached, in samples."""
        return float(self.time[-1]) - (len(self.time) - 1)

    def later(self, time_s: float, dt: float) -> float:
        """Return when what was at a time comes now [s]."""
        return dt * float(np.interp(time_s / dt, np.arange(len(self.time)), self.time))

    def slowed(self, model: mujoco.MjModel, qpos: FloatArray) -> FloatArray:
        """Return the poses (T, nq) at that pace, as far as they are reached."""
        at = np.interp(np.arange(len(qpos)), self.time, np.arange(len(qpos)))
        before = np.minimum(at.astype(np.int64), len(qpos) - 2)
        change = pose_changes(model, qpos[before], qpos[before + 1]) * (at - before)[:, None]
        return np.array([moved_pose(model, qpos[k], own) for k, own in zip(before, change, strict=True)])
