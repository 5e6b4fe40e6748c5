"""Support that detection has missed: a body that does not tip over must rest on more than it touches.

Shapes of a body are simpler than the body, and captures hover or sink by centimetres, so a seat on the
ground may be found some centimetres above it, while the heels touch. Then the ground force would have to act
far outside of all contacts. The point where it acts (the zero-moment point, neglecting angular momentum)
tells which low part must carry the body as well.
"""

from __future__ import annotations

import numpy as np

from ..base.conventions import GRAVITY, BoolArray, FloatArray
from ..dynamics.nonnegative_least_squares import solve_nonnegative
from .contacts import POINT_LIFT, POINT_SPEED, without_short_intervals

TIPPING = 0.12
"""Distance of the zero-moment point from the area between the contacts, above which a body would tip [m]."""
NEARER = 0.05
"""How much further towards the zero-moment point than all contacts a part must be in order to help [m]."""
LOW = 0.15
"""Height below which a part may carry the body [m]."""
LONG_S, HIGHER = 0.5, 0.02
"""A part that has carried a body for so long [s] carries it wherever it is no more than this higher [m]."""
LEAST_SUPPORT = 0.3
"""Share of the weight below which nothing is said about support: the body nearly flies."""
WHOLE = 10.0
"""Weight of shares that add up to one beside distances in metres."""


def support_against_tipping(
    points: FloatArray, speed: FloatArray, touches: BoolArray, com: FloatArray, dt: float, size: float
) -> BoolArray:
    """Return where further points (T, K) carry a body that would tip over those that touch.

    points (T, K, 3): lowest points of all supports, with heights above the ground [m]
    speed (T, K): of the matter there [m/s]; com (T, 3): centre of mass, above the same ground [m]
    size: leg length over REFERENCE_LEG_LENGTH
    """
    acceleration = np.gradient(np.gradient(com, dt, axis=0), dt, axis=0) + [0.0, 0.0, GRAVITY]
    carried = touches.any(axis=1) & (acceleration[:, 2] > LEAST_SUPPORT * GRAVITY)
    lift = np.where(carried, com[:, 2] / np.where(carried, acceleration[:, 2], 1.0), 0.0)
    zero_moment = com[:, :2] - lift[:, None] * acceleration[:, :2]
    outwards = zero_moment - nearest_between(points[..., :2], touches, zero_moment)
    distance = np.linalg.norm(outwards, axis=1)
    tips = without_short_intervals((carried & (distance > TIPPING * size))[:, None], dt)
    direction = outwards / np.maximum(distance, 1e-9)[:, None]
    along = np.einsum("tki,ti->tk", points[..., :2], direction)
    furthest = np.where(touches, along, -np.inf).max(axis=1, keepdims=True)
    height = np.maximum(points[..., 2] / size, 0.0)
    helps = tips & (along > furthest + NEARER * size) & (height < LOW)
    # An ankle that swings just above the ground is slow, but its foot is lower: fast parts hide those above.
    lowest = np.where(helps, height, np.inf).min(axis=1, keepdims=True)
    slow = speed < POINT_SPEED * np.sqrt(size)
    return without_short_intervals(helps & slow & (height < lowest + POINT_LIFT), dt)


def rests_as_before(height: FloatArray, speed: FloatArray, carries: BoolArray, dt: float) -> BoolArray:
    """Return where points (T, K) are no higher than where they have carried a body for long, and as slow.

    A seat that hovers in a capture hovers as much while a hand or the feet would do without it.

    height (T, K) [m] and speed (T, K) [m/s] of the points; carries (T, K): where they carry
    """
    rests = np.zeros_like(carries)
    for k in np.flatnonzero(carries.sum(axis=0) * dt >= LONG_S):
        level = float(np.median(height[carries[:, k], k]))
        rests[:, k] = (height[:, k] < level + HIGHER) & (speed[:, k] < POINT_SPEED)
    return without_short_intervals(rests, dt)


def nearest_between(points: FloatArray, touches: BoolArray, target: FloatArray) -> FloatArray:
    """Return the point (T, 2) between touching points (T, K, 2) that is nearest to a target (T, 2).

    It is a mean of the points whose weights are not negative and add up to one. Coordinates count from the
    target, so that a mean at the target is zero.
    """
    away = points - target[:, None]
    matrix = np.concatenate([away.swapaxes(1, 2), np.full((len(away), 1, away.shape[1]), WHOLE)], axis=1)
    wanted = np.tile([0.0, 0.0, WHOLE], (len(away), 1))
    found = solve_nonnegative(matrix * touches[:, None], wanted, 1e-3, np.zeros_like(wanted))
    share = found.weights / np.maximum(found.weights.sum(axis=1, keepdims=True), 1e-9)
    return target + np.einsum("tk,tki->ti", share, np.where(touches[..., None], away, 0.0))
