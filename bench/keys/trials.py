"""Captures with few keys: how many keys remain, and the error."""

from __future__ import annotations

import time

import numpy as np

from sim_core.base import rotations
from sim_core.base.conventions import IDENTITY_QUATERNION
from sim_core.keys.bone_errors import BoneTree
from sim_core.keys.channel import LOCATION, Track
from sim_core.keys.key_limits import KeyFigures, KeyLimits
from sim_core.keys.reduce import ReducedKeys, reduce_keys
from sim_core.motion.motion import Motion
from sim_core.motion.skeleton import NO_PARENT
from sim_core.reading.bvh_clip import read_bvh

from ..common.clips import CMU
from ..common.tables import Row

STILL = 1e-6
"""Channels that change by less have no keys at all."""

SECONDS = 5.0
"""Length of the beginning of a clip that is used [s]."""


def read_start(name: str) -> Motion:
    """Return the beginning of a capture."""
    motion = read_bvh(CMU / f"{name}.bvh").motion
    return motion if motion.duration <= SECONDS else motion.between(0.0, SECONDS)


def tracks_of(motion: Motion) -> list[Track]:
    """Return quaternions of all bones that turn, and positions of the roots, as Blender would key them."""
    skeleton, none = motion.skeleton, np.zeros(0, dtype=np.int64)
    upright = np.broadcast_to(np.eye(3), (len(motion.time), 3, 3))
    tracks = []
    for bone, parent in enumerate(skeleton.parents.tolist()):
        rest, above = skeleton.rest_quaternion_world[bone], IDENTITY_QUATERNION
        if parent == NO_PARENT:
            tracks.append(Track(bone, LOCATION, motion.position_world[:, bone], upright, none))
        else:
            rest = rotations.relative(skeleton.rest_quaternion_world[parent], rest)
            above = motion.quaternion_world[:, parent]
        space = np.broadcast_to(rotations.multiply(above, rest), motion.quaternion_world[:, bone].shape)
        own = rotations.continuous(rotations.relative(space, motion.quaternion_world[:, bone]))
        if np.ptp(own, axis=0).max() > STILL:
            tracks.append(Track(bone, "QUATERNION", own, rotations.to_matrix(space), none))
    return tracks


def reduced(motion: Motion, limits: KeyLimits) -> tuple[list[Track], ReducedKeys]:
    """Return the tracks of a motion, and their few keys."""
    skeleton, tracks = motion.skeleton, tracks_of(motion)
    tree = BoneTree(skeleton.parents, motion.position_world, (True,) * len(skeleton.names))
    every = np.ones(motion.position_world.shape[:2])
    frame = np.arange(len(motion.time), dtype=np.float64)
    steps = reduce_keys(frame, tree, tracks, *limits.allowed(every))
    while True:
        try:
            next(steps)
        except StopIteration as end:
            few: ReducedKeys = end.value
            return tracks, few


def posed(motion: Motion, tracks: list[Track], few: ReducedKeys) -> tuple[np.ndarray, np.ndarray]:
    """Return positions and rotations in the world on the reduced curves, by forward kinematics."""
    skeleton, frame = motion.skeleton, np.arange(len(motion.time), dtype=np.float64)
    values = {(t.node, t.moves): s.at(frame) for t, s in zip(tracks, few.splines, strict=True)}
    position, quaternion = motion.position_world.copy(), motion.quaternion_world.copy()
    for bone, parent in enumerate(skeleton.parents.tolist()):
        old = motion.quaternion_world
        if parent == NO_PARENT:
            position[:, bone] = values[bone, True]
            space = skeleton.rest_quaternion_world[bone]
        else:
            offset = motion.position_world[:, bone] - motion.position_world[:, parent]
            turn = rotations.multiply(quaternion[:, parent], rotations.conjugate(old[:, parent]))
            position[:, bone] = position[:, parent] + rotations.rotate(turn, offset)
            rest = skeleton.rest_quaternion_world
            space = rotations.multiply(quaternion[:, parent], rotations.relative(rest[parent], rest[bone]))
            quaternion[:, bone] = rotations.multiply(turn, old[:, bone])
        if (bone, False) in values:
            quaternion[:, bone] = rotations.multiply(space, rotations.normalise(values[bone, False]))
    return position, quaternion


def measure(clip: str, motion: Motion, limits: KeyLimits) -> Row:
    """Return the figures of a clip."""
    began = time.process_time()
    tracks, few = reduced(motion, limits)
    seconds = time.process_time() - began
    figures = KeyFigures.of(few, len(motion.time))
    position, quaternion = posed(motion, tracks, few)
    off = np.linalg.norm(position - motion.position_world, axis=-1)
    return {
        "clip": clip,
        "fps": motion.rate_hz,
        "frames": len(motion.time),
        "keys": figures.count,
        "every": figures.every_frame,
        "share": figures.share,
        "degrees": float(np.degrees(rotations.angle_between(quaternion, motion.quaternion_world).max())),
        "millimetres": 1000.0 * float(off.max()),
        "seconds": seconds,
    }
