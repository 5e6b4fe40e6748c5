"""Variants of captures: mirrored, at another rate, on a body of another height."""

from __future__ import annotations

import numpy as np

from sim_core.base import rotations
from sim_core.motion.motion import Motion
from sim_core.recognition.mapping import SIDES, BoneMapping

MIRROR_POINT = np.array([1.0, -1.0, 1.0])
MIRROR_QUATERNION = np.array([1.0, -1.0, 1.0, -1.0])


def mirrored(motion: Motion, mapping: BoneMapping) -> Motion:
    """Return the motion seen in a mirror; the rest pose must be the same on both sides."""
    skeleton, other = motion.skeleton, np.arange(len(motion.skeleton.names))
    left, right = SIDES
    for slot, bones in mapping.bones.items():
        if slot.endswith(f".{left}"):
            pairs = zip(bones, mapping.bones[f"{slot[: -len(left)]}{right}"], strict=False)
            for one, two in pairs:
                a, b = skeleton.index[one], skeleton.index[two]
                other[a], other[b] = b, a
    rest = skeleton.rest_quaternion_world
    turned = rotations.multiply(motion.quaternion_world, rotations.conjugate(rest))
    quaternion = rotations.multiply(turned[:, other] * MIRROR_QUATERNION, rest)
    return Motion(skeleton, motion.time, motion.position_world[:, other] * MIRROR_POINT, quaternion)


def at_rate(motion: Motion, rate_hz: float) -> Motion:
    """Return the motion at another rate [Hz]."""
    first, last = motion.time[[0, -1]]
    return motion.at(first + np.arange(int((last - first) * rate_hz + 1e-6) + 1) / rate_hz)
