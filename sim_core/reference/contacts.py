"""When the soles are meant to be on the ground.

Each foot has four sole points, two at the heel and two at the toes. A foot stands while it is slow
and low; its points touch while they are themselves slow and not lifted above the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.ndimage import binary_closing, binary_opening

from ..base.conventions import GRAVITY, BoolArray, FloatArray, IntArray, frozen

LEG_OF_THRESHOLDS = 0.86
"""Leg length for which thresholds of distance and speed are stated [m]."""
FOOT_SPEED = 0.35
"""A foot whose slowest point is slower stands [m/s]."""
FOOT_HEIGHT = 0.09
"""A foot whose lowest point is lower may stand [m]."""
POINT_SPEED = 0.8
"""A point of a standing foot may usually roll this fast [m/s]..."""
POINT_SPEED_SHARE = 0.25
"""...or at this share of the body's speed."""
POINT_LIFT = 0.03
"""Points this far above the foot's lowest one have left the ground [m]."""
STILL_SPEED, STILL_HEIGHT, STILL_SECONDS = 0.2, 0.08, 0.12
"""A foot that keeps still touches with all its points."""
STILL_TOES = 0.13
"""Nobody keeps still on a heel alone: toes that seem to be up to this high then were captured wrong [m]."""
SHORTEST = 0.06
"""Contacts and gaps shorter than this are not real [s]."""
SUPPORT_SHARE, SUPPORT_HEIGHT = 0.7, 0.04
"""A body that needs this share of its weight stands on its lowest points, if they are not higher [m]..."""
SLIDING = 1.0
"""...and do not slide this much faster than others of them: such a foot swings past [m/s]."""


@dataclass(frozen=True, eq=False)
class ContactSchedule:
    """What rests on the ground when.

    touches (T, K): point k is on the ground at sample t
    foot (K): 0 or 1 for the sole points, -1 for points of other parts
    support (K): which of the character's supports the points are
    """

    touches: BoolArray
    foot: IntArray
    support: IntArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "touches", frozen(self.touches, np.bool_))

    @cached_property
    def stands(self) -> BoolArray:
        """(T, 2): some point of the foot touches."""
        return self.standing(self.touches)

    def standing(self, touches: BoolArray) -> BoolArray:
        """(..., 2): which feet stand while points (..., K) touch."""
        return np.stack([touches[..., self.foot == f].any(axis=-1) for f in (0, 1)], axis=-1)


def detect_contacts(
    points: FloatArray,
    com: FloatArray,
    foot: IntArray,
    dt: float,
    size: float,
    point_speed: float = POINT_SPEED,
) -> BoolArray:
    """When sole points touch (T, K).

    points (T, K, 3): above the ground [m]; com (T, 3); foot (K): 0 or 1; size: leg length over 0.86 m
    """
    speed_scale = np.sqrt(size)
    velocity = np.gradient(points, dt, axis=0) / speed_scale
    speed, sliding = (np.linalg.norm(velocity[..., :axes], axis=-1) for axes in (3, 2))
    height = points[..., 2] / size
    com_speed = np.linalg.norm(np.gradient(com, dt, axis=0)[:, :2], axis=-1) / speed_scale
    limit = np.maximum(point_speed, POINT_SPEED_SHARE * com_speed)[:, None]
    touches = np.zeros(height.shape, dtype=bool)
    for f in (0, 1):
        mine = foot == f
        touches[:, mine] = _foot_contacts(speed[:, mine], height[:, mine], limit, dt)
    _add_missing_support(touches, height, sliding, needed_support(com, dt))
    return without_blinks(touches, dt)


def _foot_contacts(speed: FloatArray, height: FloatArray, limit: FloatArray, dt: float) -> BoolArray:
    lowest = height.min(axis=1, keepdims=True)
    stands = (speed.min(axis=1) < FOOT_SPEED) & (lowest[:, 0] < FOOT_HEIGHT)
    stands = without_blinks(stands[:, None], dt)
    touches = stands & (speed < limit) & (height < lowest + POINT_LIFT)
    heel, toes = height[:, :2].max(axis=1), height[:, 2:].max(axis=1)
    flat = (heel < STILL_HEIGHT) & (toes < np.where(heel < toes, STILL_TOES, STILL_HEIGHT))
    still = (speed < STILL_SPEED).all(axis=1) & flat
    still = binary_opening(still, np.ones(max(round(STILL_SECONDS / dt), 1)))
    return _in_pairs(touches) | still[:, None]


def _in_pairs(touches: np.ndarray) -> BoolArray:
    """Both points of a heel or of the toes touch when one does: a foot does not stand on its edge."""
    pairs = touches.reshape(len(touches), -1, 2).any(axis=2)
    return np.repeat(pairs, 2, axis=1)


def needed_support(com: FloatArray, dt: float) -> FloatArray:
    """Vertical force that the centre of mass asks for, over body weight (T)."""
    return np.gradient(np.gradient(com[:, 2], dt), dt) / GRAVITY + 1.0


def _add_missing_support(
    touches: np.ndarray, height: FloatArray, sliding: FloatArray, support: FloatArray
) -> None:
    for t in np.flatnonzero((support > SUPPORT_SHARE) & ~touches.any(axis=1)):
        lowest = height[t].min()
        if lowest < SUPPORT_HEIGHT:
            low = height[t] < lowest + POINT_LIFT
            slow = sliding[t] < sliding[t, low].min() + SLIDING
            touches[t] |= _in_pairs((low & slow)[None])[0]


def without_blinks(flags: np.ndarray, dt: float) -> BoolArray:
    """Flags (T, K) without gaps and without spells shorter than SHORTEST."""
    width = np.ones((max(round(SHORTEST / dt), 1), 1))
    pad = len(width)
    padded = np.pad(flags, ((pad, pad), (0, 0)), mode="edge")
    return np.asarray(binary_opening(binary_closing(padded, width), width))[pad:-pad]
