"""Spells of time in which something holds.

Ways from 0 to 1 that begin and end gently.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from .conventions import BoolArray, FloatArray


def true_intervals(flags: BoolArray) -> list[tuple[int, int]]:
    """First and past-the-last sample of each run of flags (T)."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(np.int8)))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


Share = TypeVar("Share", float, FloatArray)


def smooth_step(share: Share) -> Share:
    """With no speed at the ends; 0 before and 1 after them."""
    inside = np.clip(share, 0.0, 1.0)
    return inside * inside * (3.0 - 2.0 * inside)


def smooth_step_rate(share: Share) -> Share:
    """How fast `smooth_step` grows with its share."""
    inside = np.clip(share, 0.0, 1.0)
    return 6.0 * inside * (1.0 - inside)


def smoother_step(share: FloatArray) -> FloatArray:
    """With neither speed nor acceleration at the ends; shares between 0 and 1."""
    return share**3 * (10.0 - 15.0 * share + 6.0 * share**2)
