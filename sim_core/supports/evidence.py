"""Which rests carry the body: those without which weight would be missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..base.conventions import BoolArray, FloatArray
from .body_motion import BodyMotion, PartKind
from .missing_weight import missing_weight
from .resting import Rest

ABOVE_FLOOR = {PartKind.SOLE: 0.07, PartKind.SEAT: 0.16, PartKind.HAND: 0.2, PartKind.GRIP: 0.2}
"""Height above the floor from which a part rests on something else [m]."""
DOUBTFUL_SOLE = 0.16
"""The same for a sole whose toes point down: on tiptoe stiff feet rise above the floor [m]."""
MISSING = 0.3
"""Share of the weight from which support is missing."""
LEAST_SECONDS = {PartKind.SOLE: 0.1, PartKind.SEAT: 0.2, PartKind.HAND: 0.4, PartKind.GRIP: 0.4}
"""Shortest time for which a rest must give weight that is missing without it [s]."""
SURE_SHARE, LEAST_SHARE = 0.7, 0.5
"""Share of the missing weight that a flat sole must give, and any other rest."""


@dataclass(frozen=True, eq=False)
class Carrying:
    """A rest that carries.

    weight: mean share of body weight that is missing without it; explained: share of that which it gives
    """

    rest: Rest
    weight: float
    explained: float


def is_raised(body: BodyMotion, rest: Rest) -> bool:
    """Return whether a part rests so high above the floor that it cannot be the floor."""
    kind = rest.part.kind
    least = DOUBTFUL_SOLE if rest.doubtful and kind is PartKind.SOLE else ABOVE_FLOOR[kind]
    return rest.level - body.floor > least * body.size


def carrying_rests(body: BodyMotion, rests: Sequence[Rest]) -> list[Carrying]:
    """Return the raised rests that carry weight: flat soles first, then hips, then all that is doubtful.

    Of several that could give the same weight, the one that gives most is taken, and the others only where
    weight is still missing. What rests low rests on the floor, and feet below two hands that hang, hang too.
    """
    touches = body.on_floor.copy()
    raised = [rest for rest in rests if is_raised(body, rest)]
    for rest in rests:
        touches[rest.start : rest.end, rest.points] = True
    for rest in raised:  # a foot that stands above the floor does not stand on it
        touches[rest.start : rest.end, rest.part.points] = False
    missing = missing_weight(body, np.arange(len(touches)), touches)
    found: list[Carrying] = []
    for tier in (1, 2, 3):
        candidates = [rest for rest in raised if _tier(rest) == tier and not _hangs(rest, raised)]
        found += _greedy(body, candidates, touches, missing, SURE_SHARE if tier == 1 else LEAST_SHARE)
    return found


def _tier(rest: Rest) -> int:
    """Return when a rest is asked: the less doubtful, the earlier."""
    if rest.doubtful:
        return 3
    return 1 if rest.part.kind is PartKind.SOLE else 2


def _hangs(rest: Rest, rests: Sequence[Rest]) -> bool:
    """Return whether a foot whose toes point down hangs below two hands that hold on to something."""
    middle = (rest.start + rest.end) // 2
    grips = [own for own in rests if own.part.kind is PartKind.GRIP and own.start <= middle < own.end]
    return rest.doubtful and rest.part.kind is PartKind.SOLE and len(grips) >= 2


def _greedy(
    body: BodyMotion, candidates: list[Rest], touches: np.ndarray, missing: FloatArray, least_share: float
) -> list[Carrying]:
    """Take the candidate that gives most, as long as one gives enough; touches and missing are updated."""
    found: list[Carrying] = []
    known: dict[int, tuple[float, Carrying]] = {}
    while candidates:
        for rest in candidates:
            if id(rest) not in known:
                known[id(rest)] = _given(body, rest, touches, missing, least_share)
        best = max(candidates, key=lambda rest: known[id(rest)][0])
        gain, carrying = known[id(best)]
        if gain <= 0.0:
            break
        found.append(carrying)
        touches[best.start : best.end, best.points] = True
        missing[best.samples] = missing_weight(body, best.samples, touches[best.samples])
        candidates = [rest for rest in candidates if rest is not best]
        for rest in candidates:
            if rest.start < best.end and best.start < rest.end:
                known.pop(id(rest), None)
    return found


def _given(
    body: BodyMotion, rest: Rest, touches: BoolArray, missing: FloatArray, least_share: float
) -> tuple[float, Carrying]:
    """Return the weight times seconds that a rest gives, zero where it is too little, and the evidence."""
    samples = rest.samples[missing[rest.samples] > MISSING]
    if len(samples) * body.dt < LEAST_SECONDS[rest.part.kind]:
        return 0.0, Carrying(rest, 0.0, 0.0)
    with_it = touches[samples]
    with_it[:, rest.points] = True
    gained = np.maximum(missing[samples] - missing_weight(body, samples, with_it), 0.0)
    weight, share = float(missing[samples].mean()), float(gained.sum() / missing[samples].sum())
    gain = float(gained.sum()) * body.dt if share >= least_share else 0.0
    return gain, Carrying(rest, weight, share)
