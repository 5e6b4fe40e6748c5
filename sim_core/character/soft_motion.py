"""The animation of soft parts in joint coordinates, toward which their springs pull."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..base import rotations
from ..base.conventions import FloatArray
from ..motion.motion import Motion
from .binding import RigBinding
from .posing import pose_from_motion, segment_poses
from .soft_body import SoftBody


@dataclass(frozen=True, eq=False)
class SoftMotion:
    """The links of soft parts as they are animated, at T samples of an interval dt [s].

    rotation (T, n, 4): of the ball joints; velocity (T, n, 3): from each sample to the next, in the links'
    own axes [rad/s]
    moment (T, n, 3): mass of all that hangs on a joint times its offset from it, in the frame of the
    segment that carries the part [kg m]; turn (T, n, 4): the links' axes in that frame
    """

    rotation: FloatArray
    velocity: FloatArray
    moment: FloatArray
    turn: FloatArray


def soft_motion(body: SoftBody, binding: RigBinding, motion: Motion, dt: float) -> SoftMotion:
    """Return the animation of soft parts in a motion whose samples are dt apart [s]."""
    rotation = joint_rotations(body, binding, motion)
    step = rotations.to_vector(rotations.relative(rotation[:-1], rotation[1:])) / dt
    turn, moment = _in_segments(body, rotation)
    return SoftMotion(rotation, np.concatenate([step, step[-1:]]), moment, turn)


def joint_rotations(body: SoftBody, binding: RigBinding, motion: Motion) -> FloatArray:
    """Return the rotations of the links' ball joints (T, n, 4) in a motion."""
    _, segments = segment_poses(body.whole, pose_from_motion(body.whole, binding, motion))
    bones = motion.quaternion_world[:, body.bones]
    own = np.empty_like(bones)
    for i, link in enumerate(body.links):
        above = segments[:, link.segment] if link.parent < 0 else bones[:, link.parent]
        own[:, i] = rotations.relative(rotations.multiply(above, link.rest), bones[:, i])
    own = own * np.where(own[..., :1] < 0.0, -1.0, 1.0)
    return rotations.normalise(own)


def link_rotations(body: SoftBody, rotation: FloatArray, segments: FloatArray) -> FloatArray:
    """Return the bones' rotations in the world (T, n, 4) from those of joints, on segments (T, S, 4)."""
    bones = np.empty_like(rotation)
    for i, link in enumerate(body.links):
        above = segments[:, link.segment] if link.parent < 0 else bones[:, link.parent]
        bones[:, i] = rotations.multiply(rotations.multiply(above, link.rest), rotation[:, i])
    return bones


def _in_segments(body: SoftBody, rotation: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return turn and moment as in SoftMotion."""
    samples, count = rotation.shape[:2]
    still = np.tile([1.0, 0.0, 0.0, 0.0], (samples, len(body.whole.segments), 1))
    turn = link_rotations(body, rotation, still)
    joint, moment = np.zeros((2, samples, count, 3))
    mass = np.zeros(count)
    for i, link in enumerate(body.links):
        joint[:, i] = link.anchor
        if link.parent >= 0:
            joint[:, i] = joint[:, link.parent] + rotations.rotate(turn[:, link.parent], link.anchor)
    for i in reversed(range(count)):
        link = body.links[i]
        moment[:, i] += link.mass * rotations.rotate(turn[:, i], link.com)
        mass[i] += link.mass
        if link.parent >= 0:
            above = link.parent
            moment[:, above] += moment[:, i] + mass[i] * (joint[:, i] - joint[:, above])
            mass[above] += mass[i]
    return turn, moment
