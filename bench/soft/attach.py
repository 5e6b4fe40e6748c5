"""Chains of bones on rigs that have none: a tail, and strands of hair."""

from __future__ import annotations

import numpy as np

from sim_core.base import rotations
from sim_core.base.conventions import IDENTITY_QUATERNION, FloatArray
from sim_core.motion.motion import Motion
from sim_core.motion.skeleton import Skeleton


def with_chain(motion: Motion, carrier: str, name: str, joints: FloatArray) -> Motion:
    """Return the motion with bones from joint to joint (n + 1, 3) [m] of the rest pose, carried along.

    The last joint becomes a bone that only marks the end. Axes of the bones are those of the world at rest.
    """
    skeleton, count = motion.skeleton, len(joints)
    above = skeleton.index[carrier]
    names = [f"{name}_{k + 1:02d}" for k in range(count - 1)] + [f"{name}_end"]
    first = len(skeleton.names)
    longer = Skeleton(
        (*skeleton.names, *names),
        np.append(skeleton.parents, [above, *range(first, first + count - 1)]),
        np.vstack([skeleton.rest_position_world, joints]),
        np.vstack([skeleton.rest_quaternion_world, np.tile(IDENTITY_QUATERNION, (count, 1))]),
    )
    rest = rotations.conjugate(skeleton.rest_quaternion_world[above])
    turn = rotations.multiply(motion.quaternion_world[:, above], rest)[:, None]
    offset = joints - skeleton.rest_position_world[above]
    heads = motion.position_world[:, above, None] + rotations.rotate(turn, offset)
    return Motion(
        longer,
        motion.time,
        np.concatenate([motion.position_world, heads], axis=1),
        np.concatenate([motion.quaternion_world, np.repeat(turn, count, axis=1)], axis=1),
    )


def with_tail(motion: Motion, hips: str, bones: int = 6, length: float = 0.7) -> Motion:
    """Return the motion with a tail that points back and down, over the length of a body of usual size."""
    start = motion.skeleton.rest_position_world[motion.skeleton.index[hips]] + [-0.1, 0.0, 0.02]
    way = np.array([-np.cos(0.6), 0.0, -np.sin(0.6)])
    return with_chain(motion, hips, "tail", start + np.outer(np.linspace(0.0, length, bones + 1), way))


def with_hair(motion: Motion, head: str, strands: int = 10, bones: int = 3, length: float = 0.3) -> Motion:
    """Return the motion with strands that hang down around the back of the head."""
    centre = motion.skeleton.rest_position_world[motion.skeleton.index[head]] + [0.0, 0.0, 0.12]
    for strand, angle in enumerate(np.linspace(0.5 * np.pi, 1.5 * np.pi, strands)):
        start = centre + 0.11 * np.array([np.cos(angle), np.sin(angle), 0.0])
        joints = start - np.outer(np.linspace(0.0, length, bones + 1), [0.0, 0.0, 1.0])
        motion = with_chain(motion, head, f"hair{strand:02d}", joints)
    return motion
