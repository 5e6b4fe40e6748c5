"""Where characters stand who touch each other, or objects that stay: near enough for their hands.

On other sizes, hands that met are apart. Everybody is moved over the ground as a whole, so that feet stay
where they stand: first until the hands of the style meet on average, then as far as arms still do not reach.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..base.conventions import Z_UP, FloatArray
from .hands import Hands

ROUNDS = 4
"""How often arms are solved to see what they still miss, at most."""
PASSES = 2
"""For that, surfaces of arms need not be exact."""
MISSED, NEAR = 0.01, 0.004
"""What is nearer is not missed, and nobody moves for less [m]."""


def ground_shifts(
    make: Callable[[FloatArray], Hands], count: int
) -> tuple[FloatArray, tuple[Hands, FloatArray]]:
    """Return how far each of so many characters moves over the ground (A, 3) [m].

    make: returns the hands of characters that were moved so far
    The second value is those hands with their displacements (T, K), which is where a search can begin.
    """
    shift = _until_styles_meet(make(np.zeros((count, 3))), count)
    hands = make(shift)
    moved = hands.solve(passes=PASSES)
    for _ in range(ROUNDS):
        step = _until_arms_reach(hands, moved, count)
        if np.abs(step).max() < NEAR:
            break
        shift = shift + step
        nearer = make(shift)
        moved = nearer.solve(nearer.where(hands, moved), PASSES)
        hands = nearer
    return shift, (hands, moved)


def _until_styles_meet(hands: Hands, count: int) -> FloatArray:
    """Return the smallest steps (A, 3) after which palms of the style are in their places on average."""
    rows, wanted = [np.zeros(count)], [np.zeros(3)]
    for miss in hands.misses(hands.unmoved):
        weight = np.sqrt(len(miss.away))
        row = np.zeros(count)
        row[miss.palm.owner] = weight
        if miss.owner is not None:
            row[miss.owner] = -weight
        rows.append(row)
        wanted.append(weight * miss.away.mean(axis=0) * (1.0 - Z_UP))
    return np.asarray(np.linalg.lstsq(np.array(rows), np.array(wanted), rcond=None)[0])


def _until_arms_reach(hands: Hands, moved: FloatArray, count: int) -> FloatArray:
    """Return the mean steps (A, 3) that bring places within reach that palms displaced by (T, K) miss."""
    steps, frames = np.zeros((count, 3)), np.zeros(count)
    for miss in hands.misses(moved):
        far = np.linalg.norm(miss.away, axis=1) > MISSED
        both = [(miss.palm, miss.away)]
        if miss.other is not None:
            both = [(miss.palm, 0.5 * miss.away), (miss.other, -0.5 * miss.away)]
        for palm, away in both:
            steps[palm.owner] += palm.steps_to_reach(moved, miss.rows[far], away[far]).sum(axis=0)
            frames[palm.owner] += far.sum()
    return steps / np.maximum(frames, 1.0)[:, None]
