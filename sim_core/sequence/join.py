"""Two motions as one: the second put where the first leaves off, and a blend between them."""

from __future__ import annotations

import numpy as np

from ..base import rotations
from ..base.conventions import FloatArray, IntArray
from ..base.intervals import smoother_step
from ..motion.motion import Motion
from ..motion.skeleton import NO_PARENT, Skeleton
from .clip import Body, Clip
from .foot_locks import Blend, Foot, keep_feet
from .transition import Transition


def join(before: Clip, after: Clip, transition: Transition, body: Body) -> Clip:
    """One motion at the rate of the first. Feet that stand during the blend stay where they are."""
    placed = place(after.motion, transition.yaw, transition.shift)
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
        tuple(Foot.of(motion, touches, body, side, first + blend) for side in range(len(body.legs)))
        for motion, touches, first in (
            (before.motion, before.touches, start),
            (placed, after.touches, enter - half),
        )
    ]
    return keep_feet(joined, body, Blend(start + blend, share, *feet))


def place(motion: Motion, yaw: float, shift: tuple[float, float]) -> Motion:
    """Turned about the world's vertical axis [rad], then moved over the ground [m]."""
    turn = rotations.about_vertical(yaw)
    position = rotations.rotate(turn, motion.position_world) + np.array([*shift, 0.0])
    return Motion(motion.skeleton, motion.time, position, rotations.multiply(turn, motion.quaternion_world))


def blended(
    a: Motion, b: Motion, at_a: IntArray, at_b: IntArray, share: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Roots along straight lines, bones turning evenly in the world, each at its distance from its parent."""
    turn_a, turn_b = a.quaternion_world[at_a], b.quaternion_world[at_b]
    quaternion = rotations.slerp(turn_a, turn_b, share[:, None])
    own_a = _own_places(a.skeleton, a.position_world[at_a], turn_a)
    own_b = _own_places(b.skeleton, b.position_world[at_b], turn_b)
    position = own_a + share[:, None, None] * (own_b - own_a)
    for bone, parent in enumerate(a.skeleton.parents):
        if parent != NO_PARENT:
            position[:, bone] = position[:, parent] + rotations.rotate(
                quaternion[:, parent], position[:, bone]
            )
    return position, quaternion


def _own_places(skeleton: Skeleton, position: FloatArray, quaternion: FloatArray) -> FloatArray:
    """Heads (T, N, 3) seen from the parent bone; those of roots in the world."""
    hang = skeleton.parents != NO_PARENT
    parent = skeleton.parents[hang]
    own = position.copy()
    own[:, hang] = rotations.rotate(
        rotations.conjugate(quaternion[:, parent]), position[:, hang] - position[:, parent]
    )
    return own


def _with_samples(like: Motion, position: FloatArray, quaternion: FloatArray) -> Motion:
    time = like.time[0] + np.arange(len(position)) / like.rate_hz
    return Motion(like.skeleton, time, position, quaternion)
