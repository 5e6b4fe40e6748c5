"""Whether a motion ends as it begins, so that it may be meant as a loop."""

from __future__ import annotations

import numpy as np

from .. import rotations
from ..conventions import FloatArray
from ..job import Job
from ..metrics import local_rotations
from ..motion import Motion

SAME_DEG, SAME_M = 2.0, 0.02
"""By which joints, and the height of the hips, may differ between the ends."""
SAME_SPEED = 0.3
"""By which speeds of joints at the ends may differ, as a share of the fastest there is."""
MOVES_DEG = 10.0
"""A motion in which no joint turns as far is a pose, which nobody asks to repeat."""
SHORTEST = 5
"""Samples."""

OFFER = "The clip ends as it begins; to keep it a loop, set Loop to On in Parts (or --loop)."


def loop_offer(job: Job) -> tuple[str, ...]:
    """A sentence for who has not asked for a loop, and could."""
    settings, once = job.settings, job.scene.objects or job.scene.pushes or job.aims
    if settings.loop or not settings.simulate or settings.only_plausible or once:
        return ()
    return (OFFER,) if ends_match(job.motion) else ()


def ends_match(motion: Motion) -> bool:
    if len(motion.time) < SHORTEST:
        return False
    turn = local_rotations(motion.quaternion_world, motion.skeleton.parents)[:, 1:]
    moved = np.degrees(rotations.angle_between(turn, turn[:1])).max()
    return bool(moved > MOVES_DEG and _same_pose(motion, turn[[0, -1]]) and _same_speed(turn))


def _same_pose(motion: Motion, turn: FloatArray) -> bool:
    """Joints (2, N - 1, 4) at the ends, and the hips but for where they are and face, as in a walk."""
    first, last = motion.quaternion_world[[0, -1], 0]
    turned = rotations.multiply(last, rotations.conjugate(first))
    tilted = rotations.angle_between(rotations.about_vertical(rotations.heading(turned)), turned)
    apart = np.degrees(np.append(rotations.angle_between(turn[0], turn[1]), tilted))
    height = motion.position_world[[0, -1], 0, 2]
    return bool(apart.max() <= SAME_DEG and abs(height[1] - height[0]) <= SAME_M)


def _same_speed(turn: FloatArray) -> bool:
    """Of rotations (T, N, 4), at both ends."""
    step = rotations.to_vector(rotations.multiply(turn[1:], rotations.conjugate(turn[:-1])))
    fastest = np.linalg.norm(step, axis=-1).max()
    return bool(np.linalg.norm(step[-1] - step[0], axis=-1).max() <= SAME_SPEED * fastest)
