"""Heights of heels while toes rest, such that the knee bends as in the source.

A locked foot turns about its toes. The source's foot also slides, sinks and flexes at its ball, so with the
source's tilt the locked ankle is too low, and the hips would have to come down until the leg reaches it, or
too high, and the knee would bend. So the tilt is left free: an error of the knee is more visible than one of
the foot, since near a straight leg 2 % of its length are 23 degrees of the knee.
"""

from __future__ import annotations

import numpy as np

from ..base import rotations
from ..base.conventions import Y_LEFT, Z_UP, BoolArray, FloatArray
from ..base.intervals import smooth_step, true_intervals
from ..motion.motion import low_pass_values
from .foot_goals import HEEL, TOES, kept_above
from .gaps import bridged
from .stances import FootPath

LARGEST_TURN = np.radians(20.0)
"""A foot is not turned further from the source's tilt [rad]."""
EARLY_SECONDS = 0.15
"""A heel may begin to rise this long before the source's heel leaves the ground [s]."""
LANDING_SECONDS = 0.1
"""A foot that lands on its toes returns to the source's tilt over this time before its heel comes down
[s]."""
LEVER = 0.08
"""Share of a leg length: where a turn moves the ankle less than this times the angle, it hardly helps the
knee."""
STEADY_HZ = 6.0
"""Cutoff of the low-pass for the turns of heels [Hz]."""


def raised_heels(
    path: FootPath, rests: BoolArray, hip_world: FloatArray, style: FloatArray, ground: float, rate_hz: float
) -> FootPath:
    """Return the path whose ankle is as far from the hip (T, 3) as in the style (T) [m] while toes rest.

    rests (T, 2): whether heel and toes rest; ground [m]
    """
    points = path.points_world
    pivot, heel = points[:, TOES].mean(axis=1), points[:, HEEL].mean(axis=1)
    axis = rotations.rotate(path.axes_world, Y_LEFT)
    turn = _turns(path.ankle_world - pivot, hip_world - pivot, axis, style)
    turn = low_pass_values(np.clip(turn, -LARGEST_TURN, LARGEST_TURN)[:, None], rate_hz, STEADY_HZ)[:, 0]
    sole = heel - pivot
    tilt = np.arcsin(np.clip(sole @ Z_UP / np.linalg.norm(sole, axis=1), 0.0, 1.0))
    turn = np.maximum(turn, np.where(rests[:, 0], 0.0, -tilt)) * _shares(rests, rate_hz)
    stands: BoolArray = np.asarray(rests.any(axis=1))
    turned = rotations.from_vector(bridged(turn[:, None], stands, rate_hz) * axis)
    axes = rotations.multiply(turned, path.axes_world)
    ankle = pivot + rotations.rotate(turned, path.ankle_world - pivot)
    # A foot that leans to a side stands on one corner of its toes, which the turn lifts or sinks a little.
    ankle[:, 2] += ground - FootPath(ankle, axes, path.sole).points_world[..., 2].min(axis=1)
    ankle = path.ankle_world + bridged(ankle - path.ankle_world, stands, rate_hz)
    return kept_above(FootPath(ankle, axes, path.sole), stands, ground, rate_hz)


def _turns(ankle: FloatArray, hip: FloatArray, axis: FloatArray, style: FloatArray) -> FloatArray:
    """Return angles (T) [rad] that bring ankles (T, 3), turned about axes, to given distances from hips.

    One damped Newton step: e g / (g^2 + lever^2) with the excess distance e and its derivative g by the
    angle.
    """
    apart = np.linalg.norm(hip - ankle, axis=1)
    gain = np.sum(np.cross(axis, ankle) * (hip - ankle), axis=1) / apart
    return np.asarray((apart - style) * gain / (gain**2 + (LEVER * style) ** 2))


def _shares(rests: BoolArray, rate_hz: float) -> FloatArray:
    """Return the share of a turn (T) that is applied: 1 on toes alone, less near a flat stance."""
    share = np.zeros(len(rests))
    for first, past in true_intervals(np.asarray(~rests[:, 0] & rests[:, 1])):
        share[first:past] = 1.0
        begin = max(first - round(EARLY_SECONDS * rate_hz), 0)
        begin += int(np.flatnonzero(~rests[begin:first, 0]).max(initial=-1)) + 1
        share[begin:first] = smooth_step(np.arange(1, first - begin + 1) / (first - begin + 1))
        if past < len(rests) and rests[past, 0]:
            left = np.arange(past - first, 0, -1) / (LANDING_SECONDS * rate_hz)
            share[first:past] *= smooth_step(left)
    return np.where(rests[:, 1], share, 0.0)
