"""Frames of a rest pose that exporters put in front of a motion, such as the T-pose of a capture."""

from __future__ import annotations

import numpy as np

from ..base import rotations
from ..base.conventions import FloatArray
from ..motion.motion import Motion
from ..motion.skeleton import local_from_world

JUMP_RATIO = 5.0
"""How many times farther a rest frame is from the motion than the motion's frames from each other."""
JUMP_RAD = np.radians(2.0)
"""Mean joint change below which a first frame belongs to the motion, whatever the ratio [rad]."""
SAME_POSE_RAD = 1e-6
"""Mean joint change below which two frames are the same pose [rad]."""
STILL_SHARE = 0.1
"""Share of the jump that the rest frames before it may change together: exporters round and filter."""
BLEND_RATIO = 2.0
"""How many times more frames that leave the rest pose change than frames of the motion."""
PACE_S = 0.3
"""Time after the jump whose motion says what is smooth [s]."""
MOST_REST_FRAMES = 10
"""Longer rests before a motion are part of it."""
LONGEST_BLEND_S = 0.1
"""Longest transition from the rest pose to the motion [s]."""


def count_rest_frames(local_quaternion: FloatArray, frame_time_s: float) -> int:
    """Return the number of frames of a rest pose before the motion; local_quaternion (T, N, 4).

    A first pose counts, also if it is repeated, where the motion jumps from it and is smooth afterwards.
    Filtered files blend from the rest pose into the motion; frames of that transition count, too.
    """
    if len(local_quaternion) < 4:
        return 0
    change = rotations.angle_between(local_quaternion[:-1], local_quaternion[1:]).mean(axis=1)
    jump = _jump(change, frame_time_s)
    if jump is None:
        return 0
    usual = _usual(change, jump, frame_time_s)
    from_first = rotations.angle_between(local_quaternion[:1], local_quaternion).mean(axis=1)
    frames = jump + 1
    while frames < len(change) and (frames - jump) * frame_time_s < LONGEST_BLEND_S:
        leaves = from_first[frames + 1] - from_first[frames] > 0.5 * change[frames]
        if not leaves or change[frames] < BLEND_RATIO * usual:
            break
        frames += 1
    return frames


def rest_frames_of(motion: Motion) -> int:
    """Return the number of rest frames before a motion whose samples are its frames."""
    _, local = local_from_world(motion.position_world, motion.quaternion_world, motion.skeleton.parents)
    return count_rest_frames(local, 1.0 / motion.rate_hz)


def rest_frames_note(frames: int) -> str:
    """Return a sentence on rest frames that were left out."""
    if frames == 1:
        return "The first frame is a rest pose before the motion; it was left out."
    return f"The first {frames} frames are a rest pose before the motion; they were left out."


def _jump(change: FloatArray, frame_time_s: float) -> int | None:
    """Return the index of the change from a still rest pose to the motion, if there is one."""
    for jump in range(min(MOST_REST_FRAMES, len(change) - 2)):
        if change[:jump].sum() > STILL_SHARE * change[jump]:
            continue
        usual = _usual(change, jump, frame_time_s)
        # Where nothing moves afterwards, the poses are held, as in an animation that is blocked out.
        if usual > SAME_POSE_RAD and change[jump] >= max(JUMP_RATIO * usual, JUMP_RAD):
            return jump
    return None


def _usual(change: FloatArray, jump: int, frame_time_s: float) -> float:
    """Return the usual change from frame to frame of the motion after the jump [rad]."""
    after = change[jump + 1 : jump + 2 + round((LONGEST_BLEND_S + PACE_S) / frame_time_s)]
    return float(np.median(after))
