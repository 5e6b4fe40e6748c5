"""Slopes: soles that rest on one sloping plane, one after the other, are on one object and not on steps.

Stances on regular stairs are on a plane as well. What tells them apart are the soles: on a slope they slope.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..base.conventions import FloatArray
from .body_motion import BodyMotion, PartKind
from .clusters import Cluster
from .floor import flat_soles
from .planes import FittedPlane, fit_plane
from .resting import Rest, sole_rest

LEAST_RESTS, LEAST_RAISED = 3, 2
"""Number of stances that make a slope, and how many of them must carry weight above the floor."""
LEAST_STEPS, LEAST_RISE = 2, 0.12
"""Number of steps that a slope takes the place of, and how far it rises from stance to stance [m]: stances on
one platform are not all at one height either."""
LEAST_TILT, MOST_TILT = np.radians(3.0), np.radians(35.0)
"""Tilt from which on a plane is a slope, and up to which feet stand on it [rad]."""
OFF_PLANE = 0.025
"""Largest distance of a stance from the plane [m]."""
SOLE_SHARE = 0.35
"""Share of the plane's tilt that soles must have on average, more than they have elsewhere. It may be far
from one, because soles of captured feet are taken to be level in the middle of their lowest stances."""
ELSEWHERE_S = 0.2
"""Shortest stance elsewhere that tells how level a sole is [s]."""
LONGEST_RUN = 40
"""Number of stances that one slope has at most, so that long takes stay quick."""


@dataclass(frozen=True, eq=False)
class Slope:
    """A sloping plane, and the rests on it as they are over the plane: all at the height of its centre."""

    plane: FittedPlane
    cluster: Cluster


def find_slopes(
    body: BodyMotion, clusters: Sequence[Cluster], rests: Sequence[Rest]
) -> tuple[list[Slope], list[Cluster]]:
    """Return the slopes that steps turn out to be, and the clusters that are none."""
    slopes, left = [], list(clusters)
    soles = sorted(flat_soles(rests), key=lambda rest: rest.start)
    while (found := _longest(body, left, soles)) is not None:
        slopes.append(found)
        carried = {id(own.rest) for own in found.cluster.carrying}
        left = [own for own in left if not any(id(one.rest) in carried for one in own.carrying)]
    return slopes, left


def over_plane(body: BodyMotion, plane: FittedPlane) -> BodyMotion:
    """Return a body whose points are as high over the level through the plane's centre as over the plane."""
    lowered = body.points.copy()
    lowered[..., 2] -= plane.rise(lowered[..., :2])
    return replace(body, points=lowered)


def _longest(body: BodyMotion, clusters: Sequence[Cluster], soles: Sequence[Rest]) -> Slope | None:
    """Return the slope with most stances, which follow each other."""
    steps_only = [own for own in clusters if own.kind is PartKind.SOLE]
    step_of = {id(own.rest): k for k, step in enumerate(steps_only) for own in step.carrying}
    best: tuple[list[Rest], FittedPlane] | None = None
    for first in range(len(soles)):
        for end in range(first + LEAST_RESTS, min(first + LONGEST_RUN, len(soles)) + 1):
            run = list(soles[first:end])
            longer = best is None or len(run) > len(best[0])
            steps = [step_of[id(rest)] for rest in run if id(rest) in step_of]
            if not longer or len(steps) < LEAST_RAISED or len(set(steps)) < LEAST_STEPS:
                continue
            if (plane := _plane(body, run, [rest for rest in soles if rest not in run])) is not None:
                best = run, plane
    return None if best is None else _slope(body, clusters, *best)


def _plane(body: BodyMotion, run: Sequence[Rest], others: Sequence[Rest]) -> FittedPlane | None:
    """Return the plane that stances are on; None where they are not on one, or where soles are level.

    others: the stances elsewhere
    """
    middles = np.array([_sole(body, rest).mean(axis=0) for rest in run])
    plane = fit_plane(middles[:, :2], middles[:, 2])
    if not LEAST_TILT < plane.tilt < MOST_TILT or np.abs(plane.above).max() > OFF_PLANE * body.size:
        return None
    if np.ptp(plane.rise(middles[:, :2])) < LEAST_RISE * body.size:
        return None
    along, elsewhere = np.array([_along(body, rest) for rest in run]), _rises(body, others)
    rises = along[:, 2] - [elsewhere.get(rest.part.name, 0.0) for rest in run]
    wanted = along[:, :2] @ plane.gradient
    return plane if rises @ wanted > SOLE_SHARE * wanted @ wanted else None


def _sole(body: BodyMotion, rest: Rest) -> FloatArray:
    """Return the points of a sole (K, 3) in the middle of its rest, those of the heel first [m]."""
    return np.asarray(np.median(body.points[rest.samples][:, rest.part.points], axis=0))


def _along(body: BodyMotion, rest: Rest) -> FloatArray:
    """Return the unit vector (3) from heel to toes of a resting sole."""
    sole = _sole(body, rest)
    half = len(sole) // 2
    along = sole[half:].mean(axis=0) - sole[:half].mean(axis=0)
    return np.asarray(along / np.linalg.norm(along))


def _rises(body: BodyMotion, rests: Sequence[Rest]) -> dict[str, float]:
    """Return how far each foot's sole points upwards on average in long rests, as a sine."""
    rises: dict[str, list[float]] = {}
    for rest in rests:
        if (rest.end - rest.start) * body.dt > ELSEWHERE_S:
            rises.setdefault(rest.part.name, []).append(float(_along(body, rest)[2]))
    return {name: float(np.mean(own)) for name, own in rises.items()}


def _slope(body: BodyMotion, clusters: Sequence[Cluster], run: Sequence[Rest], plane: FittedPlane) -> Slope:
    """Return a slope with the evidence of the steps that it takes the place of."""
    samples = {(rest.part.name, rest.start) for rest in run}
    carrying = [
        own for step in clusters for own in step.carrying if (own.rest.part.name, own.rest.start) in samples
    ]
    over = over_plane(body, plane)
    rests = [sole_rest(over, rest.part, rest.start, rest.end) for rest in run]
    return Slope(plane, Cluster(PartKind.SOLE, carrying, rests))
