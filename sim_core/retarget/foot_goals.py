"""Goal paths of the target's feet.

The source's soles, scaled to the target's size, give their position. A stance keeps one position and heading
from its first to its last sample, with the sole on the ground. The resulting correction is spread smoothly
over the swing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.ndimage import binary_dilation, distance_transform_edt

from ..base import rotations
from ..base.conventions import Z_UP, BoolArray, FloatArray
from ..base.intervals import smooth_step, true_intervals
from .gaps import bridged, smooth_hull
from .retarget_options import Reach
from .stances import FootPath

LIFT_SECONDS = 1.0 / 30.0
"""Half the width of the rise over ground that a foot would pass through [s]."""
HEEL, TOES = slice(0, 2), slice(2, 4)


@dataclass(frozen=True, eq=False)
class _Lock:
    """Fixed positions of heel and toes (2, 3) in one stance [m]."""

    first: int
    past: int
    points: FloatArray


def foot_goals(
    scaled: FootPath, stances: BoolArray, ground: float, rate_hz: float, roll: float = 1.0
) -> FootPath:
    """Return the path of a foot that rests during stances (T, 2: heel, toes) and is never below the ground.

    scaled: the source's foot at the target's size, with the target's sole; ground [m]; rate_hz: of samples
    roll: share of the source's tilt that a foot with a long sole for its leg takes over
    """
    # A lock is held for a sample more on both sides, so that a foot is at rest when its stance begins.
    rests: BoolArray = np.asarray(binary_dilation(stances, np.ones((3, 1))))
    flat: BoolArray = np.asarray(rests.all(axis=1))
    axes = _flattened(_rolled(scaled.axes_world, roll), rests, flat, rate_hz)
    turned = rotations.rotate(axes[:, None], scaled.sole)
    pairs = np.stack([turned[:, HEEL].mean(axis=1), turned[:, TOES].mean(axis=1)], axis=1)
    lowest = turned[..., 2].min(axis=1)
    ankle = np.array(scaled.ankle_world)
    scaled_pairs = ankle[:, None] + pairs
    for lock in _locks(scaled_pairs, pairs, rests):
        part = slice(lock.first, lock.past)
        share = rests[part] / rests[part].sum(axis=1, keepdims=True)
        ankle[part] = (share[..., None] * (lock.points - pairs[part])).sum(axis=1)
        ankle[part, 2] = ground - lowest[part]
    stands: BoolArray = np.asarray(rests.any(axis=1))
    ankle = bridged(ankle - scaled.ankle_world, stands, rate_hz) + scaled.ankle_world
    return kept_above(FootPath(ankle, axes, scaled.sole), stands, ground, rate_hz)


def kept_above(path: FootPath, stands: BoolArray, ground: float, rate_hz: float) -> FootPath:
    """Return the path raised where it is below the ground [m]; smoothly where the foot does not stand (T)."""
    ankle = path.ankle_world
    lowest = (path.points_world[..., 2] - ankle[:, None, 2]).min(axis=1)
    for smooth in (True, False):
        sunk = np.maximum(ground - ankle[:, 2] - lowest, 0.0)
        lift = _smooth_lift(sunk, stands, rate_hz) if smooth else sunk
        ankle = ankle + lift[:, None] * Z_UP
    return FootPath(ankle, path.axes_world, path.sole)


def _smooth_lift(sunk: FloatArray, stands: BoolArray, rate_hz: float) -> FloatArray:
    """Return a rise (T) that begins before a foot is below the ground by `sunk` (T) [m]; none in stances."""
    width = 2 * max(round(LIFT_SECONDS * rate_hz), 1) + 1
    apart = distance_transform_edt(~stands) if stands.any() else np.full(len(sunk), np.inf)
    return smooth_hull(sunk, width, width) * smooth_step(apart / width)


def _flattened(axes: FloatArray, rests: BoolArray, flat: BoolArray, rate_hz: float) -> FloatArray:
    """Return axes (T, 4) that are level, with one heading per stance, where heel and toes rest."""
    change = np.zeros((len(axes), 3))
    heading = np.unwrap(rotations.heading(axes))
    for first, past in true_intervals(np.asarray(rests.any(axis=1))):
        rows = first + np.flatnonzero(flat[first:past])
        if len(rows):
            level = rotations.about_vertical(np.median(heading[rows]))
            change[rows] = rotations.to_vector(rotations.multiply(level, rotations.conjugate(axes[rows])))
    return rotations.multiply(rotations.from_vector(bridged(change, flat, rate_hz)), axes)


def roll_share(source_sole: FloatArray, target_sole: FloatArray, leg_ratio: float) -> float:
    """Return the share of a tilt that lifts the target's ankle as far as the source's at its size, at most 1.

    A long foot that rolls as far as a short one would push its leg up.
    """
    source_length, target_length = (
        np.linalg.norm(sole[TOES].mean(axis=0)) for sole in (source_sole, target_sole)
    )
    return min(1.0, float(leg_ratio * source_length / target_length))


def _rolled(axes: FloatArray, share: float) -> FloatArray:
    """Return axes (T, 4) with a share of their tilt."""
    if share >= 1.0:
        return axes
    level = rotations.vertical_twist(axes)
    tilt = rotations.to_vector(rotations.relative(level, axes))
    return rotations.multiply(level, rotations.from_vector(share * tilt))


def _locks(points: FloatArray, pairs: FloatArray, rests: BoolArray) -> list[_Lock]:
    """Return one lock per stance; heel and toes are a sole's length apart if both rest at some time.

    points (T, 2, 3): heel and toes of the scaled source; pairs (T, 2, 3): the same from the ankle, as turned
    """
    found = []
    for first, past in true_intervals(np.asarray(rests.any(axis=1))):
        part = slice(first, past)
        flat = rests[part].all(axis=1)
        if flat.any():
            centre = np.median(points[part][flat].mean(axis=1), axis=0)
            apart = pairs[part][flat][0] - pairs[part][flat][0].mean(axis=0)
            found.append(_Lock(first, past, centre + apart))
        else:
            found.append(
                _Lock(first, past, np.array([_middle(points[part, k], rests[part, k]) for k in (0, 1)]))
            )
    return found


def _middle(positions: FloatArray, rows: BoolArray) -> FloatArray:
    """Return the median of the chosen positions (T, 3), or of all if none is chosen."""
    return np.asarray(np.median(positions[rows if rows.any() else slice(None)], axis=0))


def with_reaches(path: FootPath, reaches: Sequence[Reach], time: FloatArray) -> FootPath:
    """Return the path with the sole below the ankle at given positions."""
    ankle = path.ankle_world
    below = rotations.rotate(path.axes_world, -path.sole[0, 2] * Z_UP)
    for reach in reaches:
        share = reach.share(time)[:, None]
        ankle = ankle + share * (reach.positions(time) + below - ankle)
    return FootPath(ankle, path.axes_world, path.sole)
