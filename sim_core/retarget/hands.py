"""Where hands go: outside bodies, on what they touch in the source, together where they meet.

Displacements of all palms, and of the props that they hold, are solved over the whole motion
(docs/decisions/0012-hand-relations.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..base.conventions import BoolArray, FloatArray, IntArray
from ..base.intervals import true_intervals
from ..motion.motion import Motion
from .arms import arm_sides, palms, reaching
from .body_surface import MovingPart
from .displacements import Pulls
from .palm import TOUCHING, Palm, Parts, Planes
from .props import Prop
from .relations import Actor, Relations
from .retarget_options import Reach, RetargetOptions
from .stances import LEAVES, with_hysteresis
from .style import BoneRotations, posed

STILL, STILL_S = 0.06, 0.3
"""A palm that is slower [m/s] for this time [s] is at rest."""
CAUTION, LEAST_CAUTION = 300.0, 3.0
"""Weights with which steps are kept small, as surfaces are flat only nearby: of the first one, half as much
with each further one, but not less than that."""
MOST_STEPS, SETTLED = 14, 0.001
"""The number of steps at most, and the change of a displacement that is not worth another one [m]."""
PASSES, SAME = 4, 0.005
"""Arms move too, and other hands touch them: surfaces of arms are renewed this many times at most, or until
no palm moves further than that [m]."""
CLOSEST = 0.01
"""Palms that are nearer to each other are not clearly on one side of each other [m]."""
LIES = 1e6
"""Weight of the place of a prop that lies somewhere."""


@dataclass(frozen=True, eq=False)
class Miss:
    """How far a palm is from where it should be, relative to somebody else or to a prop that stays.

    owner: the number of the other actor, if there is one; other: the palm that should meet this one, if it is
    that; rows (N): the frames; away (N, 3): from the palm to its place [m]
    """

    palm: Palm
    owner: int | None
    other: Palm | None
    rows: IntArray
    away: FloatArray


class Hands:
    """The hands of all actors and the props that they touch, whose displacements are found together."""

    def __init__(self, relations: Relations, actors: Sequence[Actor], bases: Sequence[Prop] = ()) -> None:
        """relations: of the actors' sources; bases: props of the target, before hands move them."""
        self.relations, self.actors, self.bases = relations, actors, bases
        self.neighbours = relations.neighbours
        self.palms = [
            Palm(actors[own.owner], own, 3 * number, relations.neighbours)
            for number, own in enumerate(relations.palms)
        ]
        self.meetings = [
            (one, other, np.flatnonzero(met.meets), _wanted(one, other)[met.meets])
            for met in relations.meetings
            for one, other in [(self.palms[met.one], self.palms[met.other])]
        ]
        self.lying = [
            (column, np.flatnonzero(base.rests(self.rate_hz) & ~self._is_touched(number)))
            for number, (base, column) in enumerate(zip(bases, relations.columns, strict=True))
            if column is not None
        ]

    def solve(self, start: FloatArray | None = None, passes: int = PASSES) -> FloatArray:
        """Return displacements (T, K): of all palms, then of all props that are held [m].

        start (T, K): to begin with, for instance where other hands have found their places
        passes: how often surfaces of arms are renewed at most
        """
        moved = self.unmoved if start is None else start
        if not self.palms:
            return moved
        for number in range(passes):
            bodies = [actor.target_parts(self._posed(actor, moved, number)) for actor in self.actors]
            before, moved = moved, self._settled(moved, bodies)
            if number and np.abs(moved - before).max() < SAME:
                break
        return moved

    def _settled(self, moved: FloatArray, bodies: Parts) -> FloatArray:
        """Return displacements (T, K) that no longer change, from others, among bodies in their poses."""
        pulls, planes = self._pulls(moved, bodies, {})
        for number in range(MOST_STEPS):
            step = pulls.step(max(CAUTION * 0.5**number, LEAST_CAUTION))
            pulls, planes = self._pulls(pulls.moved + step, bodies, planes)
            if np.abs(step).max() < SETTLED:
                break
        return pulls.moved

    @property
    def unmoved(self) -> FloatArray:
        """Displacements (T, K) of zero."""
        return np.zeros((len(self.actors[0].style.time), 3 * (len(self.palms) + len(self.lying))))

    @property
    def rate_hz(self) -> float:
        """Frames a second."""
        return self.actors[0].style.rate_hz

    def where(self, others: Hands, moved: FloatArray) -> FloatArray:
        """Return displacements (T, K) that bring palms where those of others are, displaced by (T, K)."""
        found = moved.copy()
        for own, other in zip(self.palms, others.palms, strict=True):
            found[:, own.first : own.first + 3] += other.style - own.style
        return found

    def _prop_parts(self, moved: FloatArray) -> list[dict[str, MovingPart]]:
        return [
            {prop.name: prop.part(self._displacement(moved, number))}
            for number, prop in enumerate(self.bases)
        ]

    def _displacement(self, moved: FloatArray, prop: int) -> FloatArray | None:
        column = self.relations.columns[prop]
        return None if column is None else moved[:, column : column + 3]

    def _pulls(self, moved: FloatArray, bodies: Parts, before: Planes) -> tuple[Pulls, Planes]:
        """Return the pulls at displacements (T, K), and the planes that hold palms, now and before."""
        parts = [*bodies, *self._prop_parts(moved)]
        pulls = Pulls(moved, self.rate_hz, 3 * len(self.lying))
        planes: Planes = {}
        for palm in self.palms:
            planes |= palm.pull(pulls, parts, before)
        for one, other, rows, wanted in self.meetings:
            apart = (moved[:, one.first : one.first + 3] - moved[:, other.first : other.first + 3])[rows]
            pulls.add_point(one.first, wanted - apart, TOUCHING, rows, other.first)
        for column, rows in self.lying:
            pulls.add_point(column, -moved[rows, column : column + 3], LIES, rows)
        return pulls, planes

    def _is_touched(self, prop: int) -> BoolArray:
        """Return when any palm touches a prop (T)."""
        found = np.zeros(len(self.actors[0].style.time), dtype=bool)
        for palm in self.palms:
            for goal in palm.touches:
                found[goal.frames] |= goal.neighbour == len(self.actors) + prop
        return found

    def surroundings(self, moved: FloatArray) -> Parts:
        """Return the surfaces of everybody, with arms to palms displaced by (T, K), and of the props."""
        bodies = [actor.target_parts(self._posed(actor, moved, 1)) for actor in self.actors]
        return [*bodies, *self._prop_parts(moved)]

    def misses(self, moved: FloatArray) -> Iterator[Miss]:
        """Yield what palms of one actor miss of another one, or of a prop that stays."""
        parts: Parts = [
            *(actor.target_parts(actor.style) for actor in self.actors),
            *self._prop_parts(moved),
        ]
        for palm in self.palms:
            for goal, away in palm.misses(moved, parts):
                met = self.neighbours[goal.neighbour]
                if met.owner != palm.owner and met.column is None:
                    yield Miss(palm, met.owner, None, np.arange(goal.touch.first, goal.touch.past), away)
        for one, other, rows, wanted in self.meetings:
            if one.owner != other.owner:
                here, there = ((palm.reached(moved) - palm.style)[rows] for palm in (one, other))
                yield Miss(one, other.owner, other, rows, wanted - (here - there))

    def paths(self, actor: Actor, moved: FloatArray) -> dict[str, FloatArray]:
        """Return the positions of an actor's palms (T, 3), by side [m]."""
        own = [palm for palm in self.palms if palm.actor is actor]
        return {palm.side: palm.style + moved[:, palm.first : palm.first + 3] for palm in own}

    def props(self, moved: FloatArray) -> tuple[Prop, ...]:
        """Return the props where hands have moved them."""
        shifts = [self._displacement(moved, number) for number in range(len(self.bases))]
        return tuple(
            prop if shift is None else prop.moved(shift)
            for prop, shift in zip(self.bases, shifts, strict=True)
        )

    def _posed(self, actor: Actor, moved: FloatArray, number: int) -> Motion:
        """Return the actor with its arms where they are now."""
        if not number:
            return actor.style
        turned = {b: actor.style.quaternion_world[:, b] for b in actor.target.part_bones}
        turned |= reaching(actor.target, actor.style, self.paths(actor, moved))
        root = actor.style.position_world[:, actor.target.bone("hips")]
        return posed(actor.target, turned, root, actor.style.time)


def _wanted(one: Palm, other: Palm) -> FloatArray:
    """Return the difference of displacements (T, 3) at which palms are apart as in the source [m].

    As far as the hands are longer; gloves and fists that are thick besides keep their surfaces apart.
    """
    apart = one.source - other.source
    towards = apart / np.maximum(np.linalg.norm(apart, axis=1, keepdims=True), CLOSEST)
    thick = one.beyond_thin_hand(-towards) + other.beyond_thin_hand(towards)
    scale = 0.5 * (one.hand_ratio + other.hand_ratio)
    return scale * apart + thick[:, None] * towards - (one.style - other.style)


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
