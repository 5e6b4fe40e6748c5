"""A rest pose in which a body stands, for rigs that rest otherwise.

Segments get their axes and sizes from the rest pose, and some files and rigs rest with all bones along one
axis. Then the frame that stands best is taken. Its limbs are turned about themselves until knees and elbows
bend as they do on a body that stands neutrally, so that the axes mean the same as those of a drawn rest pose.
"""

from __future__ import annotations

import numpy as np

from ..base import rotations
from ..base.conventions import Z_UP, FloatArray
from ..motion.motion import Motion
from ..motion.skeleton import Skeleton
from ..recognition.mapping import SIDES, BoneMapping
from .stance import Body, best_standing_frame, stands, unit_vectors

LIMBS = ((("thigh", "shin", "foot"), 1.0), (("upper_arm", "forearm", "hand"), -1.0))
"""Limbs with the side of their bending axis where they hang: knees bend about the left, elbows the right."""
LEAST_BEND = 0.1
"""Least mean sine of a joint's bend, from which its axis is known."""
ALONG = 0.9
"""Cosine from which a limb points forward, so that up takes the place of forward."""


def with_rest_pose(motion: Motion, position: FloatArray, quaternion: FloatArray) -> Motion:
    """Return the same motion on a skeleton that rests in a pose (N, 3), (N, 4) of its bones."""
    skeleton = Skeleton(motion.skeleton.names, motion.skeleton.parents, position, quaternion)
    return Motion(skeleton, motion.time, motion.position_world, motion.quaternion_world)


def standing_at_rest(motion: Motion, mapping: BoneMapping) -> Motion:
    """Return the motion on a skeleton that stands at rest: the given one, or its frame that stands best."""
    body = Body.of(motion.skeleton, mapping)
    rest = motion.skeleton.rest_position_world
    if stands(body, rest, Z_UP):
        return motion
    frame = best_standing_frame(body, motion.position_world, Z_UP)
    position = motion.position_world[frame]
    if body.standing_score(position[None], Z_UP) <= body.standing_score(rest[None], Z_UP):
        return motion
    forward = unit_vectors(body.forward(position, Z_UP))
    return with_rest_pose(motion, *_untwisted(motion, mapping, frame, forward))


def _untwisted(
    motion: Motion, mapping: BoneMapping, frame: int, forward: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the pose of a frame (N, 3), (N, 4) with its limbs turned about themselves to be neutral."""
    position, quaternion = motion.position_world[frame].copy(), motion.quaternion_world[frame].copy()
    index = motion.skeleton.index
    for parts, sign in LIMBS:
        for side in SIDES:
            slots = [f"{part}.{side}" for part in parts]
            if not all(slot in mapping for slot in slots):
                continue
            upper, lower, end = (index[mapping.first(slot)] for slot in slots)
            bend = _bends(motion.position_world[:, [upper, lower, end]])
            for bone, child in ((upper, lower), (lower, end)):
                own = rotations.rotate(rotations.conjugate(motion.quaternion_world[:, bone]), bend)
                axis = own.mean(axis=0)
                if np.linalg.norm(axis) < LEAST_BEND:
                    continue
                along = unit_vectors(position[child] - position[bone])
                towards = forward if abs(along @ forward) < ALONG else Z_UP
                wanted = sign * np.cross(-along, towards)
                turn = _turn_about(along, rotations.rotate(quaternion[bone], axis), wanted)
                moved = [bone, *motion.skeleton.descendants(bone)]
                away = position[moved] - position[bone]
                position[moved] = position[bone] + rotations.rotate(turn, away)
                quaternion[moved] = rotations.multiply(turn, quaternion[moved])
    return position, quaternion


def _bends(joints: FloatArray) -> FloatArray:
    """Return the axes (T, 3) about which a limb (T, 3, 3) is bent, as long as the sine of the bend."""
    upper, lower = unit_vectors(joints[:, 1] - joints[:, 0]), unit_vectors(joints[:, 2] - joints[:, 1])
    return np.cross(upper, lower)


def _turn_about(axis: FloatArray, start: FloatArray, end: FloatArray) -> FloatArray:
    """Return the rotation (4) about an axis (3) that brings one direction nearest to another."""
    angle = np.arctan2(np.cross(start, end) @ axis, start @ end - (start @ axis) * (end @ axis))
    return rotations.from_vector(angle * axis)
