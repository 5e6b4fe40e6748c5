"""The mannequin's skeleton and mass, shared by the motions (no Blender) and the rig (Blender).

Proportions and masses: Winter, Biomechanics and Motor Control of Human Movement, 4th ed. 2009,
figure 4.1 (after Drillis & Contini) and table 4.1. It faces +X, left is +Y, rests in a T-pose.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sim_core.base import rotations
from sim_core.base.conventions import FloatArray
from sim_core.motion.skeleton import NO_PARENT, Skeleton

Point = tuple[float, float, float]

STANDARD_HEIGHT = 1.75
SIDES = ("L", "R")
SIDE_SIGN = {"L": 1.0, "R": -1.0}


@dataclass(frozen=True)
class Bone:
    """One bone of a 1.75 m body [m]; the bone's Z axis points as near as it can to `z_axis`."""

    name: str
    parent: str | None
    head: Point
    tail: Point
    z_axis: Point = (1.0, 0.0, 0.0)


CENTRE_BONES = (
    Bone("hips", None, (0.0, 0.0, 0.955), (0.0, 0.0, 1.06)),
    Bone("spine", "hips", (0.0, 0.0, 1.06), (0.0, 0.0, 1.22)),
    Bone("chest", "spine", (0.0, 0.0, 1.22), (0.0, 0.0, 1.46)),
    Bone("neck", "chest", (0.0, 0.0, 1.46), (0.01, 0.0, 1.55)),
    Bone("head", "neck", (0.01, 0.0, 1.55), (0.01, 0.0, 1.75)),
)
# Knees and elbows are bent by a degree or two at rest, so that their hinge can be told from the rig.
LEFT_BONES = (
    Bone("shoulder", "chest", (0.0, 0.03, 1.42), (0.0, 0.175, 1.43)),
    Bone("upper_arm", "shoulder", (0.0, 0.175, 1.43), (-0.008, 0.475, 1.43)),
    Bone("forearm", "upper_arm", (-0.008, 0.475, 1.43), (0.0, 0.730, 1.43)),
    Bone("hand", "forearm", (0.0, 0.730, 1.43), (0.0, 0.915, 1.43)),
    Bone("thigh", "hips", (0.0, 0.09, 0.920), (0.008, 0.09, 0.495)),
    Bone("shin", "thigh", (0.008, 0.09, 0.495), (0.0, 0.09, 0.072)),
    Bone("foot", "shin", (0.0, 0.09, 0.072), (0.125, 0.09, 0.022), (0.0, 0.0, 1.0)),
    Bone("toe", "foot", (0.125, 0.09, 0.022), (0.195, 0.09, 0.018), (0.0, 0.0, 1.0)),
)
HEEL_REST: Point = (-0.060, 0.09, 0.0)
TOE_TIP_REST: Point = (0.195, 0.09, 0.0)


def mirrored(point: Point, side: str) -> Point:
    """Return a point of the left half for either side."""
    return (point[0], SIDE_SIGN[side] * point[1], point[2])


def _sided(bone: Bone, side: str) -> Bone:
    named = {b.name for b in LEFT_BONES}
    parent = f"{bone.parent}.{side}" if bone.parent in named else bone.parent
    head, tail = mirrored(bone.head, side), mirrored(bone.tail, side)
    return Bone(f"{bone.name}.{side}", parent, head, tail, bone.z_axis)


BONES = CENTRE_BONES + tuple(_sided(bone, side) for side in SIDES for bone in LEFT_BONES)


@dataclass(frozen=True)
class Segment:
    """Mass distribution of a bone.

    share: of the mass of the body; between two rest points: position of the centre of mass, and radius of
    gyration over their distance
    """

    bone: str
    mass_share: float
    start: Point
    end: Point
    centre: float
    gyration: float


def _segments() -> tuple[Segment, ...]:
    """Return the segments of Winter 2009, table 4.1; the head's includes the neck."""
    found = [
        Segment("hips", 0.142, (0.0, 0.0, 0.90), (0.0, 0.0, 1.06), 0.5, 0.4),
        Segment("spine", 0.139, (0.0, 0.0, 1.06), (0.0, 0.0, 1.22), 0.5, 0.4),
        Segment("chest", 0.216, (0.0, 0.0, 1.22), (0.0, 0.0, 1.46), 0.5, 0.4),
        Segment("head", 0.081, (0.01, 0.0, 1.46), (0.01, 0.0, 1.75), 0.55, 0.35),
    ]
    limbs = {
        "upper_arm": (0.028, 0.436, 0.322),
        "forearm": (0.016, 0.430, 0.303),
        "hand": (0.006, 0.506, 0.297),
        "thigh": (0.100, 0.433, 0.323),
        "shin": (0.0465, 0.433, 0.302),
    }
    for side in SIDES:
        for bone in LEFT_BONES:
            if bone.name in limbs:
                ends = mirrored(bone.head, side), mirrored(bone.tail, side)
                share, centre, gyration = limbs[bone.name]
                found.append(Segment(f"{bone.name}.{side}", share, *ends, centre, gyration))
        heel, tip = mirrored((-0.06, 0.09, 0.03), side), mirrored((0.195, 0.09, 0.03), side)
        found.append(Segment(f"foot.{side}", 0.0145, heel, tip, 0.45, 0.35))
    return tuple(found)


SEGMENTS = _segments()


def bone_axes(bone: Bone) -> FloatArray:
    """Return the rest axes (3, 3) as Blender makes them: Y from head to tail, Z nearest to `z_axis`."""
    y = np.subtract(bone.tail, bone.head)
    y /= np.linalg.norm(y)
    x = np.cross(y, bone.z_axis)
    x /= np.linalg.norm(x)
    return np.stack([x, y, np.cross(x, y)], axis=1)


@dataclass(frozen=True)
class Body:
    """The mannequin at a given height [m]."""

    height: float = STANDARD_HEIGHT

    @property
    def scale(self) -> float:
        """Return the size over that of a body of 1.75 m."""
        return self.height / STANDARD_HEIGHT

    @cached_property
    def skeleton(self) -> Skeleton:
        """Return the skeleton at rest."""
        names = [bone.name for bone in BONES]
        parents = [NO_PARENT if bone.parent is None else names.index(bone.parent) for bone in BONES]
        axes = rotations.from_matrix(np.array([bone_axes(bone) for bone in BONES]))
        heads = self.scale * np.array([bone.head for bone in BONES])
        return Skeleton(tuple(names), np.array(parents), heads, axes)

    def rest_head(self, name: str) -> FloatArray:
        """Return the head of a bone at rest (3) [m]."""
        return np.asarray(self.skeleton.rest_position_world[self.skeleton.index[name]])

    def rest_point(self, point: Point, side: str) -> FloatArray:
        """Return a named point of the left half at rest, for either side."""
        return self.scale * np.array(mirrored(point, side))

    @cached_property
    def thigh_length(self) -> float:
        """Return the length of a thigh [m]."""
        return float(np.linalg.norm(self.rest_head("shin.L") - self.rest_head("thigh.L")))

    @cached_property
    def shin_length(self) -> float:
        """Return the length of a shin [m]."""
        return float(np.linalg.norm(self.rest_head("foot.L") - self.rest_head("shin.L")))

    @property
    def leg_length(self) -> float:
        """Return the length of thigh and shin [m]."""
        return self.thigh_length + self.shin_length

    @cached_property
    def mass_points(self) -> tuple[list[str], FloatArray, FloatArray]:
        """Return the body as dumbbells: bone names (P), rest points (P, 3) [m], mass shares (P).

        Two equal points at plus and minus the radius of gyration give a segment's mass, centre and
        inertia across its length.
        """
        names, points, shares = [], [], []
        for segment in SEGMENTS:
            start, end = np.array(segment.start), np.array(segment.end)
            for offset in (-segment.gyration, segment.gyration):
                names.append(segment.bone)
                points.append(start + (segment.centre + offset) * (end - start))
                shares.append(0.5 * segment.mass_share)
        masses = np.array(shares) / np.sum(shares)
        return names, self.scale * np.array(points), masses
