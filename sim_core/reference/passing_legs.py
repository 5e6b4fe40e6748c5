"""Legs that pass each other on a bent path: the foot that swings goes around the leg that stands.

Feet go along with a path by a straight way from step to step. Where the body turns over the foot that stands,
that way leads through the leg that stands; people swing their foot around it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..base.conventions import FloatArray
from ..base.intervals import smooth_step
from .foot_trajectories import RAMP, bump_height
from .footsteps import SourceStep

BESIDE = 0.13
"""Distance across a usual body at which feet pass each other, unless the source has less [m]."""
PASSING = 0.3
"""Legs pass while their feet are nearer to each other than this along a usual body [m]."""
MOST = 0.25
"""By how much a swing is moved outwards at the most, of a usual body [m]."""


@dataclass(frozen=True, eq=False)
class WalkingFeet:
    """Positions of both feet (T, 2, 3) [m], and the direction to the left of their body (T, 3)."""

    position: FloatArray
    left: FloatArray

    def apart(self, side: int, rows: slice) -> tuple[FloatArray, FloatArray]:
        """Return how far a foot is to the left of the other one, and how far before or behind it (N) [m]."""
        between = self.position[rows, side] - self.position[rows, 1 - side]
        across = (between * self.left[rows]).sum(axis=-1)
        flat = np.linalg.norm(between[:, :2], axis=-1)
        return across, np.sqrt(np.maximum(flat**2 - across**2, 0.0))


def keep_legs_apart(
    steps: Sequence[SourceStep], source: WalkingFeet, changed: WalkingFeet, size: float
) -> FloatArray:
    """Return the positions (T, 2, 3) of feet whose swings are moved outwards where legs would meet.

    source, changed: before and on the bent path; size: that of the body, 1 is a usual one
    """
    position = changed.position.copy()
    for side in (0, 1):
        outwards = 1.0 if np.median(source.apart(side, slice(None))[0]) >= 0.0 else -1.0
        for before, after in pairwise(step for step in steps if step.foot == side):
            if after.start > before.end:
                swing = slice(before.end, after.start)
                aside = outwards * _outwards(side, swing, outwards, source, changed, size)
                position[swing, side] += aside[:, None] * changed.left[swing]
    return position


def _outwards(
    side: int, swing: slice, outwards: float, source: WalkingFeet, changed: WalkingFeet, size: float
) -> FloatArray:
    """Return by how much a foot is moved outwards at the samples of a swing (N) [m]."""
    usual = outwards * source.apart(side, swing)[0]
    across, ahead = changed.apart(side, swing)
    need = np.where(ahead < PASSING * size, np.minimum(usual, BESIDE * size) - outwards * across, 0.0)
    phase = (np.arange(len(need)) + 0.5) / len(need)
    bump = smooth_step(np.minimum(phase, 1.0 - phase) / RAMP)
    return bump_height(need, bump, MOST * size) * bump
