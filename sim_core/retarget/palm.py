"""One palm: what it touches and what it stays outside of, as pulls on its displacement.

Distance constraints in the manner of ReConForM (Cheynel et al. 2025;
docs/decisions/0012-hand-relations.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..base import rotations
from ..base.conventions import Z_UP, BoolArray, FloatArray, IntArray
from .arms import arm_length, hand_skin, palm_offset, palms, shoulder_and_wrist
from .body_surface import MovingPart, Surface
from .displacements import Pulls
from .hand_touches import TOUCH, Touch
from .relations import Actor, Neighbour, PalmRelations, Wall

STRAIGHT = 0.985
"""Share of an arm's length that a palm is moved away at most, unless the style has it further."""
NEARLY, SIDEWAYS = 0.95, 0.5
"""From this share of its reach on, a palm leaves a body less and less away from its shoulder; where that
leaves less than this share of the way out, it goes to the side where the source's palm is, too."""
REACH, WALL, TOUCHING, SLIDING = 1e7, 1e4, 3e4, 30.0
"""Weights relative to that of the style: how far arms reach, surfaces, the gap of a touch, its place."""
NEAREST = 0.4
"""Nobody steps nearer to a place than this share of an arm's reach, beside and below which the body is."""
DEEP = 0.6
"""Beyond this share of a part's depth the way out is more and more that of the source's palm, no longer that
of the nearest skin, which is on either side there."""
BACK = 0.3
"""A palm that presses but is outside goes back by this share of the gap in a step: with all of it, palms on
round bodies would never rest."""
Parts = Sequence[Mapping[str, MovingPart]]
"""The surfaces of all neighbours where they are now."""


@dataclass(frozen=True, eq=False)
class TouchGoal:
    """A touch of the source on the target's body, or on a prop.

    neighbour: its number; gap (N): to the surface [m]; place (N, 3): in the part's axes [m]
    """

    neighbour: int
    touch: Touch
    gap: FloatArray
    place: FloatArray

    @property
    def frames(self) -> slice:
        """The frames of the touch."""
        return slice(self.touch.first, self.touch.past)

    def part(self, parts: Parts) -> MovingPart:
        """Return the touched part in the frames of the touch."""
        return parts[self.neighbour][self.touch.part].rows(self.frames)


@dataclass(frozen=True, eq=False)
class Plane:
    """What held a palm in the last step.

    rows (N): the frames; a displacement along direction (N, 3) should be at least value (N) [m]
    """

    rows: IntArray
    direction: FloatArray
    value: FloatArray

    def lack(self, moved: FloatArray) -> FloatArray:
        """Return what a displacement (T, 3) lacks (T), which it presses with [m]."""
        found = np.zeros(len(moved))
        along = np.sum(self.direction * moved[self.rows], axis=1)
        found[self.rows] = np.maximum(self.value - along, 0.0)
        return found


Planes = dict["Wall | Palm", Plane]
"""The planes of walls, and that of each palm's own reach."""


class Palm:
    """One hand of an actor: its path in the style, what it touches and what it stays outside of.

    first: the first of its displacements
    """

    def __init__(
        self, actor: Actor, relations: PalmRelations, first: int, neighbours: Sequence[Neighbour]
    ) -> None:
        self.actor, self.first, self.neighbours = actor, first, neighbours
        self.owner, self.side, self.source = relations.owner, relations.side, relations.path
        self.walls = relations.walls
        surfaces = [neighbours[wall.neighbour].surfaces[wall.part] for wall in self.walls]
        self._near = np.array([surface.ball[1] for surface in surfaces])[:, None] + relations.least
        self.style = palms(actor.target, actor.style, self.side)
        self.ratio = arm_length(actor.target, self.side) / arm_length(actor.source, self.side)
        self.thickness = actor.thickness(self.side)
        self.touches = [self._goal(number, touch) for number, touch in relations.touches]
        self.shoulder, wrist = shoulder_and_wrist(actor.target, actor.style, self.side)
        self.to_wrist = wrist - self.style
        self.reach = np.maximum(
            STRAIGHT * arm_length(actor.target, self.side), np.linalg.norm(wrist - self.shoulder, axis=1)
        )

    @property
    def hand_ratio(self) -> float:
        """Size of the target's hand, relative to the source's."""
        offsets = [palm_offset(rig, self.side)[2] for rig in (self.actor.target, self.actor.source)]
        return float(offsets[0] / offsets[1])

    def beyond_thin_hand(self, direction: FloatArray) -> FloatArray:
        """Return how much further the skin of the hand is in directions (T, 3) than a thin one's (T) [m]."""
        skin = hand_skin(self.actor.target, self.side)
        axes = self.actor.target.part_axes(self.actor.style.quaternion_world, f"hand.{self.side}")
        towards = rotations.rotate(rotations.conjugate(axes), direction)
        return np.asarray(np.max(towards @ skin.T, axis=1, initial=self.thickness) - self.thickness)

    def _goal(self, number: int, touch: Touch) -> TouchGoal:
        """Return where the palm should be for a touch of a neighbour."""
        neighbour = self.neighbours[number]
        surface: Surface = neighbour.surfaces[touch.part]
        gap = self.actor.height_ratio * touch.gap
        if surface.is_measured:
            gap = np.clip(gap, self.thickness, max(self.actor.height_ratio * TOUCH, self.thickness))
        middle = surface.counterpart(touch.surface, touch.mean, float(gap.mean()))
        ratio = 1.0 if neighbour.owner is None else self.ratio
        return TouchGoal(number, touch, gap, middle + ratio * touch.moved)

    def pull(self, pulls: Pulls, parts: Parts, before: Planes) -> Planes:
        """Add the pulls on this palm and return the planes that hold it; before: those of the last step."""
        point = self.style + self._own(pulls.moved)
        planes: Planes = {}
        for wall, near in zip(self.walls, self._are_near(point, parts), strict=True):
            plane = before.get(wall)
            if plane is not None:
                # On a round body a palm that presses is a little outside, and would fall back if let go.
                presses = plane.lack(self._relative(pulls.moved, wall.neighbour)) > 0.0
                self._stay_outside(pulls, point, near, presses, wall, parts, planes)
            elif near.any():
                self._stay_outside(pulls, point, near, np.zeros_like(near), wall, parts, planes)
        for goal in self.touches:
            self._touch(pulls, point, goal, parts)
        self._stay_within_reach(pulls, point, before, planes)
        return planes

    def _own(self, moved: FloatArray) -> FloatArray:
        return moved[:, self.first : self.first + 3]

    def _relative(self, moved: FloatArray, neighbour: int) -> FloatArray:
        """Return the displacements (T, 3) relative to a neighbour, which has its own if it is held."""
        column = self.neighbours[neighbour].column
        return self._own(moved) if column is None else self._own(moved) - moved[:, column : column + 3]

    def _are_near(self, point: FloatArray, parts: Parts) -> BoolArray:
        """Return whether the palm may be nearer to its walls (W, T) than it should be, as balls tell."""
        middles = np.stack([parts[wall.neighbour][wall.part].middle for wall in self.walls])
        return np.asarray(np.linalg.norm(point - middles, axis=2) < self._near)

    def _stay_outside(
        self,
        pulls: Pulls,
        point: FloatArray,
        near: BoolArray,
        presses: BoolArray,
        wall: Wall,
        parts: Parts,
        planes: Planes,
    ) -> None:
        rows = np.flatnonzero(near | presses)
        part = parts[wall.neighbour][wall.part].rows(rows)
        local = part.local(point[rows])
        gap = part.surface.gap(local)
        is_held = (gap < wall.least[rows]) | (presses[rows] & np.isfinite(gap))
        if not is_held.any():
            return
        part, rows, local, gap = part.rows(is_held), rows[is_held], local[is_held], gap[is_held]
        direction = self._way_out(point, rows, wall, part, local, gap)
        lack = wall.least[rows] - gap
        lack = np.where(lack < 0.0, BACK * lack, lack)
        apart = self._relative(pulls.moved, wall.neighbour)[rows]
        planes[wall] = Plane(rows, direction, np.sum(direction * apart, axis=1) + lack)
        pulls.add(self.first, direction, lack, WALL, rows, self.neighbours[wall.neighbour].column)

    def _stay_within_reach(self, pulls: Pulls, point: FloatArray, before: Planes, planes: Planes) -> None:
        own, away = self._own(pulls.moved), point + self.to_wrist - self.shoulder
        distance = np.linalg.norm(away, axis=1)
        force = REACH * before[self].lack(own) if self in before else np.zeros(len(own))
        rows = np.flatnonzero((distance > self.reach) | (force > 0.0))
        inwards, lack = -away[rows] / distance[rows, None], (distance - self.reach)[rows]
        planes[self] = Plane(rows, inwards, np.sum(inwards * own[rows], axis=1) + lack)
        pulls.add(self.first, inwards, lack, REACH, rows)
        pulls.hold(self.first, inwards, (force / self.reach)[rows], rows)

    def _way_out(
        self,
        point: FloatArray,
        rows: IntArray,
        wall: Wall,
        part: MovingPart,
        local: FloatArray,
        gap: FloatArray,
    ) -> FloatArray:
        """Return unit vectors (N, 3) in which a palm leaves a part in some frames (N).

        part: in these frames; local (N, 3), gap (N): of the palm there [m]
        """
        # Deep inside, the side on which the source's palm is tells the way out.
        share = np.clip((-gap / part.surface.depth - DEEP) / (1.0 - DEEP), 0.0, 1.0)[:, None]
        out = (1.0 - share) * part.surface.outwards(local) + share * wall.out[rows]
        source_side = rotations.rotate(part.axes, wall.out[rows])
        return self._within_reach(point, rows, rotations.rotate(part.axes, out), source_side)

    def _within_reach(
        self, point: FloatArray, rows: IntArray, out: FloatArray, source_side: FloatArray
    ) -> FloatArray:
        """Return unit vectors (N, 3) in which a palm can go where its arm is straight: around the shoulder.

        out (N, 3): the way to the nearest skin; where that is straight away from the shoulder, the hand goes
        to the side on which the source's palm is (N, 3)
        """
        away = (point + self.to_wrist - self.shoulder)[rows]
        distance = np.linalg.norm(away, axis=1)
        along = away / np.maximum(distance, 1e-9)[:, None]
        stretched = np.clip((distance / self.reach[rows] - NEARLY) / (1.0 - NEARLY), 0.0, 1.0)

        def around(way: FloatArray) -> FloatArray:
            beyond = np.maximum(np.sum(way * along, axis=1), 0.0) * stretched
            return way - beyond[:, None] * along

        free = around(out)
        free = free + np.maximum(SIDEWAYS - np.linalg.norm(free, axis=1), 0.0)[:, None] * around(source_side)
        return free / np.maximum(np.linalg.norm(free, axis=1, keepdims=True), 1e-9)

    def _touch(self, pulls: Pulls, point: FloatArray, goal: TouchGoal, parts: Parts) -> None:
        column, frames, part = self.neighbours[goal.neighbour].column, goal.frames, goal.part(parts)
        local = part.local(point[frames])
        direction = rotations.rotate(part.axes, part.surface.outwards(local))
        now = part.surface.gap(local)
        is_near: BoolArray = np.isfinite(now)
        lack = np.where(is_near, goal.gap - now, 0.0)
        pulls.add(self.first, direction, lack, TOUCHING * is_near, frames, column)
        # Far from an edge the way to it turns about the edge.
        turns = np.maximum(-lack, 0.0) / np.where(is_near, np.maximum(now, 1e-6), 1.0)
        pulls.hold(self.first, direction, TOUCHING * turns, frames)
        pulls.add_point(self.first, part.world(goal.place) - point[frames], SLIDING, frames, column)

    def reached(self, moved: FloatArray) -> FloatArray:
        """Return where the palm is with displacements (T, K) (T, 3) [m], as far as its arm reaches."""
        point = self.style + self._own(moved)
        away = point + self.to_wrist - self.shoulder
        distance = np.linalg.norm(away, axis=1)
        beyond = np.maximum(distance - self.reach, 0.0) / np.maximum(distance, 1e-9)
        return point - beyond[:, None] * away

    def misses(self, moved: FloatArray, parts: Parts) -> Iterator[tuple[TouchGoal, FloatArray]]:
        """Yield each touch, and how far the palm is from its place (N, 3) [m]."""
        for goal in self.touches:
            yield goal, goal.part(parts).world(goal.place) - self.reached(moved)[goal.frames]

    def steps_to_reach(self, moved: FloatArray, rows: IntArray, away: FloatArray) -> FloatArray:
        """Return how far the character has to step (N, 3) so that its arm reaches (N, 3) further [m]."""
        point = self.reached(moved)[rows] + away
        wrist = point + (self.to_wrist - self.shoulder)[rows]
        level = np.linalg.norm(wrist[:, :2], axis=1)
        reach = NEARLY * self.reach[rows]
        allowed = np.sqrt(np.maximum(reach**2 - wrist[:, 2] ** 2, (NEAREST * reach) ** 2))
        far = np.maximum(level - allowed, 0.0) / np.maximum(level, 1e-9)
        return far[:, None] * wrist * (1.0 - Z_UP)
