"""Joining of two motions: the second is moved to where the first ends, and both are blended."""

from __future__ import annotations

import numpy as np

from ..base import rotations
from ..base.conventions import FloatArray, IntArray
from ..base.intervals import smoother_step
from ..motion.motion import Motion
from ..motion.skeleton import NO_PARENT, Skeleton
from .clip import Body, Clip
from .foot_locks import Blend, BlendedFoot, keep_feet
from .transition import Transition


def join(before: Clip, after: Clip, transition: Transition, body: Body) -> Clip:
    """Return one motion at the rate of the first; feet that stand during the blend keep their position."""
    placed = moved_on_ground(after.motion, transition.yaw, transition.shift)
    half, leave, enter = transition.half, transition.leave, transition.enter
    start = leave - half
    blend = np.arange(2 * half + 1) if half else np.arange(0)
    share = smoother_step(blend / max(2 * half, 1))
    position, quaternion = blended(before.motion, placed, start + blend, enter - half + blend, share)
    rest = enter - half + len(blend)
    motion = _with_samples(
        before.motion,
        np.concatenate([before.motion.position_world[:start], position, placed.position_world[rest:]]),
        np.concatenate([before.motion.quaternion_world[:start], quaternion, placed.quaternion_world[rest:]]),
    )
    touches = np.concatenate([before.touches[:leave], after.touches[enter:]])
    joined = Clip(motion, touches, start + len(blend))
    if not half:
        return joined
    feet = [
        tuple(BlendedFoot.of(motion, touches, body, side, first + blend) for side in range(len(body.legs)))
        for motion, touches, first in (
            (before.motion, before.touches, start),
            (placed, after.touches, enter - half),
        )
    ]
    return keep_feet(joined, body, Blend(start + blend, share, *feet))


def moved_on_ground(motion: Motion, yaw: float, shift: tuple[float, float]) -> Motion:
    """Return the motion turned about the world's vertical axis [rad], then moved over the ground [m]."""
    turn = rotations.about_vertical(yaw)
    position = rotations.rotate(turn, motion.position_world) + np.array([*shift, 0.0])
    return Motion(motion.skeleton, motion.time, position, rotations.multiply(turn, motion.quaternion_world))


def blended(
    a: Motion, b: Motion, at_a: IntArray, at_b: IntArray, share: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return blended positions and rotations of all bones.

    Roots move along straight lines; bones turn evenly in the world and keep their distance from their
    parents.
    """
    turn_a, turn_b = a.quaternion_world[at_a], b.quaternion_world[at_b]
    quaternion = rotations.slerp(turn_a, turn_b, share[:, None])
    own_a = _local_positions(a.skeleton, a.position_world[at_a], turn_a)
    own_b = _local_positions(b.skeleton, b.position_world[at_b], turn_b)
    position = own_a + share[:, None, None] * (own_b - own_a)
    for bone, parent in enumerate(a.skeleton.parents):
        if parent != NO_PARENT:
            position[:, bone] = position[:, parent] + rotations.rotate(
                quaternion[:, parent], position[:, bone]
            )
    return position, quaternion


def _local_positions(skeleton: Skeleton, position: FloatArray, quaternion: FloatArray) -> FloatArray:
    """Return heads (T, N, 3) in the frame of the parent bone; those of roots in the world."""
    is_child = skeleton.parents != NO_PARENT
    parent = skeleton.parents[is_child]
    own = position.copy()
    own[:, is_child] = rotations.rotate(
        rotations.conjugate(quaternion[:, parent]), position[:, is_child] - position[:, parent]
    )
    return own


def _with_samples(like: Motion, position: FloatArray, quaternion: FloatArray) -> Motion:
    time = like.time[0] + np.arange(len(position)) / like.rate_hz
    return Motion(like.skeleton, time, position, quaternion)
