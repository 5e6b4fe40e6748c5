"""The surfaces of a character's parts, and positions near them that mean the same on any character.

The gap to a part comes from the character's mesh, or from the capsule of its physical body without one. A
direction from the middle line of a part is given by latitude and longitude, so a hand on a hip is on the hip
of a wider body too. Latitude: -1 to 0 on the round start of the line, 0 to 1 along it, 1 to 2 on its end.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np

from ..base import rotations
from ..base.conventions import BoolArray, FloatArray, IntArray
from ..character.from_rig import RigCharacter, segment_rotations
from ..character.spec import SegmentCapsule
from ..motion.motion import Motion
from ..motion.skinned_mesh import SkinnedMesh
from .distance_field import DistanceField, Skin

SHARED = 0.3
"""At a seam both parts have the skin that moves with each of them by more than this share."""
FEWEST = 30
"""A part with fewer points of skin keeps its capsule."""
RAY = np.linspace(0.0, 1.0, 200)
QUARTER = 0.5 * np.pi


class Surface(Protocol):
    """What hands touch or stay outside of, in its own axes: a part of a body, or an object."""

    @property
    def is_measured(self) -> bool:
        """Whether the surface is known, and not a guess."""

    @property
    def depth(self) -> float:
        """How deep a point can be inside [m]."""

    @property
    def ball(self) -> tuple[FloatArray, float]:
        """Middle (3) and radius of a ball [m]: the gap of a point outside is at least its distance to it."""

    def gap(self, local: FloatArray) -> FloatArray:
        """Return the gaps (N) of points (N, 3) to the surface [m]."""

    def outwards(self, local: FloatArray) -> FloatArray:
        """Return unit vectors (N, 3) in which the gap grows fastest."""

    def side_of(self, other: Surface, local: FloatArray) -> FloatArray:
        """Return the directions (N, 3) here in which points (N, 3) are outside of the source's surface."""

    def counterpart(self, other: Surface, local: FloatArray, gap: float) -> FloatArray:
        """Return the position (3) here that means the same as one (3) on the source's surface, at a gap."""


@dataclass(frozen=True, eq=False)
class PartSurface:
    """The surface of one part in the axes of its segment.

    segment: its index; start (3), line (3): the middle line [m]; radius: of the capsule [m]
    field: distances to its skin; None without a mesh
    """

    segment: int
    start: FloatArray
    line: FloatArray
    radius: float
    field: DistanceField | None = None

    @cached_property
    def frame(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The direction of the line, and two directions across it."""
        along = self.line / np.linalg.norm(self.line)
        ahead = np.array([1.0, 0.0, 0.0])
        ahead = ahead - (ahead @ along) * along
        ahead /= np.linalg.norm(ahead)
        return along, ahead, np.cross(along, ahead)

    def seen(self, local: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return latitude, longitude and distance from the line (N) of points (N, 3) in segment axes."""
        along, ahead, aside = self.frame
        from_start = local - self.start
        x, y, z = from_start @ ahead, from_start @ aside, from_start @ along
        length = float(np.linalg.norm(self.line))
        across = np.hypot(x, y)
        beyond = np.where(z < 0.0, z, np.maximum(z - length, 0.0))
        tilt = np.arctan2(beyond, np.maximum(across, 1e-9)) / QUARTER
        return np.clip(z / length, 0.0, 1.0) + tilt, np.arctan2(y, x), np.hypot(across, beyond)

    def gap(self, local: FloatArray) -> FloatArray:
        """Return the gaps (N) of points (N, 3) in segment axes to the surface [m]."""
        if self.field is not None:
            return self.field.at(local)
        from_start = local - self.start
        share = np.clip(from_start @ self.line / (self.line @ self.line), 0.0, 1.0)
        return np.asarray(np.linalg.norm(from_start - share[:, None] * self.line, axis=1) - self.radius)

    @cached_property
    def ball(self) -> tuple[FloatArray, float]:
        """Middle (3) and radius of a ball [m]: the gap of a point outside is at least its distance to it."""
        if self.field is not None:
            return self.field.ball
        return self.start + 0.5 * self.line, 0.5 * float(np.linalg.norm(self.line)) + self.radius

    @property
    def is_measured(self) -> bool:
        """Whether the surface is that of a mesh, and not a capsule, which is a guess."""
        return self.field is not None

    def side_of(self, other: Surface, local: FloatArray) -> FloatArray:
        """Return the directions (N, 3) away from the line in which points are seen from the source's part."""
        assert isinstance(other, PartSurface)
        latitude, longitude, _ = other.seen(local)
        return self.direction(latitude, longitude)

    def counterpart(self, other: Surface, local: FloatArray, gap: float) -> FloatArray:
        """Return the position (3) at the same latitude and longitude as one on the source's part."""
        assert isinstance(other, PartSurface)
        latitude, longitude, _ = (float(one[0]) for one in other.seen(local[None]))
        return self.point(latitude, longitude, gap)

    @cached_property
    def depth(self) -> float:
        """How deep a point can be inside [m]."""
        return self.radius if self.field is None else max(-float(self.field.value.min()), 1e-6)

    def outwards(self, local: FloatArray) -> FloatArray:
        """Return unit vectors (N, 3) in which the gap grows fastest, in segment axes."""
        if self.field is not None:
            return self.field.outwards(local)
        latitude, longitude, _ = self.seen(local)
        return self.direction(latitude, longitude)

    def direction(self, latitude: FloatArray, longitude: FloatArray) -> FloatArray:
        """Return unit vectors (N, 3) away from the line, in segment axes."""
        along, ahead, aside = self.frame
        tilt = QUARTER * np.where(latitude < 0.0, latitude, np.maximum(latitude - 1.0, 0.0))
        across = np.cos(longitude)[:, None] * ahead + np.sin(longitude)[:, None] * aside
        return np.cos(tilt)[:, None] * across + np.sin(tilt)[:, None] * along

    def point(self, latitude: float, longitude: float, gap: float) -> FloatArray:
        """Return the point (3) in segment axes in a direction, at a gap from the surface [m]."""
        away = self.direction(np.array([latitude]), np.array([longitude]))[0]
        foot = self.start + np.clip(latitude, 0.0, 1.0) * self.line
        radius = self.radius
        if self.field is not None:
            furthest = float(np.linalg.norm(self.field.cell * np.array(self.field.value.shape)))
            inside = np.flatnonzero(self.field.at(foot + furthest * RAY[:, None] * away) < 0.0)
            radius = furthest * float(RAY[inside[-1]]) if len(inside) else 0.0
        return foot + (radius + gap) * away


def part_surfaces(
    character: RigCharacter, carriers: IntArray, mesh: SkinnedMesh | None
) -> dict[str, PartSurface]:
    """Return the surfaces of all parts with a capsule, by segment; carriers (N): see RetargetRig."""
    found = {}
    for index, segment in enumerate(character.spec):
        shape = segment.shapes[0]
        if isinstance(shape, SegmentCapsule) and not segment.name.startswith("hand"):
            found[segment.name] = PartSurface(index, shape.start, shape.end - shape.start, shape.radius)
    return found if mesh is None else _measured(character, carriers, mesh, found)


def _measured(
    character: RigCharacter, carriers: IntArray, mesh: SkinnedMesh, parts: dict[str, PartSurface]
) -> dict[str, PartSurface]:
    """Return the parts with distances to the mesh, where it has any skin of theirs."""
    segment_of, binding = _segments_of_bones(character, carriers), character.binding
    skin = Skin(_without_hands(character, mesh, segment_of), segment_of, len(character.spec.names))
    rest = binding.skeleton.rest_position_world[binding.joint]
    result = {}
    for name, part in parts.items():
        own: BoolArray = skin.points.share[:, part.segment] > SHARED
        axes = binding.rest_quaternion_world[part.segment]
        field = skin.field(own, axes, rest[part.segment]) if own.sum() >= FEWEST else None
        result[name] = replace(part, field=field)
    return result


def _without_hands(character: RigCharacter, mesh: SkinnedMesh, segment_of: IntArray) -> SkinnedMesh:
    """Return the mesh without hands and what they hold; the palm of a hand is not inside these."""
    hands = [i for i, name in enumerate(character.spec.names) if name.startswith("hand")]
    first = np.take_along_axis(mesh.bone, mesh.weight.argmax(axis=1)[:, None], axis=1)[:, 0]
    is_kept = ~np.isin(segment_of[first], [*hands, -1])
    return replace(mesh, triangle=mesh.triangle[is_kept[mesh.triangle].all(axis=1)])


def _segments_of_bones(character: RigCharacter, carriers: IntArray) -> IntArray:
    """Return the segment that each bone (N) moves with; -1 for none."""
    binding = character.binding
    own = dict(zip(binding.bone.tolist(), binding.bone_segment.tolist(), strict=True))
    found = np.full(len(carriers), -1)
    for bone in range(len(carriers)):
        at = bone
        while at >= 0 and at not in own:
            at = int(carriers[at])
        found[bone] = own.get(at, -1)
    return found


@dataclass(frozen=True, eq=False)
class MovingPart:
    """A part's surface over time.

    axes (T, 4), origin (T, 3) [m]: of its segment in the world
    """

    surface: Surface
    axes: FloatArray
    origin: FloatArray

    @cached_property
    def middle(self) -> FloatArray:
        """The middle of the ball about the surface (T, 3) [m]."""
        return self.world(self.surface.ball[0])

    def local(self, point: FloatArray) -> FloatArray:
        """Return a point (T, 3) in the part's axes [m]."""
        return rotations.rotate(rotations.conjugate(self.axes), point - self.origin)

    def world(self, local: FloatArray) -> FloatArray:
        """Return a point (T, 3) given in the part's axes [m]."""
        return self.origin + rotations.rotate(self.axes, local)

    def speed(self, point: FloatArray, rate_hz: float) -> FloatArray:
        """Return the speed of a point (T, 3) relative to the part (T) [m/s]."""
        return np.asarray(np.linalg.norm(np.gradient(self.local(point), 1.0 / rate_hz, axis=0), axis=1))

    def rows(self, chosen: slice | IntArray | BoolArray) -> MovingPart:
        """Return the part in some frames."""
        return MovingPart(self.surface, self.axes[chosen], self.origin[chosen])


def moving_parts(
    character: RigCharacter, surfaces: dict[str, PartSurface], motion: Motion
) -> dict[str, MovingPart]:
    """Return the surfaces of a character in a motion."""
    binding = character.binding
    axes, origin = segment_rotations(binding, motion), motion.position_world[:, binding.joint]
    return {
        name: MovingPart(part, axes[:, part.segment], origin[:, part.segment])
        for name, part in surfaces.items()
    }
