"""Supports that cannot be: what speaks against them, in a sentence."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..base.conventions import FloatArray
from .body_motion import BodyMotion, PartKind
from .clusters import INWARDS, SAME_LEVEL, Cluster
from .rectangles import fitted_rectangle
from .resting import Rest

DRIFT = 0.15
"""Distance that resting matter moves during one rest, from which its support would have to move [m]."""
LEAST_ROOM = 0.12
"""Height between two steps from which a foot has room between them [m]."""
LEAST_SEAT = 0.12
"""Least height of a seat above the floor; below it is the floor itself [m]."""


def contradiction(body: BodyMotion, cluster: Cluster, others: Sequence[Cluster]) -> str | None:
    """Return why a cluster is no support that stands still in space; None if nothing speaks against it."""
    where = f"what rests at {100.0 * (cluster.level - body.floor):.0f} cm"
    if cluster.kind is PartKind.SEAT and cluster.level - body.floor < LEAST_SEAT * body.size:
        return f"{where} would be a seat inside the floor"
    drift = max(_drift(body, rest) for rest in cluster.rests)
    if drift > DRIFT * body.size:
        return f"{where} moves by {100.0 * drift:.0f} cm meanwhile, so its support would have to move"
    if any(_overlap(body, cluster, other) for other in others):
        return f"{where} would be inside another support that was rested on"
    return None


def _drift(body: BodyMotion, rest: Rest) -> float:
    """Return how far the middle of resting matter moves over a rest [m], by its first and last quarter."""
    path = body.points[rest.start : rest.end, rest.points].mean(axis=1)
    quarter = max(len(path) // 4, 1)
    moved: FloatArray = path[-quarter:].mean(axis=0) - path[:quarter].mean(axis=0)
    return float(np.linalg.norm(moved))


def _overlap(body: BodyMotion, cluster: Cluster, other: Cluster) -> bool:
    """Return whether soles rest under another step that leaves no room for a foot."""
    room = other.level - cluster.level
    if cluster.kind is not PartKind.SOLE or other.kind is not PartKind.SOLE:
        return False
    if not SAME_LEVEL[PartKind.SOLE] * body.size < room < LEAST_ROOM * body.size:
        return False
    area = fitted_rectangle(other.outline, other.rests[0].ahead, INWARDS, np.zeros((0, 2)))
    return bool(area.contains(np.array([rest.centre for rest in cluster.rests])).any())
