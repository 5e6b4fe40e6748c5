"""The physical description of a character, before any engine sees it.

Segment frames: origin at the joint to the parent, X forward, Y left, Z up when the character
stands straight with its arms at its sides. In that neutral pose all segment frames are parallel.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import Enum

import numpy as np

from ..base.conventions import IDENTITY_QUATERNION, FloatArray, IntArray
from ..base.errors import InputError


class JointKind(Enum):
    FREE = "free"
    BALL = "ball"
    HINGE = "hinge"

    @property
    def torque_axes(self) -> int:
        """Axes that the body's own torques turn; the free root has none."""
        return {JointKind.FREE: 0, JointKind.HINGE: 1, JointKind.BALL: 3}[self]


@dataclass(frozen=True, eq=False)
class Joint:
    """How a segment hangs on its parent.

    centre: the parent-to-segment rotation at joint angle zero, the middle of a ball's range
    axis (3): of a hinge, in the segment frame
    low, high: hinge range [rad]; a ball's cone has the half-angle `high`
    torque_limit: per axis [Nm]
    stiffness: intrinsic k_s of da Silva et al. 2008, tables 2-3, per unit of inertia [1/s^2]
    """

    kind: JointKind
    low: float = 0.0
    high: float = np.pi
    torque_limit: float = 0.0
    stiffness: float = 0.0
    axis: FloatArray = field(default_factory=lambda: np.array([0.0, 1.0, 0.0]))
    centre: FloatArray = field(default_factory=lambda: IDENTITY_QUATERNION.copy())


@dataclass(frozen=True, eq=False)
class Capsule:
    """A rounded rod between two points of the segment frame [m]."""

    start: FloatArray
    end: FloatArray
    radius: float


@dataclass(frozen=True, eq=False)
class Box:
    """A box, centre and half sizes in the segment frame [m]."""

    centre: FloatArray
    half_size: FloatArray


Shape = Capsule | Box


@dataclass(frozen=True, eq=False)
class Segment:
    """One rigid part of the body.

    anchor (3): the joint's place in the parent's frame [m]
    mass [kg], com (3) [m], inertia (3) about the com along the segment axes [kg m^2]
    contact_points (K, 3): sole points in the segment frame [m], heel first; empty but for feet
    """

    name: str
    parent: str | None
    joint: Joint
    anchor: FloatArray
    mass: float
    com: FloatArray
    inertia: FloatArray
    shapes: tuple[Shape, ...] = ()
    contact_points: FloatArray = field(default_factory=lambda: np.zeros((0, 3)))


@dataclass(frozen=True, eq=False)
class CharacterSpec:
    """Segments, parents first; the first one is the pelvis on a free joint."""

    name: str
    segments: tuple[Segment, ...]
    height: float

    def __post_init__(self) -> None:
        seen: set[str] = set()
        for segment in self.segments:
            if segment.parent is not None and segment.parent not in seen:
                raise InputError(f"Segment '{segment.name}' is listed before its parent '{segment.parent}'.")
            if not segment.mass > 0.0 or not np.all(segment.inertia > 0.0):
                raise InputError(
                    f"Segment '{segment.name}' has no mass or inertia; give it a length and a mass."
                )
            seen.add(segment.name)

    def __iter__(self) -> Iterator[Segment]:
        return iter(self.segments)

    def __getitem__(self, name: str) -> Segment:
        for segment in self.segments:
            if segment.name == name:
                return segment
        raise KeyError(f"No segment '{name}'; there are {', '.join(s.name for s in self.segments)}.")

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(segment.name for segment in self.segments)

    @property
    def parents(self) -> IntArray:
        """Index of each segment's parent (S); -1 for the pelvis."""
        names = self.names
        return np.array([-1 if s.parent is None else names.index(s.parent) for s in self.segments])

    @property
    def trunk(self) -> int:
        """Index of the segment whose tilt tells a fall: the chest, or the pelvis where there is none."""
        return self.names.index("chest") if "chest" in self.names else 0

    @property
    def mass(self) -> float:
        return sum(segment.mass for segment in self.segments)

    def with_mass(self, factor: float) -> CharacterSpec:
        """As large and as strong, but so many times as heavy."""
        heavier = (replace(s, mass=s.mass * factor, inertia=s.inertia * factor) for s in self.segments)
        return replace(self, segments=tuple(heavier))

    def with_strength(self, factor: float) -> CharacterSpec:
        """So many times as strong."""
        joints = [replace(s.joint, torque_limit=s.joint.torque_limit * factor) for s in self.segments]
        pairs = zip(self.segments, joints, strict=True)
        return replace(self, segments=tuple(replace(s, joint=joint) for s, joint in pairs))

    def with_segment(self, changed: Segment) -> CharacterSpec:
        """A copy with the segment of the same name replaced."""
        segments = tuple(changed if s.name == changed.name else s for s in self.segments)
        return replace(self, segments=segments)


def mirror_name(name: str) -> str:
    """The same part on the other side: 'foot.L' <-> 'foot.R'; centre parts stay."""
    if name.endswith(".L"):
        return name[:-1] + "R"
    if name.endswith(".R"):
        return name[:-1] + "L"
    return name
