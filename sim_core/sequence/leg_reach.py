"""Inverse kinematics of a leg: the knee bends and the hip turns to bring the foot to a target."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.ndimage import gaussian_filter1d, maximum_filter1d

from ..base import rotations
from ..base.conventions import FloatArray, IntArray
from ..motion.skeleton import Skeleton
from .clip import Leg

STRAIGHT = 0.9999
"""A leg reaches at most this share of its length, so that the knee keeps its bending direction."""
SMOOTH_SECONDS = 0.05
"""Time constant of lowering and raising the body [s]."""
LOWEST_SHARE = 0.2
"""Largest lowering of the body, as a share of the leg length."""
ROUNDING = 1e-9


def reach(
    skeleton: Skeleton,
    leg: Leg,
    position: FloatArray,
    quaternion: FloatArray,
    at: IntArray,
    ankle: FloatArray,
    foot_turn: FloatArray,
) -> None:
    """Change world poses (T, N, 3), (T, N, 4) in place at samples `at` (n).

    ankle (n, 3) [m], foot_turn (n, 4): target of the foot
    """
    if not len(at):
        return
    hip, knee, foot = (position[at, bone] for bone in (leg.thigh, leg.shin, leg.foot))
    thigh, shin = knee - hip, foot - knee
    target = _within_reach(ankle - hip, thigh, shin)
    bend = rotations.from_vector(
        _missing_bend(thigh, shin, target)[:, None] * _knee_axis(quaternion[at, leg.thigh], thigh, shin)
    )
    swing = rotations.shortest_rotation(thigh + rotations.rotate(bend, shin), target)
    _turn(skeleton, leg.shin, position, quaternion, at, bend)
    _turn(skeleton, leg.thigh, position, quaternion, at, swing)
    turn_back = rotations.multiply(foot_turn, rotations.conjugate(quaternion[at, leg.foot]))
    _turn(skeleton, leg.foot, position, quaternion, at, turn_back)
    # Feet of some rigs are not parented to the shin.
    moved = _with_all_below(skeleton, leg.foot, at)
    position[moved] += (hip + target - position[at, leg.foot])[:, None]


def lowering(
    position: FloatArray, legs: Sequence[Leg], ankles: Sequence[FloatArray], rate_hz: float
) -> FloatArray:
    """Return how far the body must go down (T) [m], smoothly, so that all legs reach their ankles (T, 3)."""
    needed = np.zeros(len(position))
    for leg, ankle in zip(legs, ankles, strict=True):
        thigh, shin = (
            position[:, leg.shin] - position[:, leg.thigh],
            position[:, leg.foot] - position[:, leg.shin],
        )
        offset = position[:, leg.thigh] - ankle
        # A leg that already reaches its target needs no lowering.
        longest = np.maximum(STRAIGHT * (_length(thigh) + _length(shin)), _length(thigh + shin))
        height = np.sqrt(np.maximum(longest**2 - (offset[:, :2] ** 2).sum(axis=1), 0.0))
        needed = np.maximum(needed, np.clip(offset[:, 2] - height, 0.0, LOWEST_SHARE * longest))
    needed[needed < ROUNDING] = 0.0
    sigma = SMOOTH_SECONDS * rate_hz
    reached = 2 * round(4.0 * sigma) + 1
    return np.asarray(gaussian_filter1d(maximum_filter1d(needed, reached), sigma))


def _turn(
    skeleton: Skeleton,
    bone: int,
    position: FloatArray,
    quaternion: FloatArray,
    at: IntArray,
    turn: FloatArray,
) -> None:
    """Turn a bone about its head, with all its descendants; turn (len(at), 4) in the world."""
    pick = _with_all_below(skeleton, bone, at)
    head = position[at, bone][:, None]
    position[pick] = head + rotations.rotate(turn[:, None], position[pick] - head)
    quaternion[pick] = rotations.multiply(turn[:, None], quaternion[pick])


def _with_all_below(skeleton: Skeleton, bone: int, at: IntArray) -> tuple[IntArray, ...]:
    """Return the index of a bone and its descendants at some samples."""
    return np.ix_(at, np.array([bone, *skeleton.descendants(bone)]))


def _within_reach(target: FloatArray, thigh: FloatArray, shin: FloatArray) -> FloatArray:
    """Return targets (n, 3) from the hip, no farther than the leg is long [m]."""
    longest = STRAIGHT * (_length(thigh) + _length(shin))
    # A leg that was straighter already stays so.
    longest = np.maximum(longest, _length(thigh + shin))
    return target * np.minimum(1.0, longest / _length(target))[:, None]


def _missing_bend(thigh: FloatArray, shin: FloatArray, target: FloatArray) -> FloatArray:
    """Return the change of the knee angle (n) that brings hip and ankle to the target's distance [rad]."""

    def bend(reach: FloatArray) -> FloatArray:
        a, b = _length(thigh), _length(shin)
        return np.arccos(np.clip((reach**2 - a**2 - b**2) / (2.0 * a * b), -1.0, 1.0))

    return bend(_length(target)) - bend(_length(thigh + shin))


def _knee_axis(thigh_turn: FloatArray, thigh: FloatArray, shin: FloatArray) -> FloatArray:
    """Return the bending axes (n, 3) of knees in the world.

    a straight knee takes that of the most bent sample
    """
    normal = np.cross(thigh, shin)
    most = int(np.argmax(_length(normal)))
    hinge = rotations.rotate(rotations.conjugate(thigh_turn[most]), normal[most])
    hinge = rotations.rotate(thigh_turn, hinge / max(float(np.linalg.norm(hinge)), 1e-12))
    mixed = normal + 1e-3 * (_length(thigh) * _length(shin))[:, None] * hinge
    return mixed / np.maximum(_length(mixed), 1e-12)[:, None]


def _length(vectors: FloatArray) -> FloatArray:
    return np.linalg.norm(vectors, axis=-1)
