"""What the get-up benchmark runs: walks that random pushes make fall."""

from __future__ import annotations

import numpy as np

from ..common.cache import Item

WALKS = ("02_01", "07_01", "08_01", "16_31", "35_01", "132_29")
FALLS = 20
SEED = 18
FORCE_N, PUSH_S = (600.0, 1000.0), 0.3
"""Range of the pushes on the chest, and how long they last [N, s]."""
SHARE = (0.2, 0.6)
"""When the push comes, as a share of the walk."""


def items() -> list[Item]:
    """Return the runs: each walk in turn, pushed at a random time from a random direction."""
    rng, found = np.random.default_rng(SEED), []
    for k in range(FALLS):
        angle, share = float(rng.uniform(0.0, 360.0)), float(rng.uniform(*SHARE))
        force = float(rng.uniform(*FORCE_N))
        item: Item = {
            "clip": WALKS[k % len(WALKS)],
            "share": round(share, 3),
            "direction_deg": round(angle, 1),
            "force_n": round(force),
        }
        found.append(item)
    return found


def describe(item: Item) -> str:
    """Return the text that is printed for an item."""
    return f"{item['clip']}, {item['force_n']} N to {item['direction_deg']} deg at {item['share']}"
