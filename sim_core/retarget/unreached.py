"""What hands touch in the source and do not reach, and how near any pose could come to it.

A child does not reach the chest of an adult, wherever it stands and however it bends: that is said, with both
distances, so that nobody looks for a setting that would help.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..base.conventions import Z_UP, FloatArray
from ..recognition.mapping import part_label
from .body_surface import MovingPart
from .hands import Hands
from .palm import Palm, TouchGoal
from .trunk import bent_shoulders

AWAY = 0.02
"""A palm that is nearer to its gap is there [m]."""
CELLS = 24
"""Points along each side of a grid about what is touched, at which distances are compared."""


@dataclass(frozen=True)
class Unreached:
    """A palm that is away from what it should touch.

    owner: the actor's number; what: it should touch; away: at most; least: that any pose leaves there [m]
    """

    owner: int
    side: str
    what: str
    away: float
    least: float

    @property
    def note(self) -> str:
        """The same in a sentence."""
        limit = (
            f"no pose there comes nearer than {100.0 * self.least:.0f} cm"
            if self.least > AWAY
            else "something else is in its way"
        )
        return (
            f"The {part_label(f'hand.{self.side}')} stays up to {100.0 * self.away:.0f} cm away from "
            f"{self.what}, which it touches in the source: {limit}."
        )


def unreached(hands: Hands, moved: FloatArray) -> list[Unreached]:
    """Return what palms displaced by (T, K) do not reach: of several touches of one thing, the worst."""
    parts, worst = hands.surroundings(moved), dict[tuple[Palm, str], Unreached]()
    for palm in hands.palms:
        for goal in palm.touches:
            found = _missed(hands, palm, goal, goal.part(parts), moved)
            known = worst.get((palm, found.what))
            if found.away > max(AWAY, known.away if known else 0.0):
                worst[palm, found.what] = found
    return list(worst.values())


def _missed(hands: Hands, palm: Palm, goal: TouchGoal, part: MovingPart, moved: FloatArray) -> Unreached:
    """Return how far a palm is from a touch where it is furthest."""
    here = palm.reached(moved)[goal.frames]
    gap = part.surface.gap(part.local(here))
    to_place = np.linalg.norm(part.world(goal.place) - here, axis=1)
    apart = np.where(np.isfinite(gap), np.abs(gap - goal.gap), to_place)
    row = int(apart.argmax())
    away = float(apart[row])
    least = min(_least(palm, goal, part, row), away) if away > AWAY else 0.0
    return Unreached(palm.owner, palm.side, _named(hands, palm, goal), away, least)


def _named(hands: Hands, palm: Palm, goal: TouchGoal) -> str:
    owner = hands.neighbours[goal.neighbour].owner
    if owner is None:
        return f"'{goal.touch.part}'"
    if owner == palm.owner:
        return f"its own {part_label(goal.touch.part)}"
    return f"the {part_label(goal.touch.part)} of character {owner + 1}"


def _least(palm: Palm, goal: TouchGoal, part: MovingPart, row: int) -> float:
    """Return how near to its gap a palm can come in a row of a touch, wherever its character stands [m].

    Steps bring it anywhere over the ground, so heights decide: from a straight arm down from the lowest
    shoulder of all bends to a straight arm up from the highest one.
    """
    frame, place = goal.touch.first + row, part.world(goal.place)[row]
    across = np.cross(Z_UP, place - palm.shoulder[frame])
    axis = across / max(float(np.linalg.norm(across)), 1e-9)
    shoulder = bent_shoulders(palm, np.array([frame]), axis[None])[:, 0, 2] - palm.to_wrist[frame, 2]
    low, high = shoulder.min() - palm.reach[frame], shoulder.max() + palm.reach[frame]
    radius = part.surface.ball[1] + float(goal.gap[row])
    grid = np.stack(np.meshgrid(*3 * [radius * np.linspace(-1.0, 1.0, CELLS)]), axis=-1).reshape(-1, 3)
    points = part.middle[row] + grid
    points[:, 2] = np.clip(points[:, 2], low, high)
    gap = part.surface.gap(part.rows(np.full(len(points), row)).local(points))
    away = np.abs(gap - goal.gap[row])
    return float(np.append(away[np.isfinite(gap)], np.abs(place[2] - np.clip(place[2], low, high))).min())
