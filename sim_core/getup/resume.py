"""Where a motion can go on after its character has got up."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.ndimage import maximum_filter1d

from ..base.conventions import FloatArray
from ..dynamics.centroidal import measure_supports
from ..reference.prepare import Prepared
from ..reference.tipping import nearest_between
from ..world.world import World

STABLE_M = 0.05
"""Distance of the centre of mass from the area between the feet, up to which a body can stand there [m]."""
NEAR_STANCE_S = 0.05
"""A foot that has just left the ground, or is about to reach it, could as well stand there [s]."""
RAMP_S = 0.8
"""Time in which the motion comes up to its own pace [s]."""


@dataclass(frozen=True)
class Resumption:
    """The sample from which on a motion goes on, and the foot that is in front there, 0 for the left."""

    sample: int
    leading_foot: int


def find_resumption(world: World, prepared: Prepared, first: int) -> Resumption:
    """Return the next sample, from the first on, at which a body could stand still on its feet.

    Where there is none before the end, the pose at the end is what is left of the motion.
    """
    schedule, poses = prepared.schedule, prepared.reference.qpos
    feet = np.flatnonzero(schedule.foot >= 0)
    frames = measure_supports(world, poses, schedule.support[feet])
    ground, com = frames.points[..., :2], frames.com[:, :2]
    width = 2 * round(NEAR_STANCE_S / prepared.reference.dt) + 1
    touches, stands = (
        np.asarray(maximum_filter1d(own, width, axis=0))
        for own in (schedule.touches[:, feet], schedule.stands)
    )
    away = np.linalg.norm(com - nearest_between(ground, touches, com), axis=1)
    possible = stands.all(axis=1) & (away <= STABLE_M)
    later = np.flatnonzero(possible[first:])
    sample = first + int(later[0]) if len(later) else len(poses) - 1
    along = ground[sample] @ _facing(poses[sample])
    means = [along[schedule.foot[feet] == foot].mean() for foot in (0, 1)]
    return Resumption(sample, int(np.argmax(means)))


def _facing(pose: FloatArray) -> FloatArray:
    """Return the direction over the ground (2) that the pelvis of a pose (nq) faces."""
    w, x, y, z = pose[3:7]
    return np.array([1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z)])


def pace(seconds: float, dt: float) -> FloatArray:
    """Return the times of a motion [s] that comes up to its own pace and goes on to `seconds`.

    The pace rises from 0 to 1 within RAMP_S along 3 s^2 - 2 s^3, so that the motion starts without a jerk.
    """
    samples = int(np.ceil((seconds + 0.5 * RAMP_S) / dt)) + 1
    share = np.clip(np.arange(samples) * dt / RAMP_S, 0.0, 1.0)
    covered = RAMP_S * (share**3 - 0.5 * share**4)
    after = np.maximum(np.arange(samples) * dt - RAMP_S, 0.0)
    return np.minimum(covered + after, seconds)
