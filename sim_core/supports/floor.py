"""The floor that a motion was captured on: its height, and how far the capture volume was tilted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .body_motion import BodyMotion, PartKind
from .planes import fit_plane
from .resting import Rest

LOWER = 0.06
"""How far soles must rest below the present floor to be on a lower one [m]."""
SAME_FLOOR = 0.04
"""Soles whose heights differ by less rest on the same floor [m]."""
LEAST_SECONDS = 0.3
"""Shortest time for which soles must rest on a lower floor [s]."""
LEAST_RESTS, LEAST_SPREAD = 8, 1.5
"""Number of rests, and the distance between them, from which a tilt can be told [m]."""
LEAST_TILT = np.radians(0.5)
"""Tilt from which the user is told [rad]."""
BETTER = 0.6
"""Share of the error of a level floor that a tilted one may leave at most."""


@dataclass(frozen=True)
class Floor:
    """A floor at a height [m]; tilt [rad]: of the capture volume, zero where the rests tell of none."""

    height: float
    tilt: float = 0.0


def lowest_level(body: BodyMotion, rests: Sequence[Rest]) -> float:
    """Return the height of the lowest floor that soles rest on [m]: the present one, or one far below it."""
    soles = flat_soles(rests)
    low = [rest for rest in soles if rest.level < body.floor - LOWER * body.size]
    if not low:
        return body.floor
    least = min(rest.level for rest in low)
    same = [rest for rest in low if rest.level < least + SAME_FLOOR * body.size]
    seconds = np.array([(rest.end - rest.start) * body.dt for rest in same])
    if seconds.sum() < LEAST_SECONDS:
        return body.floor
    return float(np.average([rest.level for rest in same], weights=seconds))


def measure_floor(body: BodyMotion, rests: Sequence[Rest]) -> Floor:
    """Return the floor of a body, and the tilt that its rests on the floor tell of."""
    near = [rest for rest in flat_soles(rests) if abs(rest.level - body.floor) < SAME_FLOOR * body.size]
    if len(near) < LEAST_RESTS:
        return Floor(body.floor)
    centres, levels = np.array([rest.centre for rest in near]), np.array([rest.level for rest in near])
    if np.linalg.norm(np.ptp(centres, axis=0)) < LEAST_SPREAD * body.size:
        return Floor(body.floor)
    plane = fit_plane(centres, levels)
    better = plane.above.std() < BETTER * levels.std()
    return Floor(body.floor, plane.tilt if plane.tilt > LEAST_TILT and better else 0.0)


def flat_soles(rests: Sequence[Rest]) -> list[Rest]:
    """Return the rests of soles that surely stand."""
    return [rest for rest in rests if rest.part.kind is PartKind.SOLE and not rest.doubtful]
