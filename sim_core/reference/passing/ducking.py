"""Ducking: the trunk bends forwards and the knees bend, while the feet and the centre of mass go on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import mujoco
import numpy as np

from ...base import rotations
from ...base.conventions import FloatArray, IntArray
from ...base.intervals import smoother_step
from ...world.world import World

BEND_SHARES = {"pelvis": 0.45, "abdomen": 0.3, "chest": 0.25, "head": -0.4}
"""By segment, by how much of a bend it is turned forwards more than the one below; the head looks up."""
HANGING = ("upper_arm.L", "upper_arm.R")
"""Segments that keep their direction in the world, however the trunk bends."""


@dataclass(frozen=True)
class Duck:
    """A bend of the trunk [rad] and a lowering of the pelvis [m], whole between two samples.

    ramp: samples over which they come before the first and go after the last
    """

    bend: float
    lowering: float
    first: int
    last: int
    ramp: int

    def share(self, samples: IntArray) -> FloatArray:
        """Return the share of the bend at samples (N)."""
        before = np.clip((samples - self.first) / self.ramp + 1.0, 0.0, 1.0)
        after = np.clip((samples - self.last) / self.ramp, 0.0, 1.0)
        return smoother_step(before) - smoother_step(after)


def ducked(world: World, poses: FloatArray, samples: IntArray, ducks: Sequence[Duck]) -> FloatArray:
    """Return poses (N, nq) of samples (N) with bent trunks; legs are carried along as they are."""
    if not ducks:
        return poses
    bent, bender = poses.copy(), _Bender(world)
    shares = np.stack([own.share(samples) for own in ducks])
    bend = np.max([own.bend * share for own, share in zip(ducks, shares, strict=True)], axis=0)
    lowering = np.max([own.lowering * share for own, share in zip(ducks, shares, strict=True)], axis=0)
    for k in np.flatnonzero(bend + lowering > 0.0):
        bent[k] = bender.bent(poses[k], float(bend[k]))
        bent[k, 2] -= lowering[k]
    return bent


class _Bender:
    """Bends poses of one body."""

    def __init__(self, world: World) -> None:
        self.model, self.data = world.model, mujoco.MjData(world.model)
        self.root = int(world.index.body[0])
        names = world.spec.names
        self.shares = {world.index.body[names.index(n)]: own for n, own in BEND_SHARES.items() if n in names}
        self.hanging = [world.index.body[names.index(name)] for name in HANGING if name in names]

    def bent(self, pose: FloatArray, bend: float) -> FloatArray:
        """Return a pose (nq) with a bent trunk; the centre of mass stays above the same place."""
        before = self._centre(pose)
        forwards = self.data.xmat[self.root].reshape(3, 3)[:, 0]
        left = np.array([-forwards[1], forwards[0], 0.0]) / max(float(np.hypot(*forwards[:2])), 1e-6)
        result = pose.copy()
        turns = {body: share * bend for body, share in self.shares.items()}
        upright = -sum(share for share in self.shares.values() if share > 0.0) * bend
        for body, angle in {**turns, **dict.fromkeys(self.hanging, upright)}.items():
            world_turn = self.data.xquat[body]
            local = rotations.rotate(rotations.conjugate(world_turn), left)
            joint = int(self.model.body_jntadr[body])
            at = int(self.model.jnt_qposadr[joint]) + (3 if body == self.root else 0)
            if body == self.root or self.model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_BALL:
                turned = rotations.multiply(result[at : at + 4], rotations.from_vector(angle * local))
                result[at : at + 4] = turned * (1.0 if turned[0] >= 0.0 or body == self.root else -1.0)
        result[:2] += before - self._centre(result)
        return result

    def _centre(self, pose: FloatArray) -> FloatArray:
        """Return where the centre of mass of a pose is above the floor (2) [m]."""
        self.data.qpos[:] = pose
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_comPos(self.model, self.data)
        return self.data.subtree_com[self.root, :2].copy()
