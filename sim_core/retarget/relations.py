"""What palms relate to in the source: what they touch, whom they meet, and what they are outside of.

All of it follows from the source and from the target's body, whatever the target's pose; so it is found once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..base.conventions import REFERENCE_HEIGHT_M, BoolArray, FloatArray
from ..character.spec import SegmentCapsule
from ..motion.motion import Motion
from .arms import arm_sides, palms
from .body_surface import MovingPart, Surface, moving_parts
from .hand_touches import Touch, find_touches, meeting
from .props import Prop
from .retarget_rig import RetargetRig

THICKNESS = 0.01
"""Half the thickness of a hand, as a share of the body's height: the least gap of a palm to a surface."""
LEGS = ("thigh", "shin")


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
        return self.source.character.spec.height / REFERENCE_HEIGHT_M

    @property
    def height_ratio(self) -> float:
        """Height of the target, relative to the source's."""
        return self.target.character.spec.height / self.source.character.spec.height

    @property
    def source_parts(self) -> dict[str, MovingPart]:
        """The surfaces of the source."""
        return moving_parts(self.source.character, self.source.surfaces, self.motion)

    def target_parts(self, motion: Motion) -> dict[str, MovingPart]:
        """Return the surfaces of the target in a motion."""
        return moving_parts(self.target.character, self.target.surfaces, motion)

    def thickness(self, side: str) -> float:
        """Return half the thickness of the target's hand [m]."""
        hand = self.target.character.spec[f"hand.{side}"].shapes[0]
        assert isinstance(hand, SegmentCapsule)
        return max(hand.radius, THICKNESS * self.target.character.spec.height)


@dataclass(frozen=True, eq=False)
class Neighbour:
    """A body or a prop that palms relate to.

    parts: of the source; surfaces: of the same parts of the target
    owner: the number of the actor whose body it is, None for a prop
    column: the first of a prop's own displacements, None if it has none
    """

    parts: Mapping[str, MovingPart]
    surfaces: Mapping[str, Surface]
    owner: int | None = None
    column: int | None = None


@dataclass(frozen=True, eq=False)
class Wall:
    """A part that a palm stays outside of.

    neighbour: its number; out (T, 3): away from its middle, in its axes, on the side of the source's palm
    least (T): the smallest gap [m]
    """

    neighbour: int
    part: str
    out: FloatArray
    least: FloatArray


@dataclass(frozen=True, eq=False)
class PalmRelations:
    """One hand of an actor.

    owner: the actor's number; path (T, 3): of the source's palm [m]
    touches: with the numbers of the neighbours that they are on; walls: what the palm stays outside of
    """

    owner: int
    side: str
    path: FloatArray
    touches: tuple[tuple[int, Touch], ...]
    walls: tuple[Wall, ...]

    @cached_property
    def least(self) -> FloatArray:
        """The smallest gaps to all walls (W, T) [m]."""
        return np.array([wall.least for wall in self.walls])


@dataclass(frozen=True, eq=False)
class Meeting:
    """Two palms, by their numbers, that meet in the source in some frames (T)."""

    one: int
    other: int
    meets: BoolArray


@dataclass(frozen=True, eq=False)
class Relations:
    """The palms of all actors, in their order, and the props with the columns of their displacements."""

    neighbours: tuple[Neighbour, ...]
    palms: tuple[PalmRelations, ...]
    meetings: tuple[Meeting, ...]

    @property
    def columns(self) -> list[int | None]:
        """The first displacement of each prop; None for those that stay."""
        return [neighbour.column for neighbour in self.neighbours if neighbour.owner is None]


def find_relations(actors: Sequence[Actor], props: Sequence[Prop] = ()) -> Relations:
    """Return what palms of actors relate to, among all actors and props as the source has them."""
    hands = [(owner, side) for owner, actor in enumerate(actors) for side in actor.sides]
    neighbours = [
        Neighbour(actor.source_parts, actor.target.surfaces, owner) for owner, actor in enumerate(actors)
    ]
    column = 3 * len(hands)
    for prop in props:
        own = column if prop.is_held else None
        neighbours.append(Neighbour({prop.name: prop.part()}, {prop.name: prop.surface}, column=own))
        column += 3 * prop.is_held
    found = [_palm(actors[owner], owner, side, neighbours) for owner, side in hands]
    meetings = []
    for one in range(len(found)):
        for other in range(one + 1, len(found)):
            meets = _meet(actors, found[one], found[other])
            if meets.any():
                meetings.append(Meeting(one, other, meets))
    return Relations(tuple(neighbours), tuple(found), tuple(meetings))


def _palm(actor: Actor, owner: int, side: str, neighbours: Sequence[Neighbour]) -> PalmRelations:
    path, rate_hz = palms(actor.source, actor.motion, side), actor.motion.rate_hz
    touches: list[tuple[int, Touch]] = []
    walls = []
    for number, neighbour in enumerate(neighbours):
        is_own, surfaces = neighbour.owner == owner, neighbour.surfaces
        arm = {f"{part}.{side}" for part in ("upper_arm", "forearm", "hand")} if is_own else set()
        near = {name: part for name, part in neighbour.parts.items() if name not in arm}
        found = find_touches(path, near, rate_hz, actor.size, is_own)
        touches += [(number, touch) for touch in found if touch.part in surfaces]
        for name, part in near.items():
            # Hanging hands are always near the thighs, and without a mesh nobody knows how thick these are.
            if name in surfaces and (surfaces[name].is_measured or not name.startswith(LEGS)):
                local = part.local(path)
                out = surfaces[name].side_of(part.surface, local)
                least = _least_gap(actor, side, neighbour, name, part.surface.gap(local))
                walls.append(Wall(number, name, out, least))
    return PalmRelations(owner, side, path, tuple(touches), tuple(walls))


def _least_gap(
    actor: Actor, side: str, neighbour: Neighbour, part: str, source_gap: FloatArray
) -> FloatArray:
    """Return the least gaps (T) of a palm to a part, to which the source's palm has other ones (T) [m]."""
    thickness = actor.thickness(side)
    if neighbour.owner is None:
        return np.minimum(thickness, source_gap)
    if neighbour.surfaces[part].is_measured:
        return np.full(len(source_gap), thickness)
    # A capsule is a guess: what is inside the source's own is no fault of the target.
    return np.asarray(np.minimum(thickness, actor.height_ratio * source_gap) - thickness)


def _meet(actors: Sequence[Actor], one: PalmRelations, other: PalmRelations) -> BoolArray:
    """Return where two palms meet in the source (T)."""
    apart = np.linalg.norm(one.path - other.path, axis=1)
    size = max(actors[one.owner].size, actors[other.owner].size)
    return meeting(apart, size, actors[one.owner].motion.rate_hz)
