"""When a body that has fallen rests, and where and how it lies."""

from __future__ import annotations

import numpy as np

from ..base import rotations
from ..base.conventions import Z_UP, FloatArray
from ..character.posing import segment_poses
from ..character.spec import CharacterSpec
from ..simulation.protocol import State

REST_SPEED, REST_JOINT_SPEED = 0.3, 0.8
"""Speed of the pelvis [m/s], and of the joints, root mean square [rad/s], below which a body rests..."""
REST_SECONDS = 0.1
"""...if it is that slow for this long [s]."""
LONGEST_FALL_S = 2.0
"""A body that rocks or slides for longer than this gets up all the same [s]."""


class RestDetector:
    """Watches a body that has gone limp, until it rests."""

    def __init__(self, limp_from_s: float) -> None:
        self.limp_from_s = self.fast_at = limp_from_s

    def rests(self, state: State) -> bool:
        """Return whether the body rests in its newest state; to be asked at every control interval."""
        slow = np.linalg.norm(state.qvel[:3]) < REST_SPEED
        if not (slow and np.sqrt(np.mean(state.qvel[6:] ** 2)) < REST_JOINT_SPEED):
            self.fast_at = state.time
        long = state.time - self.limp_from_s >= LONGEST_FALL_S - 1e-6
        return long or state.time - self.fast_at >= REST_SECONDS - 1e-6


def lying_heading(spec: CharacterSpec, pose: FloatArray) -> float:
    """Return the direction over the ground in which the head of a lying pose (nq) points [rad]."""
    _, quaternion = segment_poses(spec, pose[None])
    up = rotations.rotate(quaternion[0, [0, spec.trunk]], Z_UP).sum(axis=0)
    return float(np.arctan2(up[1], up[0]))
