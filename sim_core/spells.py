"""Spells of time in which something holds."""

from __future__ import annotations

import numpy as np

from .conventions import BoolArray


def spells(flags: BoolArray) -> list[tuple[int, int]]:
    """First and past-the-last sample of each run of flags (T)."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(np.int8)))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))
