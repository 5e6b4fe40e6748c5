"""Where hands go: outside the body, on what they touch in the source, together where they meet.

Distance constraints in the manner of ReConForM (Cheynel et al. 2025) between palms and surfaces, on
displacements that are solved over the whole motion (docs/decisions/0012-hand-relations.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..base import rotations
from ..base.conventions import BoolArray, FloatArray, IntArray
from ..base.intervals import true_intervals
from ..character.spec import SegmentCapsule
from ..motion.motion import Motion
from .arms import arm_length, arm_sides, palm_offset, palms, reaching, shoulder_and_wrist
from .body_surface import MovingPart, moving_parts
from .displacements import Pulls
from .hand_touches import TOUCH, Touch, find_touches, meeting
from .retarget_options import Reach, RetargetOptions
from .retarget_rig import RetargetRig
from .stances import LEAVES, with_hysteresis
from .style import BoneRotations, posed

STILL, STILL_S = 0.06, 0.3
"""A palm that is slower [m/s] for this time [s] is at rest."""
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
DEEP = 0.6
"""Beyond this share of a part's depth the way out is more and more that of the source's palm, no longer that
of the nearest skin, which is on either side there."""
CAUTION = (300.0, 300.0, 100.0, 30.0, 30.0, 10.0, 10.0, 10.0, 3.0, 3.0, 3.0, 3.0)
"""Weights by which each iteration keeps to the one before: surfaces are flat only nearby."""
PASSES = 2
"""Arms move too, and other hands touch them: surfaces of arms are renewed this many times."""


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

    def source_parts(self) -> dict[str, MovingPart]:
        """Return the surfaces of the source."""
        return moving_parts(self.source.character, self.source.surfaces, self.motion)

    def target_parts(self, motion: Motion) -> dict[str, MovingPart]:
        """Return the surfaces of the target in a motion."""
        return moving_parts(self.target.character, self.target.surfaces, motion)


@dataclass(eq=False)
class _Wall:
    """A part that a palm stays outside of.

    out (T, 3): away from its middle, in its axes, on the side where the source's palm is
    least (T): the smallest gap [m]
    plane: directions (T, 3) and values (T) of the last iteration's pulls; -inf where there was none
    """

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


class _Palm:
    """One hand of an actor: its path in the style, what it touches and what it stays outside of."""

    def __init__(self, actor: Actor, side: str, first: int) -> None:
        self.actor, self.side, self.first = actor, side, first
        self.source = palms(actor.source, actor.motion, side)
        self.style = palms(actor.target, actor.style, side)
        self.ratio = arm_length(actor.target, side) / arm_length(actor.source, side)
        self.height_ratio = actor.target.character.spec.height / actor.source.character.spec.height
        hand = actor.target.character.spec[f"hand.{side}"].shapes[0]
        assert isinstance(hand, SegmentCapsule)
        self.thickness = max(hand.radius, THICKNESS * actor.target.character.spec.height)
        own = {f"{part}.{side}" for part in ("upper_arm", "forearm", "hand")}
        near = {name: part for name, part in actor.source_parts().items() if name not in own}
        surfaces = actor.target.surfaces
        self.touches = [
            touch
            for touch in find_touches(self.source, near, actor.motion.rate_hz, actor.size)
            if touch.part in surfaces
        ]
        # Hanging hands are always near the thighs, and without a mesh nobody knows how thick these are.
        self.walls = [
            self._wall(name, part)
            for name, part in near.items()
            if name in surfaces and (surfaces[name].field is not None or not name.startswith(LEGS))
        ]
        self.shoulder, wrist = shoulder_and_wrist(actor.target, actor.style, side)
        self.to_wrist = wrist - self.style
        self.reach = np.maximum(
            STRAIGHT * arm_length(actor.target, side), np.linalg.norm(wrist - self.shoulder, axis=1)
        )

    def _wall(self, name: str, part: MovingPart) -> _Wall:
        local, surface = part.local(self.source), self.actor.target.surfaces[name]
        latitude, longitude, _ = part.surface.seen(local)
        least = np.full(len(local), self.thickness)
        if surface.field is None:
            # A capsule is a guess: what is inside the source's own is no fault of the target.
            least = np.minimum(least, self.height_ratio * part.surface.gap(local)) - self.thickness
        return _Wall(name, surface.direction(latitude, longitude), least)

    def pull(self, pulls: Pulls, moved: FloatArray, parts: dict[str, MovingPart]) -> None:
        """Add the pulls on this palm, whose displacement is (T, 3) now."""
        point = self.style + moved
        for wall in self.walls:
            self._stay_outside(pulls, moved, point, wall, parts[wall.part])
        for touch in self.touches:
            self._touch(pulls, moved, point, touch, parts[touch.part])
        away = point + self.to_wrist - self.shoulder
        distance = np.linalg.norm(away, axis=1)
        direction = away / np.maximum(distance, 1e-9)[:, None]
        excess = distance - self.reach
        value = np.sum(direction * moved, axis=1) - excess
        pulls.add(self.first, direction, value, REACH * (excess > 0.0))

    def _stay_outside(
        self, pulls: Pulls, moved: FloatArray, point: FloatArray, wall: _Wall, part: MovingPart
    ) -> None:
        local = part.local(point)
        gap = part.surface.gap(local)
        rows = np.flatnonzero((gap < wall.least) | (wall.presses(moved) & np.isfinite(gap)))
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
        value[rows] = np.sum(direction[rows] * moved[rows], axis=1) + (wall.least - gap)[rows]
        weight[rows] = WALL
        wall.plane = (direction, np.where(weight > 0.0, value, -np.inf))
        pulls.add(self.first, direction, value, weight)

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
        if part.surface.field is None:
            return gap
        return np.clip(gap, self.thickness, max(self.height_ratio * TOUCH, self.thickness))

    def _touch(
        self, pulls: Pulls, moved: FloatArray, point: FloatArray, touch: Touch, part: MovingPart
    ) -> None:
        frames = slice(touch.first, touch.past)
        part, here = part.rows(frames), point[frames]
        gap = self.wanted_gap(touch, part)
        local = part.local(here)
        direction, value, weight = np.zeros_like(point), np.zeros(len(point)), np.zeros(len(point))
        direction[frames] = rotations.rotate(part.axes, part.surface.outwards(local))
        now = part.surface.gap(local)
        is_near = np.isfinite(now)
        value[frames] = np.sum(direction[frames] * moved[frames], axis=1) + np.where(is_near, gap - now, 0.0)
        weight[frames] = TOUCHING * is_near
        pulls.add(self.first, direction, value, weight)
        where = part.surface.point(touch.latitude, touch.longitude, float(gap.mean()))
        goal = np.zeros_like(point)
        goal[frames] = part.world(where + self.ratio * touch.moved) - self.style[frames]
        weight[frames] = SLIDING
        pulls.add_point(self.first, goal, weight)


class Hands:
    """The hands of all actors, whose displacements are found together."""

    def __init__(self, actors: Sequence[Actor]) -> None:
        self.actors = actors
        self.palms: list[_Palm] = []
        for actor in actors:
            for side in actor.sides:
                self.palms.append(_Palm(actor, side, 3 * len(self.palms)))

    def solve(self) -> list[dict[str, FloatArray]]:
        """Return for each actor: side -> positions of the palm (T, 3) [m]."""
        if not self.palms:
            return [{} for _ in self.actors]
        rate_hz = self.actors[0].style.rate_hz
        moved: FloatArray = np.zeros((len(self.palms[0].style), 3 * len(self.palms)))
        for number in range(PASSES):
            parts = [actor.target_parts(self._posed(actor, moved, number)) for actor in self.actors]
            for caution in CAUTION:
                moved = self._pulls(moved, parts, caution).solved(rate_hz)
        return [self._paths(actor, moved) for actor in self.actors]

    def _pulls(self, moved: FloatArray, parts: list[dict[str, MovingPart]], caution: float) -> Pulls:
        pulls = Pulls(*moved.shape)
        for palm in self.palms:
            own = parts[self.actors.index(palm.actor)]
            now = moved[:, palm.first : palm.first + 3]
            palm.pull(pulls, now, own)
            pulls.add_point(palm.first, now, np.full(len(now), caution))
        for i, one in enumerate(self.palms):
            for other in self.palms[i + 1 :]:
                self._meet(pulls, one, other)
        return pulls

    def _meet(self, pulls: Pulls, one: _Palm, other: _Palm) -> None:
        apart = one.source - other.source
        size = max(one.actor.size, other.actor.size)
        meets = meeting(np.linalg.norm(apart, axis=1), size, one.actor.style.rate_hz)
        if meets.any():
            scale = 0.5 * (_hand_ratio(one) + _hand_ratio(other))
            wanted = scale * apart - (one.style - other.style)
            pulls.add_difference(one.first, other.first, wanted, TOUCHING * meets)

    def _paths(self, actor: Actor, moved: FloatArray) -> dict[str, FloatArray]:
        own = [palm for palm in self.palms if palm.actor is actor]
        return {palm.side: palm.style + moved[:, palm.first : palm.first + 3] for palm in own}

    def _posed(self, actor: Actor, moved: FloatArray, number: int) -> Motion:
        """Return the actor with its arms where they are now."""
        if not number:
            return actor.style
        turned = {b: actor.style.quaternion_world[:, b] for b in actor.target.part_bones}
        turned |= reaching(actor.target, actor.style, self._paths(actor, moved))
        root = actor.style.position_world[:, actor.target.bone("hips")]
        return posed(actor.target, turned, root, actor.style.time)


def _hand_ratio(palm: _Palm) -> float:
    offsets = [palm_offset(rig, palm.side)[2] for rig in (palm.actor.target, palm.actor.source)]
    return float(offsets[0] / offsets[1])


def reached(actor: Actor, goals: dict[str, FloatArray], options: RetargetOptions) -> BoneRotations:
    """Return rotations of arms with palms at goals (T, 3), by side, where they rest and at given places."""
    goals = {side: palms(actor.target, actor.style, side) for side in arm_sides(actor.target)} | goals
    time = actor.style.time
    held = [
        one
        for side in (actor.sides if options.hold_hands else ())
        for one in still_hands(
            palms(actor.source, actor.motion, side), time, goals[side], f"hand.{side}", actor.size
        )
    ]
    for reach in (*held, *options.reaches):
        side = reach.slot[-1]
        if reach.slot.startswith("hand") and side in goals:
            share = reach.share(time)[:, None]
            goals[side] = goals[side] + share * (reach.positions(time) - goals[side])
    return reaching(actor.target, actor.style, goals)


def still_hands(palm: FloatArray, time: FloatArray, goal: FloatArray, slot: str, size: float) -> list[Reach]:
    """Return one position for each interval in which a palm of the source (T, 3) stays still.

    goal (T, 3): positions of the target's palm [m]
    """
    speed = np.linalg.norm(np.gradient(palm, time, axis=0), axis=1) / np.sqrt(size)
    stays = with_hysteresis(speed < STILL, speed < LEAVES * STILL)
    return [
        Reach(slot, np.median(goal[first:past], axis=0), float(time[first]), float(time[past - 1]))
        for first, past in true_intervals(stays)
        if time[past - 1] - time[first] > STILL_S
    ]
