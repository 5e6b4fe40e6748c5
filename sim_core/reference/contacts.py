"""Planned contacts of a motion: which points touch the ground when, and the ground under them.

Each foot has four sole points, two at the heel and two at the toes, or six if it bends: heel, ball and tip. A
foot stands while it is slow and low; its points touch while they are themselves slow and not lifted above the
others.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.ndimage import binary_closing, binary_opening

from ..base.conventions import GRAVITY, Z_UP, BoolArray, FloatArray, IntArray, freeze
from ..base.intervals import true_intervals

REFERENCE_LEG_LENGTH = 0.86
"""Leg length for which thresholds of distance and speed are given [m]; other bodies scale them."""
FOOT_SPEED = 0.35
"""Speed of the slowest point of a foot, below which the foot stands [m/s]."""
FOOT_HEIGHT = 0.09
"""Height of the lowest point of a foot, below which the foot may stand [m]."""
POINT_SPEED = 0.8
"""Speed of a point of a standing foot, below which it touches [m/s]..."""
POINT_SPEED_SHARE = 0.25
"""...or this share of the body's speed, if that is more."""
POINT_LIFT = 0.03
"""Height above the foot's lowest point, above which a point has left the ground [m]."""
RISEN, SINKING = 0.01, 0.015
"""A point that rises has left the ground at this height above where it rests during the stance, and one that
comes down has not reached it above this height [m]. A heel that was held down longer, or toes that were put
down earlier, would have to catch up with the leg, and the body would be pushed for it..."""
AT_REST = 0.05
"""...unless it rises or sinks slower than this [m/s]."""
RESTING_PERCENTILE = 10.0
"""Percentile of a point's height during a stance at which it rests."""
LYING_HEIGHT, EDGE_LIFT = 0.4, 0.06
"""Height of the centre of mass of a body that sits or lies [m]. Its feet may lie on their sides: then one
edge is higher than this above the lowest point [m]."""
STILL_SPEED, STILL_HEIGHT, STILL_SECONDS = 0.2, 0.08, 0.12
"""Limits of speed [m/s], height [m] and time [s] of a foot at rest, which touches with all its points."""
HEEL = 2
"""Number of points at the heel of a sole, which come first; the others are at ball and tip."""
STILL_TOES = 0.13
"""Height of the toes, below which a foot on its heel may be at rest, as capture errors raise toes [m]."""
MIN_INTERVAL_S = 0.06
"""Contacts and gaps shorter than this are noise [s]."""
SUPPORT_SHARE, SUPPORT_HEIGHT = 0.7, 0.04
"""A body that needs this share of its weight as support stands on its lowest points, if they are lower than
this [m]..."""
SLIDING = 1.0
"""...and slide less than this much faster than the slowest of them; a faster foot is swinging [m/s]."""


@dataclass(frozen=True, eq=False)
class Carrying:
    """What H hands carry at T samples.

    holds (T, C): whether a hand holds an object, for pairs as in Grips
    force (T, H, 3): the load on each palm [N]
    """

    holds: BoolArray
    force: FloatArray

    def part(self, samples: slice) -> Carrying:
        """Return some of the samples."""
        return Carrying(self.holds[samples], self.force[samples])


@dataclass(frozen=True, eq=False)
class ContactSchedule:
    """Which of K points are on the ground at each of T samples.

    touches (T, K): point k is on the ground at sample t
    foot (K): 0 or 1 for the sole points, -1 for points of other parts
    support (K): indices of the points among the character's support points
    carrying: what hands carry; None where there is nothing
    """

    touches: BoolArray
    foot: IntArray
    support: IntArray
    carrying: Carrying | None = None

    def __post_init__(self) -> None:
        freeze(self, "touches", dtype=np.bool_)

    def part(self, samples: slice) -> ContactSchedule:
        """Return the contacts of some of the samples."""
        carrying = None if self.carrying is None else self.carrying.part(samples)
        return replace(self, touches=self.touches[samples], carrying=carrying)

    @cached_property
    def stands(self) -> BoolArray:
        """Return which feet stand at each sample (T, 2): at least one of their points touches."""
        return self.standing(self.touches)

    def standing(self, touches: BoolArray) -> BoolArray:
        """Return which feet stand (..., 2) while points (..., K) touch."""
        return np.asarray((touches[..., None] & self._of_foot).any(axis=-2))

    @cached_property
    def _of_foot(self) -> BoolArray:
        """Which points belong to which foot (K, 2)."""
        return np.asarray(self.foot[:, None] == (0, 1))


@dataclass(frozen=True, eq=False)
class ContactGround:
    """The ground under K contact points at T samples, as it is planned.

    base (T, K, 3): a point on the ground that moves with the ground [m]. A resting point keeps its
    horizontal distance from its base; under a swinging point only the base's height matters.
    normal (T, K, 3): normal of the ground about the base
    acceleration (T, K, 3): acceleration of the ground under resting points [m/s^2]
    friction_scale (T, K): share of the usual friction
    """

    base: FloatArray
    normal: FloatArray
    acceleration: FloatArray
    friction_scale: FloatArray

    def part(self, samples: slice) -> ContactGround:
        """Return the ground at some of the samples."""
        return ContactGround(
            self.base[samples], self.normal[samples], self.acceleration[samples], self.friction_scale[samples]
        )

    def height(self, offset: FloatArray) -> FloatArray:
        """Return the height of the ground (T, K) at horizontal offsets (T, K, 2) from the base [m]."""
        rise = -(self.normal[..., :2] * offset).sum(axis=-1) / self.normal[..., 2]
        return self.base[..., 2] + rise


def flat_contact_ground(samples: int, points: int, level: float) -> ContactGround:
    """Return a floor at one level [m] under all points."""
    shape = (samples, points, 3)
    return ContactGround(
        np.broadcast_to(level * Z_UP, shape),
        np.broadcast_to(Z_UP, shape),
        np.zeros(shape),
        np.ones((samples, points)),
    )


def detect_contacts(
    points: FloatArray,
    com: FloatArray,
    foot: IntArray,
    dt: float,
    size: float,
    point_speed: float = POINT_SPEED,
    ground: FloatArray | float = 0.0,
) -> BoolArray:
    """Return when sole points touch (T, K).

    points (T, K, 3): positions, and com (T, 3): the centre of mass, both with heights above the floor [m]
    foot (K): 0 or 1; size: leg length over REFERENCE_LEG_LENGTH
    ground (T, K): height of the ground under the points above that floor [m]
    """
    speed_scale = np.sqrt(size)
    velocity = np.gradient(points, dt, axis=0) / speed_scale
    speed, sliding = (np.linalg.norm(velocity[..., :axes], axis=-1) for axes in (3, 2))
    height = (points[..., 2] - ground) / size
    com_speed = np.linalg.norm(np.gradient(com, dt, axis=0)[:, :2], axis=-1) / speed_scale
    limit = np.maximum(point_speed, POINT_SPEED_SHARE * com_speed)[:, None]
    touches, lies = np.zeros(height.shape, dtype=bool), com[:, 2] < LYING_HEIGHT * size
    for f in (0, 1):
        own = foot == f
        touches[:, own] = _foot_contacts(speed[:, own], height[:, own], limit, lies, dt)
        touches[:, own] &= ~_off_its_rest(height[:, own], velocity[:, own, 2], touches[:, own])
    _add_missing_support(touches, height, sliding, needed_support(com, dt))
    return without_short_intervals(touches, dt)


def _foot_contacts(
    speed: FloatArray, height: FloatArray, limit: FloatArray, lies: BoolArray, dt: float
) -> BoolArray:
    lowest = height.min(axis=1, keepdims=True)
    stands = (speed.min(axis=1) < FOOT_SPEED) & (lowest[:, 0] < FOOT_HEIGHT)
    stands = without_short_intervals(stands[:, None], dt)
    touches = stands & (speed < limit) & (height < lowest + POINT_LIFT)
    heel, toes = height[:, :HEEL].max(axis=1), height[:, HEEL:].max(axis=1)
    flat = (heel < STILL_HEIGHT) & (toes < np.where(heel < toes, STILL_TOES, STILL_HEIGHT))
    still = (speed < STILL_SPEED).all(axis=1) & flat
    still = binary_opening(still, np.ones(max(round(STILL_SECONDS / dt), 1)))
    on_edge = lies[:, None] & ~touches & (height > lowest + EDGE_LIFT)
    return (_in_pairs(touches) & ~on_edge) | still[:, None]


def _off_its_rest(height: FloatArray, rate: FloatArray, touches: BoolArray) -> BoolArray:
    """Return where heel or toes (T, 4) of a standing foot have left the ground, or are not on it yet."""
    above_rest: FloatArray = np.zeros(height.shape)
    for start, end in true_intervals(np.asarray(touches.any(axis=1))):
        rest = np.percentile(height[start:end], RESTING_PERCENTILE, axis=0)
        above_rest[start:end] = height[start:end] - rest
    # The lower end of the foot carries it, however uneven its path is.
    lift = np.minimum(above_rest, height - height.min(axis=1, keepdims=True))
    off = (lift > np.where(rate > 0.0, RISEN, SINKING)) & (np.abs(rate) > AT_REST)
    return np.repeat(off.reshape(len(off), -1, 2).all(axis=2), 2, axis=1)


def _in_pairs(touches: np.ndarray) -> BoolArray:
    """Let both points of a heel or of the toes touch when one does: a foot does not stand on its edge."""
    pairs = touches.reshape(len(touches), -1, 2).any(axis=2)
    return np.repeat(pairs, 2, axis=1)


def needed_support(com: FloatArray, dt: float) -> FloatArray:
    """Return the vertical force that the motion of the centre of mass needs (T), over body weight."""
    return np.gradient(np.gradient(com[:, 2], dt), dt) / GRAVITY + 1.0


def _add_missing_support(
    touches: np.ndarray, height: FloatArray, sliding: FloatArray, support: FloatArray
) -> None:
    """Let the lowest points touch where the body needs support and nothing touches."""
    for t in np.flatnonzero((support > SUPPORT_SHARE) & ~touches.any(axis=1)):
        lowest = height[t].min()
        if lowest < SUPPORT_HEIGHT:
            low = height[t] < lowest + POINT_LIFT
            slow = sliding[t] < sliding[t, low].min() + SLIDING
            touches[t] |= _in_pairs((low & slow)[None])[0]


def without_short_intervals(flags: np.ndarray, dt: float) -> BoolArray:
    """Return flags (T, K) without gaps and without intervals that are shorter than MIN_INTERVAL_S."""
    width = np.ones((max(round(MIN_INTERVAL_S / dt), 1), 1))
    pad = len(width)
    padded = np.pad(flags, ((pad, pad), (0, 0)), mode="edge")
    return np.asarray(binary_opening(binary_closing(padded, width), width))[pad:-pad]
