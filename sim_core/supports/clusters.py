"""Rests that are on the same thing: several stances on one plane are one support."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.spatial.distance import cdist

from ..base.conventions import BoolArray, FloatArray
from .body_motion import BodyMotion, PartKind
from .evidence import Carrying, is_raised
from .rectangles import Margins, fitted_rectangle
from .resting import Rest

SAME_LEVEL = {PartKind.SOLE: 0.045, PartKind.SEAT: 0.06, PartKind.HAND: 0.05, PartKind.GRIP: 0.05}
"""Largest difference in height of rests on one support [m]."""
NEAR = {PartKind.SOLE: 0.9, PartKind.SEAT: 0.35, PartKind.HAND: 0.5, PartKind.GRIP: 0.9}
"""Largest horizontal gap between rests on one support [m]."""
INWARDS = Margins(-0.03, -0.03, -0.03)
"""How far inside an area a lower rest must be for the area to be wrong."""


@dataclass(eq=False)
class Cluster:
    """Rests on one support; carrying: those among them that give weight that is missing otherwise."""

    kind: PartKind
    carrying: list[Carrying]
    rests: list[Rest] = field(default_factory=list)

    @property
    def level(self) -> float:
        """Return the height of the support [m]: the mean of its rests, each for as long as it lasts."""
        lasting = [rest.end - rest.start for rest in self.rests]
        return float(np.average([rest.level for rest in self.rests], weights=lasting))

    @property
    def outline(self) -> FloatArray:
        """Return the horizontal positions (M, 2) of all that rests on it [m]."""
        return np.concatenate([rest.outline for rest in self.rests])


def cluster(body: BodyMotion, carrying: Sequence[Carrying], rests: Sequence[Rest]) -> list[Cluster]:
    """Return the supports of carrying rests; raised rests that carry nothing alone join where they fit."""
    found: list[Cluster] = []
    for own in sorted(carrying, key=lambda c: c.rest.start):
        into = next((c for c in found if _fits(body, c, own.rest, rests)), None)
        if into is None:
            into = Cluster(own.rest.part.kind, [])
            found.append(into)
        into.carrying.append(own)
        into.rests.append(own.rest)
    taken = {id(own.rest) for own in carrying}
    for rest in rests:
        doubtful = rest.doubtful and rest.part.kind is not PartKind.GRIP  # two hands hang from one bar
        if id(rest) in taken or doubtful or not is_raised(body, rest):
            continue
        into = next((c for c in found if _fits(body, c, rest, rests)), None)
        if into is not None:
            into.rests.append(rest)
    return _merged(body, found, rests)


def _merged(body: BodyMotion, found: list[Cluster], rests: Sequence[Rest]) -> list[Cluster]:
    """Join clusters that later rests have connected."""
    kept: list[Cluster] = []
    for own in found:
        into = next((c for c in kept if all(_fits(body, c, rest, rests) for rest in own.rests)), None)
        if into is None:
            kept.append(own)
            continue
        into.carrying += own.carrying
        into.rests += own.rests
    return kept


def _fits(body: BodyMotion, into: Cluster, rest: Rest, rests: Sequence[Rest]) -> bool:
    """Return whether a rest may be on a cluster's support: level, near, and with nothing lower between."""
    kind = into.kind
    if rest.part.kind is not kind or abs(rest.level - into.level) > SAME_LEVEL[kind] * body.size:
        return False
    if cdist(rest.outline, into.outline).min() > NEAR[kind] * body.size:
        return False
    if kind is not PartKind.SOLE:
        return True
    lower = [r for r in rests if r.part.kind is kind and r.level < into.level - SAME_LEVEL[kind] * body.size]
    return not any(_between(into.outline, rest, other.outline).any() for other in lower)


def _between(outline: FloatArray, rest: Rest, points: FloatArray) -> BoolArray:
    """Return which points (N, 2) are between an outline (M, 2) and a rest, and in neither of them."""
    nothing = np.zeros((0, 2))
    areas = [
        fitted_rectangle(own, rest.ahead, INWARDS, nothing)
        for own in (np.concatenate([outline, rest.outline]), outline, rest.outline)
    ]
    both, *alone = (area.contains(points) for area in areas)
    return np.asarray(both & ~np.any(alone, axis=0))
