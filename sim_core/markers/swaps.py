"""Markers whose labels were exchanged for a while, seen in their paths: both jump to each other's place."""

from __future__ import annotations

import numpy as np

from ..conventions import FloatArray, IntArray

JUMP = 0.06
"""From one frame to the next, in which a marker on a body does not move so far [m]."""
EXACT = 1.0 / 3.0
"""How near to the other's place it comes, as a share of the jump."""
NONE = -1


def turn_swaps_back(position: FloatArray) -> tuple[FloatArray, IntArray]:
    """Paths (T, M, 3) with swapped markers exchanged again, and whom each marker was swapped with (T, M).

    Of two ways to label a pair, the one that holds for most of the take is right. A pair that exchanges and
    is never seen to change back is left alone: one of the two must have been missed.
    """
    swapped_with = np.full(position.shape[:2], NONE)
    for (i, j), toggles in _exchanges(position).items():
        if len(toggles) % 2:
            continue
        flipped = np.zeros(len(position), dtype=bool)
        for t in toggles:
            flipped[t:] ^= True
        if flipped.mean() > 0.5:
            flipped = ~flipped
        swapped_with[flipped, i], swapped_with[flipped, j] = j, i
    result = position.copy()
    for t, m in np.argwhere(swapped_with != NONE):
        result[t, m] = position[t, swapped_with[t, m]]
    return result, swapped_with


def _exchanges(position: FloatArray) -> dict[tuple[int, int], list[int]]:
    """Pairs of markers, and the frames at which they exchange their places."""
    found: dict[tuple[int, int], list[int]] = {}
    jump = np.nan_to_num(np.linalg.norm(np.diff(position, axis=0), axis=2))
    for t in np.flatnonzero((jump > JUMP).sum(axis=1) > 1):
        far = np.flatnonzero(jump[t] > JUMP)
        apart = np.linalg.norm(position[t + 1][far][:, None] - position[t][far][None], axis=2)
        fits = apart < EXACT * jump[t, far][:, None]
        for a in range(len(far)):
            for b in range(a + 1, len(far)):
                if fits[a, b] and fits[b, a]:
                    found.setdefault((int(far[a]), int(far[b])), []).append(int(t) + 1)
    return found
