"""One palm: what it touches and what it stays outside of, as pulls on its displacement.

Distance constraints in the manner of ReConForM (Cheynel et al. 2025;
docs/decisions/0012-hand-relations.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..base import rotations
from ..base.conventions import Z_UP, BoolArray, FloatArray, IntArray
from ..character.spec import SegmentCapsule
from ..motion.motion import Motion
from .arms import arm_length, arm_sides, palm_offset, palms, shoulder_and_wrist
from .body_surface import MovingPart, Surface, moving_parts
from .displacements import Pulls
from .hand_touches import TOUCH, Touch, find_touches
from .retarget_rig import RetargetRig

HEIGHT = 1.75
THICKNESS = 0.01
"""Half the thickness of a hand, as a share of the body's height: the least gap of a palm to a surface."""
LEGS = ("thigh", "shin")
STRAIGHT = 0.985
"""Share of an arm's length that a palm is moved away at most, unless the style has it further."""
NEARLY, SIDEWAYS = 0.95, 0.5
"""From this share of its reach on, a palm leaves a body less and less away from its shoulder; where that
leaves less than this share of the way out, it goes to the side where the source's palm is, too."""
REACH, WALL, TOUCHING, SLIDING = 1e7, 1e4, 1e4, 30.0
"""Weights relative to that of the style: how far arms reach, surfaces, the gap of a touch, its place."""
NEAREST = 0.4
"""Nobody steps nearer to a place than this share of an arm's reach, beside and below which the body is."""
DEEP = 0.6
"""Beyond this share of a part's depth the way out is more and more that of the source's palm, no longer that
of the nearest skin, which is on either side there."""


@dataclass(frozen=True, eq=False)
class Actor:
    """A source's motion, and the target in the same style on its own legs."""

    source: RetargetRig
    motion: Motion
    target: RetargetRig
    style: Motion

    @cached_property
    def sides(self) -> list[str]:
        """The sides on which both have a whole arm."""
        return [side for side in arm_sides(self.target) if side in arm_sides(self.source)]

    @cached_property
    def size(self) -> float:
        """Height of the source, relative to the body on which thresholds are given."""
        return self.source.character.spec.height / HEIGHT

    @cached_property
    def source_parts(self) -> dict[str, MovingPart]:
        """The surfaces of the source."""
        return moving_parts(self.source.character, self.source.surfaces, self.motion)

    def target_parts(self, motion: Motion) -> dict[str, MovingPart]:
        """Return the surfaces of the target in a motion."""
        return moving_parts(self.target.character, self.target.surfaces, motion)


@dataclass(frozen=True, eq=False)
class Neighbour:
    """A body or a prop that palms relate to.

    parts: of the source; surfaces: of the same parts of the target
    actor: whose body it is, None for a prop; column: the first of its own displacements, None if it has none
    """

    parts: Mapping[str, MovingPart]
    surfaces: Mapping[str, Surface]
    actor: Actor | None = None
    column: int | None = None


@dataclass(eq=False)
class _Wall:
    """A part that a palm stays outside of.

    neighbour: its number; out (T, 3): away from its middle, in its axes, on the side of the source's palm
    least (T): the smallest gap [m]
    plane: directions (T, 3) and values (T) of the last iteration's pulls; -inf where there was none
    """

    neighbour: int
    part: str
    out: FloatArray
    least: FloatArray
    plane: tuple[FloatArray, FloatArray] | None = None

    def presses(self, moved: FloatArray) -> BoolArray:
        """Return whether a palm that is displaced by (T, 3) was held back by the last iteration's pulls (T).

        On a round body it is a little outside then, and would fall back if it were let go.
        """
        if self.plane is None:
            return np.zeros(len(moved), dtype=bool)
        direction, value = self.plane
        return np.asarray(np.sum(direction * moved, axis=1) < value)


class Palm:
    """One hand of an actor: its path in the style, what it touches and what it stays outside of.

    first: the first of its displacements; touches: with the numbers of the neighbours that they are on
    """

    def __init__(self, actor: Actor, side: str, first: int, neighbours: Sequence[Neighbour]) -> None:
        self.actor, self.side, self.first, self.neighbours = actor, side, first, neighbours
        self.source = palms(actor.source, actor.motion, side)
        self.style = palms(actor.target, actor.style, side)
        self.ratio = arm_length(actor.target, side) / arm_length(actor.source, side)
        self.height_ratio = actor.target.character.spec.height / actor.source.character.spec.height
        hand = actor.target.character.spec[f"hand.{side}"].shapes[0]
        assert isinstance(hand, SegmentCapsule)
        self.thickness = max(hand.radius, THICKNESS * actor.target.character.spec.height)
        self.touches: list[tuple[int, Touch]] = []
        self.walls: list[_Wall] = []
        for number, neighbour in enumerate(neighbours):
            self._relate(number, neighbour)
        self.shoulder, wrist = shoulder_and_wrist(actor.target, actor.style, side)
        self.to_wrist = wrist - self.style
        self.reach = np.maximum(
            STRAIGHT * arm_length(actor.target, side), np.linalg.norm(wrist - self.shoulder, axis=1)
        )

    @property
    def hand_ratio(self) -> float:
        """Size of the target's hand, relative to the source's."""
        offsets = [palm_offset(rig, self.side)[2] for rig in (self.actor.target, self.actor.source)]
        return float(offsets[0] / offsets[1])

    def _relate(self, number: int, neighbour: Neighbour) -> None:
        """Find the touches of a neighbour, and the parts of it that the palm stays outside of."""
        is_own, surfaces = neighbour.actor is self.actor, neighbour.surfaces
        arm = {f"{part}.{self.side}" for part in ("upper_arm", "forearm", "hand")} if is_own else set()
        near = {name: part for name, part in neighbour.parts.items() if name not in arm}
        found = find_touches(self.source, near, self.actor.motion.rate_hz, self.actor.size, is_own)
        self.touches += [(number, touch) for touch in found if touch.part in surfaces]
        for name, part in near.items():
            # Hanging hands are always near the thighs, and without a mesh nobody knows how thick these are.
            if name in surfaces and (surfaces[name].is_measured or not name.startswith(LEGS)):
                self.walls.append(self._wall(number, name, part, surfaces[name]))

    def _wall(self, number: int, name: str, part: MovingPart, surface: Surface) -> _Wall:
        local = part.local(self.source)
        least = np.full(len(local), self.thickness)
        if self.neighbours[number].actor is None:
            least = np.minimum(least, part.surface.gap(local))
        elif not surface.is_measured:
            # A capsule is a guess: what is inside the source's own is no fault of the target.
            least = np.minimum(least, self.height_ratio * part.surface.gap(local)) - self.thickness
        return _Wall(number, name, surface.side_of(part.surface, local), least)

    def let_near(self, other: Palm, meets: BoolArray) -> None:
        """Do not keep this palm from the thick forearm of a palm while it meets that (T)."""
        for wall in self.walls:
            is_other = self.neighbours[wall.neighbour].actor is other.actor
            if is_other and wall.part == f"forearm.{other.side}":
                wall.least = np.where(meets, -np.inf, wall.least)

    def pull(self, pulls: Pulls, moved: FloatArray, parts: Sequence[Mapping[str, MovingPart]]) -> None:
        """Add the pulls on this palm for displacements (T, K) as they are now.

        parts: of all neighbours, where they are now
        """
        own = moved[:, self.first : self.first + 3]
        point = self.style + own
        for wall in self.walls:
            self._stay_outside(pulls, moved, point, wall, parts[wall.neighbour][wall.part])
        for number, touch in self.touches:
            self._touch(pulls, moved, point, number, touch, parts[number][touch.part])
        away = point + self.to_wrist - self.shoulder
        distance = np.linalg.norm(away, axis=1)
        direction = away / np.maximum(distance, 1e-9)[:, None]
        excess = distance - self.reach
        value = np.sum(direction * own, axis=1) - excess
        pulls.add(self.first, direction, value, REACH * (excess > 0.0))

    def _other(self, moved: FloatArray, number: int) -> FloatArray:
        """Return the displacement of a neighbour (T, 3) [m]."""
        column = self.neighbours[number].column
        return np.zeros((len(moved), 3)) if column is None else moved[:, column : column + 3]

    def _stay_outside(
        self, pulls: Pulls, moved: FloatArray, point: FloatArray, wall: _Wall, part: MovingPart
    ) -> None:
        apart = moved[:, self.first : self.first + 3] - self._other(moved, wall.neighbour)
        local = part.local(point)
        gap = part.surface.gap(local)
        rows = np.flatnonzero((gap < wall.least) | (wall.presses(apart) & np.isfinite(gap)))
        if not len(rows):
            wall.plane = None
            return
        # Deep inside, the side on which the source's palm is tells the way out.
        share = np.clip((-gap[rows] / part.surface.depth - DEEP) / (1.0 - DEEP), 0.0, 1.0)[:, None]
        out = (1.0 - share) * part.surface.outwards(local[rows]) + share * wall.out[rows]
        source_side = rotations.rotate(part.axes[rows], wall.out[rows])
        direction, value, weight = np.zeros_like(point), np.zeros(len(gap)), np.zeros(len(gap))
        direction[rows] = self._within_reach(
            point, rows, rotations.rotate(part.axes[rows], out), source_side
        )
        value[rows] = np.sum(direction[rows] * apart[rows], axis=1) + (wall.least - gap)[rows]
        weight[rows] = WALL
        wall.plane = (direction, np.where(weight > 0.0, value, -np.inf))
        pulls.add(self.first, direction, value, weight, self.neighbours[wall.neighbour].column)

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

    def wanted_gap(self, touch: Touch, part: MovingPart) -> FloatArray:
        """Return the gaps (N) of a touch on the target's part [m]."""
        gap = self.height_ratio * touch.gap
        if not part.surface.is_measured:
            return gap
        return np.clip(gap, self.thickness, max(self.height_ratio * TOUCH, self.thickness))

    def goal(self, number: int, touch: Touch, part: MovingPart) -> FloatArray:
        """Return where the palm of a touch should be (N, 3), on a part in the frames of the touch [m]."""
        gap = float(self.wanted_gap(touch, part).mean())
        where = part.surface.counterpart(touch.surface, touch.mean, gap)
        ratio = 1.0 if self.neighbours[number].actor is None else self.ratio
        return part.world(where + ratio * touch.moved)

    def _touch(
        self,
        pulls: Pulls,
        moved: FloatArray,
        point: FloatArray,
        number: int,
        touch: Touch,
        part: MovingPart,
    ) -> None:
        frames, column = slice(touch.first, touch.past), self.neighbours[number].column
        other = self._other(moved, number)
        apart = moved[:, self.first : self.first + 3] - other
        part, here = part.rows(frames), point[frames]
        local = part.local(here)
        direction, value, weight = np.zeros_like(point), np.zeros(len(point)), np.zeros(len(point))
        direction[frames] = rotations.rotate(part.axes, part.surface.outwards(local))
        now = part.surface.gap(local)
        is_near = np.isfinite(now)
        away = np.where(is_near, self.wanted_gap(touch, part) - now, 0.0)
        value[frames] = np.sum(direction[frames] * apart[frames], axis=1) + away
        weight[frames] = TOUCHING * is_near
        pulls.add(self.first, direction, value, weight, column)
        goal = np.zeros_like(point)
        goal[frames] = self.goal(number, touch, part) - other[frames] - self.style[frames]
        weight[frames] = SLIDING
        if column is None:
            pulls.add_point(self.first, goal, weight)
        else:
            pulls.add_difference(self.first, column, goal, weight)

    def reached(self, moved: FloatArray) -> FloatArray:
        """Return where the palm is with displacements (T, K) (T, 3) [m], as far as its arm reaches."""
        point = self.style + moved[:, self.first : self.first + 3]
        away = point + self.to_wrist - self.shoulder
        distance = np.linalg.norm(away, axis=1)
        beyond = np.maximum(distance - self.reach, 0.0) / np.maximum(distance, 1e-9)
        return point - beyond[:, None] * away

    def misses(
        self, moved: FloatArray, parts: Sequence[Mapping[str, MovingPart]]
    ) -> Iterator[tuple[int, Touch, FloatArray]]:
        """Yield the number of each touched neighbour, and how far the palm is from its place (N, 3) [m]."""
        for number, touch in self.touches:
            frames = slice(touch.first, touch.past)
            goal = self.goal(number, touch, parts[number][touch.part].rows(frames))
            yield number, touch, goal - self.reached(moved)[frames]

    def steps_to_reach(self, moved: FloatArray, rows: IntArray, away: FloatArray) -> FloatArray:
        """Return how far the character has to step (N, 3) so that its arm reaches (N, 3) further [m]."""
        point = self.reached(moved)[rows] + away
        wrist = point + (self.to_wrist - self.shoulder)[rows]
        level = np.linalg.norm(wrist[:, :2], axis=1)
        reach = NEARLY * self.reach[rows]
        allowed = np.sqrt(np.maximum(reach**2 - wrist[:, 2] ** 2, (NEAREST * reach) ** 2))
        far = np.maximum(level - allowed, 0.0) / np.maximum(level, 1e-9)
        return far[:, None] * wrist * (1.0 - Z_UP)
