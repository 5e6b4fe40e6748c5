"""The simplest shape that fits a mesh: a box, a sphere, one or more convex bodies, or a height field."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..base.conventions import FloatArray, IntArray
from ..base.errors import InputError
from .convex_parts import is_closed, is_convex, signed_volume
from .shapes import Box, Capsule, Compound, Cylinder, HeightField, Hull, Shape, Sphere

FLAT_SHARE = 1e-3
"""Thickness as a share of its size, below which a mesh is a sheet."""
SHEET_THICKNESS = 0.2
"""Thickness of the slab whose upper side a sheet becomes [m]."""
ROUND_SHARE = 0.03
"""Largest relative spread of the distances of a sphere's vertices from its centre."""
ROUND_VERTICES = 20
"""Least number of vertices of a mesh that is taken for a sphere."""
OVERHANG_SHARE = 0.9
"""Share of the volume below its upper surface that a closed mesh must fill to have no overhang."""
MIN_CELL, MAX_CELLS = 0.02, 200
"""Least size of a height field's cells [m], and their largest number along a side."""


@dataclass(frozen=True, eq=False)
class Mesh:
    """Vertices (N, 3) [m] and triangles (M, 3) of their indices, anticlockwise as seen from outside."""

    vertices: FloatArray
    triangles: IntArray

    def transformed(self, linear: FloatArray) -> Mesh:
        """Return the mesh transformed by a matrix (3, 3); one that mirrors reverses the triangles."""
        faces = self.triangles[:, ::-1] if np.linalg.det(linear) < 0.0 else self.triangles
        return Mesh(self.vertices @ linear.T, faces)


def shape_of_mesh(mesh: Mesh, kind: str, is_static: bool, up: FloatArray) -> tuple[Shape, FloatArray]:
    """Return a shape and the position of its centre (3) in the mesh's frame; up (3): vertical in that frame.

    The Z axis of a height field is that of the mesh, so only level meshes become height fields.
    """
    if len(mesh.vertices) < 3 or len(mesh.triangles) == 0:
        raise InputError("It has no faces; give it a surface.")
    low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
    middle, half = 0.5 * (low + high), 0.5 * (high - low)
    chosen = _choose_kind(mesh, middle, half, is_static and up[2] > 0.999) if kind == "auto" else kind
    radius = float(max(half[0], half[1]))
    match chosen:
        case "box":
            return Box(np.maximum(half, 0.5 * FLAT_SHARE)), middle
        case "sphere":
            return Sphere(float(half.mean())), middle
        case "cylinder":
            return Cylinder(radius, float(half[2])), middle
        case "capsule":
            return Capsule(radius, float(max(half[2] - radius, 1e-3))), middle
        case "height_field":
            return height_field(mesh), np.array([middle[0], middle[1], 0.0])
        case "mesh" if not is_sheet(mesh):
            return Compound(mesh.vertices, mesh.triangles), np.zeros(3)
        case _:
            return Hull(_thick(mesh, up)), np.zeros(3)


def _choose_kind(mesh: Mesh, middle: FloatArray, half: FloatArray, may_be_field: bool) -> str:
    """Return the kind of shape that fits a mesh."""
    corners = np.unique(np.round((mesh.vertices - middle) / max(half.max(), 1e-9), 4), axis=0)
    if len(corners) == 8 and np.allclose(np.abs(corners), half / max(half.max(), 1e-9), atol=1e-3):
        return "box"
    away = np.linalg.norm(mesh.vertices - middle, axis=1)
    if len(corners) >= ROUND_VERTICES and np.ptp(away) < ROUND_SHARE * away.mean():
        return "sphere"
    if not may_be_field or is_convex(mesh.vertices, mesh.triangles):
        return "hull"
    return "mesh" if _has_overhang(mesh) else "height_field"


def _has_overhang(mesh: Mesh) -> bool:
    """Return whether a closed mesh leaves much of the space below its upper surface empty."""
    if not is_closed(mesh.triangles):
        return False
    field = height_field(mesh)
    above_base = field.heights - mesh.vertices[:, 2].min()
    covered = 4.0 * field.half_size.prod() * float(above_base.mean())
    return abs(signed_volume(mesh.vertices, mesh.triangles)) < OVERHANG_SHARE * covered


def is_sheet(mesh: Mesh) -> bool:
    """Return whether all vertices lie in one plane."""
    spread = np.linalg.svd(mesh.vertices - mesh.vertices.mean(axis=0), compute_uv=False)
    return bool(spread[-1] <= FLAT_SHARE * spread[0])


def _thick(mesh: Mesh, up: FloatArray) -> FloatArray:
    """Return the vertices, with a second layer below if all of them lie in one plane."""
    centred = mesh.vertices - mesh.vertices.mean(axis=0)
    _, spread, axes = np.linalg.svd(centred, full_matrices=False)
    if spread[1] < FLAT_SHARE * spread[0]:
        raise InputError("All its vertices lie on one line; give it a surface.")
    if not is_sheet(mesh):
        return mesh.vertices
    normal = axes[2] if axes[2] @ up >= 0.0 else -axes[2]
    return np.vstack([mesh.vertices, mesh.vertices - SHEET_THICKNESS * normal])


def height_field(mesh: Mesh) -> HeightField:
    """Return the mesh as seen from above; holes get its lowest height."""
    low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
    half = np.maximum(0.5 * (high - low)[:2], 0.5 * MIN_CELL)
    counts = np.clip(np.ceil(2.0 * half / MIN_CELL).astype(int), 1, MAX_CELLS) + 1
    x, y = (np.linspace(-h, h, n) + c for h, n, c in zip(half, counts, 0.5 * (low + high)[:2], strict=True))
    heights = np.full((len(y), len(x)), -np.inf)
    for corners in mesh.vertices[mesh.triangles]:
        _draw_triangle(heights, x, y, corners)
    return HeightField(half, np.where(np.isfinite(heights), heights, low[2]))


def _draw_triangle(heights: FloatArray, x: FloatArray, y: FloatArray, corners: FloatArray) -> None:
    """Raise heights (R, C) at the grid points inside a triangle (3, 3) to its surface."""
    edges = corners[1:, :2] - corners[0, :2]
    area = edges[0, 0] * edges[1, 1] - edges[0, 1] * edges[1, 0]
    if abs(area) < 1e-12:
        return  # the triangle is vertical
    slack = 1e-6 * float(np.abs(edges).max())
    columns = slice(*np.searchsorted(x, [corners[:, 0].min() - slack, corners[:, 0].max() + slack]))
    rows = slice(*np.searchsorted(y, [corners[:, 1].min() - slack, corners[:, 1].max() + slack]))
    dx, dy = np.meshgrid(x[columns] - corners[0, 0], y[rows] - corners[0, 1])
    first = (dx * edges[1, 1] - dy * edges[1, 0]) / area
    second = (dy * edges[0, 0] - dx * edges[0, 1]) / area
    inside = (first > -1e-6) & (second > -1e-6) & (first + second < 1.0 + 1e-6)
    surface = (
        corners[0, 2] + first * (corners[1, 2] - corners[0, 2]) + second * (corners[2, 2] - corners[0, 2])
    )
    seen = heights[rows, columns]
    heights[rows, columns] = np.where(inside, np.maximum(seen, surface), seen)
