"""Shapes of scene objects, each in its object's own frame [m]."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import ClassVar

import numpy as np
from scipy.spatial import ConvexHull

from ..base.conventions import FloatArray, IntArray, frozen
from ..base.errors import InputError
from .convex_parts import convex_parts, hull_volume

MAX_LENGTH = 1e4
"""Largest length in a shape [m]; larger ones were most likely given in other units."""


class _Shape:
    """Base of all shapes, whose fields are numbers or arrays; those in `_POSITIVE` must be above zero."""

    kind: ClassVar[str]
    _POSITIVE: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        for field in fields(self):  # type: ignore[arg-type]  # every shape is a dataclass
            value = frozen(getattr(self, field.name))
            if not np.isfinite(value).all() or np.abs(value).max(initial=0.0) > MAX_LENGTH:
                raise InputError(
                    f"The {field.name} of a {self.kind} must be numbers up to {MAX_LENGTH:g} m; "
                    "check its units."
                )
            if field.name in self._POSITIVE and np.any(value <= 0.0):
                raise InputError(
                    f"The {field.name} of a {self.kind} is {value.tolist()}; it must be above zero."
                )
            object.__setattr__(self, field.name, float(value) if value.ndim == 0 else value)


@dataclass(frozen=True, eq=False)
class Plane(_Shape):
    """The half space below z = 0."""

    kind: ClassVar[str] = "plane"

    def scaled(self, factor: float) -> Plane:
        """Return the shape enlarged by a factor."""
        return self


@dataclass(frozen=True, eq=False)
class Box(_Shape):
    """A box about the origin; half_size (3)."""

    half_size: FloatArray
    kind: ClassVar[str] = "box"
    _POSITIVE = ("half_size",)

    def __post_init__(self) -> None:
        super().__post_init__()
        _refuse_other_shape(self.kind, "half_size", self.half_size, (3,))

    def scaled(self, factor: float) -> Box:
        """Return the shape enlarged by a factor."""
        return Box(factor * self.half_size)


@dataclass(frozen=True, eq=False)
class Sphere(_Shape):
    """A sphere about the origin."""

    radius: float
    kind: ClassVar[str] = "sphere"
    _POSITIVE = ("radius",)

    def scaled(self, factor: float) -> Sphere:
        """Return the shape enlarged by a factor."""
        return Sphere(factor * self.radius)


@dataclass(frozen=True, eq=False)
class Capsule(_Shape):
    """A capsule along Z; half_length: from the middle to the centre of a rounded end."""

    radius: float
    half_length: float
    kind: ClassVar[str] = "capsule"
    _POSITIVE = ("radius", "half_length")

    def scaled(self, factor: float) -> Capsule:
        """Return the shape enlarged by a factor."""
        return Capsule(factor * self.radius, factor * self.half_length)


@dataclass(frozen=True, eq=False)
class Cylinder(_Shape):
    """A cylinder along Z."""

    radius: float
    half_length: float
    kind: ClassVar[str] = "cylinder"
    _POSITIVE = ("radius", "half_length")

    def scaled(self, factor: float) -> Cylinder:
        """Return the shape enlarged by a factor."""
        return Cylinder(factor * self.radius, factor * self.half_length)


@dataclass(frozen=True, eq=False)
class HeightField(_Shape):
    """Heights (R, C) over a grid about the origin: rows along Y, columns along X.

    half_size (2): half the length of the whole grid along X and Y
    """

    half_size: FloatArray
    heights: FloatArray
    kind: ClassVar[str] = "height_field"
    _POSITIVE = ("half_size",)

    def __post_init__(self) -> None:
        super().__post_init__()
        _refuse_other_shape(self.kind, "half_size", self.half_size, (2,))
        if self.heights.ndim != 2 or min(self.heights.shape) < 2:
            raise InputError(
                "The heights of a height_field must be a table of at least two rows and columns."
            )

    def scaled(self, factor: float) -> HeightField:
        """Return the shape enlarged by a factor."""
        return HeightField(factor * self.half_size, factor * self.heights)


@dataclass(frozen=True, eq=False)
class Hull(_Shape):
    """The convex hull of vertices (N, 3)."""

    vertices: FloatArray
    kind: ClassVar[str] = "hull"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.vertices.ndim != 2 or self.vertices.shape[1] != 3 or len(self.vertices) < 4:
            raise InputError("A hull needs at least four vertices of three numbers each.")
        _refuse_flat(self.kind, self.vertices)

    def scaled(self, factor: float) -> Hull:
        """Return the shape enlarged by a factor."""
        return Hull(factor * self.vertices)


@dataclass(frozen=True, eq=False)
class Compound(_Shape):
    """The solid within a closed surface of vertices (N, 3) and triangles (M, 3), anticlockwise from outside.

    It is decomposed into convex parts when they are first needed, which takes seconds.
    """

    vertices: FloatArray
    triangles: IntArray
    kind: ClassVar[str] = "mesh"

    def __post_init__(self) -> None:
        corners = np.asarray(self.triangles, dtype=np.float64)
        object.__setattr__(self, "triangles", np.zeros(0))  # indices are not lengths
        super().__post_init__()
        count = len(self.vertices)
        if self.vertices.ndim != 2 or self.vertices.shape[1] != 3 or count < 4:
            raise InputError("A mesh needs at least four vertices of three numbers each.")
        if corners.ndim != 2 or corners.shape[1] != 3 or len(corners) == 0:
            raise InputError("A mesh needs triangles of three vertex numbers each.")
        if not np.all((corners >= 0) & (corners < count) & (corners == np.floor(corners))):
            raise InputError(f"The triangles of a mesh must hold whole numbers from 0 to {count - 1}.")
        _refuse_flat(self.kind, self.vertices)
        object.__setattr__(self, "triangles", corners.astype(np.int64))

    @cached_property
    def parts(self) -> tuple[Hull, ...]:
        """Return the convex parts."""
        return tuple(map(Hull, convex_parts(self.vertices, self.triangles)))

    @cached_property
    def volume_share(self) -> FloatArray:
        """Return the share of each part (P) of the whole volume."""
        volume = np.array([hull_volume(part.vertices) for part in self.parts])
        return np.asarray(volume / volume.sum())

    def scaled(self, factor: float) -> Compound:
        """Return the shape enlarged by a factor."""
        return Compound(factor * self.vertices, self.triangles)


Shape = Plane | Box | Sphere | Capsule | Cylinder | HeightField | Hull | Compound
SHAPES: dict[str, type[Shape]] = {
    shape.kind: shape for shape in (Plane, Box, Sphere, Capsule, Cylinder, HeightField, Hull, Compound)
}


def half_thickness(shape: Shape) -> float:
    """Return half the thickness of a shape where it is thinnest [m]; that of ground is infinite."""
    match shape:
        case Box():
            return float(shape.half_size.min())
        case Sphere() | Capsule():
            return shape.radius
        case Cylinder():
            return min(shape.radius, shape.half_length)
        case Hull():
            return _half_width(shape.vertices)
        case Compound():
            return min(_half_width(part.vertices) for part in shape.parts)
        case _:
            return float("inf")


def shape_extent(shape: Shape, direction: FloatArray) -> FloatArray:
    """Return how far a shape reaches from its origin in directions (N, 3) of length one in its frame [m]."""
    match shape:
        case Box():
            return np.asarray(np.abs(direction) @ shape.half_size)
        case Sphere():
            return np.full(len(direction), shape.radius)
        case Capsule():
            return np.asarray(shape.radius + shape.half_length * np.abs(direction[:, 2]))
        case Cylinder():
            across = np.hypot(direction[:, 0], direction[:, 1])
            return np.asarray(shape.radius * across + shape.half_length * np.abs(direction[:, 2]))
        case Hull() | Compound():
            return np.asarray((direction @ shape.vertices.T).max(axis=1))
        case _:
            return np.zeros(len(direction))


def _half_width(vertices: FloatArray) -> float:
    """Return half the least distance between two parallel planes around vertices (N, 3) [m]."""
    faces = ConvexHull(vertices, qhull_options="QJ").equations
    depth = vertices @ faces[:, :3].T + faces[:, 3]
    return 0.5 * float(np.ptp(depth, axis=0).min())


def _refuse_flat(kind: str, vertices: FloatArray) -> None:
    spread = np.linalg.svd(vertices - vertices.mean(axis=0), compute_uv=False)
    if spread[-1] < 1e-6 * max(spread[0], 1e-9):
        raise InputError(f"The vertices of a {kind} all lie in one plane; give it some thickness.")


def _refuse_other_shape(kind: str, name: str, value: FloatArray, shape: tuple[int, ...]) -> None:
    if np.shape(value) != shape:
        raise InputError(f"The {name} of a {kind} must be {shape[0]} numbers, but has {np.size(value)}.")
