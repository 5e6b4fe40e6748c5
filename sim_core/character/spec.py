"""The physical description of a character, independent of the engine.

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
    """Kinds of joints."""

    FREE = "free"
    BALL = "ball"
    HINGE = "hinge"

    @property
    def torque_axes(self) -> int:
        """Return the number of axes with a joint torque; the free root has none."""
        return {JointKind.FREE: 0, JointKind.HINGE: 1, JointKind.BALL: 3}[self]


@dataclass(frozen=True, eq=False)
class Joint:
    """The joint between a segment and its parent.

    centre: the parent-to-segment rotation at joint angle zero, the middle of a ball's range
    axis (3): of a hinge, in the segment frame
    low, high: limits of a hinge [rad]; the cone of a ball joint has the half angle `high`
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


MOST_INSET = 0.45
"""Share of a limb's length that a round end of its capsule takes at most, so that a stout one is no point."""


@dataclass(frozen=True, eq=False)
class SegmentCapsule:
    """A capsule between two points of the segment frame [m]."""

    start: FloatArray
    end: FloatArray
    radius: float


@dataclass(frozen=True, eq=False)
class SegmentBox:
    """A box with centre and half sizes in the segment frame [m]."""

    centre: FloatArray
    half_size: FloatArray


SegmentShape = SegmentCapsule | SegmentBox


@dataclass(frozen=True, eq=False)
class Segment:
    """One rigid part of the body.

    anchor (3): position of the joint in the parent's frame [m]
    mass [kg], com (3) [m], inertia (3) about the com along the segment axes [kg m^2]
    contact_points (K, 3): sole points in the segment frame [m], heel first; only feet have any
    """

    name: str
    parent: str | None
    joint: Joint
    anchor: FloatArray
    mass: float
    com: FloatArray
    inertia: FloatArray
    shapes: tuple[SegmentShape, ...] = ()
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
        """Return the names of the segments."""
        return tuple(segment.name for segment in self.segments)

    @property
    def parents(self) -> IntArray:
        """Return the index of each segment's parent (S); -1 for the pelvis."""
        names = self.names
        return np.array([-1 if s.parent is None else names.index(s.parent) for s in self.segments])

    @property
    def trunk(self) -> int:
        """Return the segment whose tilt shows a fall: the chest, or the pelvis if there is no chest."""
        return self.names.index("chest") if "chest" in self.names else 0

    @property
    def mass(self) -> float:
        """Return the mass of the whole body [kg]."""
        return sum(segment.mass for segment in self.segments)

    def with_mass(self, factor: float) -> CharacterSpec:
        """Return a character that is heavier by a factor, with the same size and strength."""
        heavier = (replace(s, mass=s.mass * factor, inertia=s.inertia * factor) for s in self.segments)
        return replace(self, segments=tuple(heavier))

    def with_strength(self, factor: float) -> CharacterSpec:
        """Return a character that is stronger by a factor."""
        joints = [replace(s.joint, torque_limit=s.joint.torque_limit * factor) for s in self.segments]
        pairs = zip(self.segments, joints, strict=True)
        return replace(self, segments=tuple(replace(s, joint=joint) for s, joint in pairs))
