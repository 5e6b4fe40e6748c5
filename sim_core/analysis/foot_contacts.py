"""Sole points of a captured motion that can carry weight, and the ground below, estimated from the feet.

Slow feet stand on something at the height at which they are slow: a floor, or the steps of stairs. On a
treadmill they stand on a belt, whose velocity is that of low feet.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from ..base.conventions import BoolArray, FloatArray, IntArray
from ..base.intervals import true_intervals
from ..reference.contacts import SUPPORT_SHARE, needed_support
from ..scenario.treadmill import belt_velocity

HEIGHT, HEIGHT_SOFTNESS = 0.04, 0.01
"""A point at this height above its ground has an activation of one half, which fades out over this softness
[m]."""
SPEED, SPEED_SOFTNESS = 0.6, 0.15
"""The same for its speed relative to the ground [m/s]."""
SHORTEST_S = 0.08
"""Shortest time for which a standing foot is slow [s]."""
SAME_LEVEL = 0.05
"""Steps of stairs differ by more in height [m]."""
LEVEL_PERCENTILE, SOLE_PERCENTILE = 30.0, 5.0
"""Percentiles of a standing foot's lowest point for the height of its step, and of each point for its own."""


@dataclass(frozen=True, eq=False)
class CarryingSoles:
    """Ground and activation of K sole points at T samples.

    belt (3): velocity of the surface that the feet stand on [m/s]; levels: heights of floor and steps [m]
    height (T, K): of the points above their ground [m]; activation (T, K): from 0, cannot carry, to 1
    """

    belt: FloatArray
    levels: FloatArray
    height: FloatArray
    activation: FloatArray


@dataclass(frozen=True)
class _Stance:
    """A foot that is slow from one sample to another, at a level [m]."""

    foot: int
    start: int
    end: int
    level: float


def find_carrying_soles(
    points: FloatArray, com: FloatArray, foot: IntArray, dt: float, size: float, floor: float
) -> CarryingSoles:
    """Return which sole points can carry weight.

    points (T, K, 3) of soles, com (T, 3) [m]; foot (K): 0 or 1; size: leg length over 0.86 m
    floor: height of the ground if no foot ever stands [m]
    """
    belt = belt_velocity(points, com, dt)
    speed = np.linalg.norm(np.gradient(points, dt, axis=0) - belt, axis=-1) / np.sqrt(size)
    stances = _stances(points[..., 2], speed, com, foot, dt, size)
    levels = _levels([stance.level for stance in stances], floor, size)
    height = np.zeros(speed.shape)
    for f in (0, 1):
        own = [stance for stance in stances if stance.foot == f]
        height[:, foot == f] = _above_ground(points[:, foot == f, 2], own, levels)
    low = expit((HEIGHT - height / size) / HEIGHT_SOFTNESS)
    activation = low * expit((SPEED - speed) / SPEED_SOFTNESS)
    # Feet that land are fast, and carry: nothing else does.
    lands = (needed_support(com, dt) > SUPPORT_SHARE) & (activation.max(axis=1) < 0.5)
    return CarryingSoles(belt, levels, height, np.where(lands[:, None], low, activation))


def _stances(
    height: FloatArray, speed: FloatArray, com: FloatArray, foot: IntArray, dt: float, size: float
) -> list[_Stance]:
    """Return when feet stand; a foot held still in the air while the other one carries below is left out."""
    found = []
    for f in (0, 1):
        lowest = height[:, foot == f].min(axis=1)
        for start, end in true_intervals(speed[:, foot == f].min(axis=1) < SPEED):
            if (end - start) * dt >= SHORTEST_S:
                level = float(np.percentile(lowest[start:end], LEVEL_PERCENTILE))
                found.append(_Stance(f, start, end, level))
    supported = needed_support(com, dt) > SUPPORT_SHARE
    floor = min((stance.level for stance in found), default=0.0)
    return [
        stance
        for stance in found
        if stance.level < floor + SAME_LEVEL * size or _carries(stance, found, supported, dt, size)
    ]


def _carries(stance: _Stance, others: list[_Stance], supported: BoolArray, dt: float, size: float) -> bool:
    """Return whether for some time nothing lower than this stance could have carried the body."""
    alone = supported.copy()
    for other in others:
        if other.foot != stance.foot and other.level < stance.level - SAME_LEVEL * size:
            alone[other.start : other.end] = False
    return bool(alone[stance.start : stance.end].sum() * dt >= SHORTEST_S)


def _levels(found: list[float], floor: float, size: float) -> FloatArray:
    """Return the heights of floor and steps (L) [m], lowest first; stances of similar height share one."""
    if not found:
        return np.array([floor])
    ordered = np.sort(found)
    groups = np.split(ordered, np.flatnonzero(np.diff(ordered) > SAME_LEVEL * size) + 1)
    return np.array([np.median(group) for group in groups])


def _above_ground(height: FloatArray, stances: list[_Stance], levels: FloatArray) -> FloatArray:
    """Return heights (T, K) of one foot's points above the level of its nearest stance in time."""
    level = np.full(len(height), levels[0])
    standing = np.zeros(len(height), dtype=bool)
    for i, stance in enumerate(stances):
        start = 0 if i == 0 else (stances[i - 1].end + stance.start) // 2
        level[start:] = levels[np.argmin(np.abs(levels - stance.level))]
        standing[stance.start : stance.end] = True
    relative = height - level[:, None]
    # A sole that is not quite flat, or not quite at the right depth, still touches with all its points.
    shown = relative[standing] if standing.any() else relative
    return np.asarray(relative - np.percentile(shown, SOLE_PERCENTILE, axis=0))
