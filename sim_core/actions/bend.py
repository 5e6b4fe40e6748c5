"""Bending: a motion that turns a little more or less on its way, with the same steps.

Bodies are turned as wholes about the hips, which go on in the turned direction; feet are turned and moved as
the body is in the middle of their stance, so that they stay where they stand, and legs follow.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.ndimage import gaussian_filter1d

from ..base import rotations
from ..base.conventions import BoolArray, FloatArray, IntArray
from ..base.intervals import smooth_step, true_intervals
from ..motion.motion import CONTROL_DT, Motion
from ..sequence.clip import Body, Clip
from ..sequence.leg_reach import lowering, reach

SMOOTH_S = 0.2
"""Time over which a change of the bend is spread [s]."""


def bent_path(centre: FloatArray, turn: FloatArray) -> FloatArray:
    """Return a path (T, 2) [m] whose direction is turned (T) [rad], from the same start on."""
    flat = centre[:, 0] + 1j * centre[:, 1]
    middle = 0.5 * (turn[1:] + turn[:-1])
    moved = flat[0] + np.concatenate([[0.0], np.cumsum(np.exp(1j * middle) * np.diff(flat))])
    return np.stack([moved.real, moved.imag], axis=1)


def bend(motion: Motion, body: Body, carrier: int, rate: FloatArray) -> Motion:
    """Return a motion that turns in addition, rate (T) [rad/s] to the left; it starts where it did."""
    smooth = gaussian_filter1d(rate, SMOOTH_S / CONTROL_DT, mode="nearest")
    turn = np.concatenate([[0.0], np.cumsum(0.5 * (smooth[1:] + smooth[:-1])) * CONTROL_DT])
    touches = Clip.of(motion, body).touches
    change = _Change(motion.position_world[:, carrier, :2], turn)
    samples = np.arange(len(turn))
    position = change.moved(samples[:, None], motion.position_world)
    quaternion = rotations.multiply(rotations.about_vertical(turn)[:, None], motion.quaternion_world)
    ankles, turns = [], []
    for side, leg in enumerate(body.legs):
        at = _sampled(np.asarray(touches[:, side].any(axis=1)))
        ankles.append(change.between(at, motion.position_world[:, leg.foot]))
        own = rotations.about_vertical(at.mixed(turn))
        turns.append(rotations.multiply(own, motion.quaternion_world[:, leg.foot]))
    position[..., 2] -= lowering(position, body.legs, ankles, motion.rate_hz)[:, None]
    for leg, ankle, foot_turn in zip(body.legs, ankles, turns, strict=True):
        reach(motion.skeleton, leg, position, quaternion, samples, ankle, foot_turn)
    return replace(motion, position_world=position, quaternion_world=quaternion)


class _Change:
    """The displacement of a body that turns (T) [rad] in addition, about its centre (T, 2) [m]."""

    def __init__(self, centre: FloatArray, turn: FloatArray) -> None:
        flat = np.zeros((2, len(turn), 3))
        flat[:, :, :2] = centre, bent_path(centre, turn)
        self.old, self.new, self.turn = flat[0], flat[1], turn

    def moved(self, samples: IntArray, points: FloatArray) -> FloatArray:
        """Return where points (..., 3) that go along with the body at samples (...) come to [m]."""
        turn = rotations.about_vertical(self.turn[samples])
        return np.asarray(rotations.rotate(turn, points - self.old[samples]) + self.new[samples])

    def between(self, at: _Between, points: FloatArray) -> FloatArray:
        """Return where points (T, 3) come to that go along with a foot [m]."""
        first, second = self.moved(at.first, points), self.moved(at.second, points)
        return np.asarray(first + at.share[:, None] * (second - first))


class _Between:
    """For each sample the two samples that say how a foot goes along, and the share of the second (T)."""

    def __init__(self, samples: int) -> None:
        self.first, self.second = np.arange(samples), np.arange(samples)
        self.share: FloatArray = np.zeros(samples)

    def mixed(self, values: FloatArray) -> FloatArray:
        """Return values (T) as a foot has them."""
        return np.asarray((1.0 - self.share) * values[self.first] + self.share * values[self.second])


def _sampled(stands: BoolArray) -> _Between:
    """Return how a foot goes along: as the body in the middle of each stance, and between two of them."""
    result, standing = _Between(len(stands)), true_intervals(stands)
    for n, (start, end) in enumerate(standing):
        middle = (start + end) // 2
        result.first[start:end] = result.second[start:end] = middle
        if n + 1 < len(standing):
            begin = standing[n + 1][0]
            result.first[end:begin], result.second[end:begin] = middle, sum(standing[n + 1]) // 2
            result.share[end:begin] = smooth_step((np.arange(begin - end) + 0.5) / (begin - end))
    if standing:
        first, last = sum(standing[0]) // 2, sum(standing[-1]) // 2
        for part, middle in ((slice(0, standing[0][0]), first), (slice(standing[-1][1], None), last)):
            result.first[part] = result.second[part] = middle
    return result
