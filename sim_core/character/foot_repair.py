"""Repair of feet that are flipped in a capture.

Some exported captures flip an ankle by half a turn in part of the frames, because the Euler angles of the
file jumped to another solution. No human ankle bends that far, so such frames are rotated back.
"""

from __future__ import annotations

import numpy as np

from ..base import rotations
from ..base.conventions import IDENTITY_QUATERNION, FloatArray
from ..motion.motion import Motion
from ..recognition.mapping import SIDES
from .binding import RigBinding
from .from_rig import segment_rotations

MAX_ANKLE_ANGLE = np.radians(75.0)
"""Largest angle of an ankle from the neutral pose; beyond it the foot is flipped [rad]."""
HALF_TURNS = np.eye(4)
"""The identity and half turns about X, Y and Z, as quaternions."""


def repair_feet(binding: RigBinding, motion: Motion) -> tuple[Motion, tuple[str, ...]]:
    """Return the motion with flipped feet rotated back, and a note for each foot that was flipped."""
    world = segment_rotations(binding, motion)
    quaternions = motion.quaternion_world.copy()
    notes = []
    for side in SIDES:
        foot, shin = binding.index(f"foot.{side}"), binding.index(f"shin.{side}")
        relative = rotations.relative(world[:, shin], world[:, foot])
        repaired, flipped = _unflipped(relative, motion.time)
        if not flipped.any():
            continue
        foot_world = rotations.multiply(world[:, shin], repaired)
        bone = binding.driver[foot]
        back = rotations.multiply(foot_world, rotations.conjugate(binding.bone_to_segment[foot]))
        quaternions[flipped, bone] = back[flipped]
        notes.append(
            f"'{motion.skeleton.names[bone]}' is turned over in {flipped.sum()} of {len(flipped)} frames; "
            "it was turned back for the simulation."
        )
    if not notes:
        return motion, ()
    return Motion(motion.skeleton, motion.time, motion.position_world, quaternions), tuple(notes)


def _unflipped(relative: FloatArray, time: FloatArray) -> tuple[FloatArray, np.ndarray]:
    """Return ankle rotations (T, 4) within the human range, and which of them were beyond it."""
    flipped = rotations.angle_between(IDENTITY_QUATERNION, relative) > MAX_ANKLE_ANGLE
    result = relative.copy()
    candidates = rotations.multiply(relative[:, None], HALF_TURNS[None])
    angles = rotations.angle_between(IDENTITY_QUATERNION, candidates)
    best = np.argmin(angles, axis=1)
    result[flipped] = candidates[flipped, best[flipped]]
    lost = flipped & (angles.min(axis=1) > MAX_ANKLE_ANGLE)
    if lost.any() and not lost.all():
        result = rotations.continuous(result * np.where(result[:, :1] < 0.0, -1.0, 1.0))
        for axis in range(4):
            result[lost, axis] = np.interp(time[lost], time[~lost], result[~lost, axis])
        result = rotations.normalise(result)
    return result, flipped
