"""The floor that a motion was captured on: its height, the tilt of the capture volume, and its drift."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from .body_motion import BodyMotion, PartKind
from .planes import FittedPlane, fit_plane
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
MOST_TILT = np.radians(2.0)
"""Tilt up to which a plane through all soles is the floor of a capture volume, and no slope [rad]."""
WHOLE_JUMP = 0.5
"""Share of the rise of such a floor from which one sole to the next along it is a step."""
LEAST_DRIFT = 0.03
"""Rise of the soles from the first rest to the last from which the user is told [m]."""
LEFT_BY_DRIFT = 0.35
"""Share of the spread of heights that a drift may leave at most; one step up leaves half of it."""
LEAST_APART = 0.5
"""Share of the spread of times that places must leave: on a way that never turns back, a slope is as good."""


@dataclass(frozen=True)
class Floor:
    """A floor at a height [m]; tilt [rad]: of the capture volume, zero where the rests tell of none.

    drift: how far soles rise from the first rest to the last, wherever they are [m]; zero likewise
    """

    height: float
    tilt: float = 0.0
    drift: float = 0.0


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
    """Return the floor of a body, and the tilt and the drift that its rests tell of."""
    drift = _drift(body, flat_soles(rests))
    if drift != 0.0:
        return Floor(body.floor, drift=drift)
    whole = _tilted_floor(body, rests)
    if whole is not None and whole.tilt > LEAST_TILT:
        return Floor(body.floor, whole.tilt)
    near = [rest for rest in flat_soles(rests) if abs(rest.level - body.floor) < SAME_FLOOR * body.size]
    plane = _plane_of(body, near)
    return Floor(body.floor, plane.tilt if plane is not None and plane.tilt > LEAST_TILT else 0.0)


def on_level_floor(body: BodyMotion, rests: Sequence[Rest]) -> list[Rest]:
    """Return the rests as on a level floor, where all soles are on a tilted one and so none is on a step."""
    plane = _tilted_floor(body, rests)
    if plane is None:
        return list(rests)
    return [
        replace(rest, level=rest.level - plane.centre[2] - float(plane.rise(rest.centre)) + body.floor)
        if rest.part.kind is PartKind.SOLE
        else rest
        for rest in rests
    ]


def _tilted_floor(body: BodyMotion, rests: Sequence[Rest]) -> FittedPlane | None:
    """Return the plane on which all soles stand, if it rises evenly and by little."""
    soles = flat_soles(rests)
    plane = _plane_of(body, soles)
    if plane is None or plane.tilt > MOST_TILT or np.abs(plane.above).max() > SAME_FLOOR * body.size:
        return None
    along = np.argsort([plane.rise(rest.centre) for rest in soles])
    levels = np.array([rest.level for rest in soles])[along]
    return plane if np.abs(np.diff(levels)).max() < WHOLE_JUMP * np.ptp(levels) else None


def _plane_of(body: BodyMotion, soles: Sequence[Rest]) -> FittedPlane | None:
    """Return the plane through soles that are many and far apart, if it fits much better than a level one."""
    if len(soles) < LEAST_RESTS:
        return None
    centres, levels = np.array([rest.centre for rest in soles]), np.array([rest.level for rest in soles])
    if np.linalg.norm(np.ptp(centres, axis=0)) < LEAST_SPREAD * body.size:
        return None
    plane = fit_plane(centres, levels)
    return plane if plane.above.std() < BETTER * levels.std() else None


def _drift(body: BodyMotion, soles: Sequence[Rest]) -> float:
    """Return how far soles rise over time on a level floor or on a tilted one [m]; zero where they do not."""
    if len(soles) < LEAST_RESTS:
        return 0.0
    places, levels = np.array([rest.centre for rest in soles]), np.array([rest.level for rest in soles])
    middles = np.array([0.5 * (rest.start + rest.end) for rest in soles]) * body.dt
    late, raised = (fit_plane(places, own).above for own in (middles, levels))
    if late.std() <= LEAST_APART * middles.std():
        return 0.0
    speed = float(late @ raised / (late @ late))
    drift, left = speed * float(np.ptp(middles)), raised - speed * late
    told = abs(drift) > LEAST_DRIFT * body.size and left.std() < LEFT_BY_DRIFT * raised.std()
    return drift if told else 0.0


def flat_soles(rests: Sequence[Rest]) -> list[Rest]:
    """Return the rests of soles that surely stand."""
    return [rest for rest in rests if rest.part.kind is PartKind.SOLE and not rest.doubtful]
