"""Distances to a character's skin around one of its parts, on a grid: positive outside, negative inside.

Meshes of characters have holes and layers, so the inside is where the mesh winds around a point (Jacobson et
al. 2013), with triangles as dipoles (Barill et al. 2018, eq. 13); near the skin its normal tells the side.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.ndimage import map_coordinates
from scipy.spatial import cKDTree

from ..base import rotations
from ..base.conventions import BoolArray, FloatArray, IntArray
from ..motion.skinned_mesh import SkinnedMesh

CELLS = 20
"""Cells along the longest side of a part's grid."""
ROOM = 2
"""Cells around the part."""
FINE, COARSE = 16_000, 1_500
"""Numbers of points on the mesh: for distances, and as dipoles."""
SAME_SIDE = 0.5
"""The mesh winds further than this around a point that is inside."""


@dataclass(frozen=True, eq=False)
class DistanceField:
    """A grid around a part.

    origin (3): its first corner [m]; cell: its spacing [m]; value (X, Y, Z): distances to the skin of the
    whole body [m]; own (X, Y, Z): whether the nearest skin is the part's own
    """

    origin: FloatArray
    cell: float
    value: FloatArray
    own: FloatArray

    @property
    def ball(self) -> tuple[FloatArray, float]:
        """Middle (3) and radius of a ball [m] about the own skin and what is nearer to it than two cells."""
        place = np.argwhere((self.own > 0.0) & (self.value < 2.0 * self.cell))
        if not len(place):
            return self.origin, 0.0
        middle = 0.5 * (place.min(axis=0) + place.max(axis=0))
        radius = float(np.linalg.norm(place - middle, axis=1).max()) + 1.0
        return self.origin + self.cell * middle, self.cell * radius

    def at(self, point: FloatArray) -> FloatArray:
        """Return distances (N) of points (N, 3) [m]; infinite where other parts are nearer."""
        place = ((point - self.origin) / self.cell).T
        last = np.array(self.value.shape)[:, None] - 1.0
        result = np.full(len(point), np.inf)
        rows = np.flatnonzero(((place >= 0.0) & (place <= last)).all(axis=0))
        if len(rows):
            here = place[:, rows]
            is_own = map_coordinates(self.own, here, order=1, mode="nearest") > 0.5
            result[rows] = np.where(
                is_own, map_coordinates(self.value, here, order=1, mode="nearest"), np.inf
            )
        return result

    def outwards(self, point: FloatArray) -> FloatArray:
        """Return unit vectors (N, 3) in which the distance of points grows fastest."""
        last = np.array(self.value.shape) - 1.0
        inside = np.clip((point - self.origin) / self.cell, 0.0, last)
        step = 0.5 * np.eye(3)[:, None]
        around = np.clip(inside + np.stack([step, -step]), 0.0, last)
        ahead, back = map_coordinates(self.value, np.moveaxis(around, -1, 0), order=1, mode="nearest")
        slope = (ahead - back).T
        return np.asarray(slope / np.maximum(np.linalg.norm(slope, axis=1, keepdims=True), 1e-9))


@dataclass(frozen=True, eq=False)
class SkinPoints:
    """Points all over a mesh at rest.

    position (P, 3) [m]; normal (P, 3): of length one; area (P) [m^2]; share (P, S): of segments in a point
    """

    position: FloatArray
    normal: FloatArray
    area: FloatArray
    share: FloatArray

    def chosen(self, rows: BoolArray) -> SkinPoints:
        """Return some of the points."""
        return SkinPoints(self.position[rows], self.normal[rows], self.area[rows], self.share[rows])


def skin_points(mesh: SkinnedMesh, segment_of: IntArray, segments: int, count: int) -> SkinPoints:
    """Return about `count` points, evenly spread; segment_of (N): the segment of each bone, or -1."""
    weight = np.zeros((len(mesh.vertex), segments + 1))
    rows = np.arange(len(mesh.vertex))
    for k in range(mesh.bone.shape[1]):
        weight[rows, segment_of[mesh.bone[:, k]]] += mesh.weight[:, k]
    corners = mesh.vertex[mesh.triangle]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    area = 0.5 * np.linalg.norm(across, axis=1)
    sound = area > 1e-12
    longest = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1, initial=0.0)
    spacing = np.sqrt(2.0 * area.sum() / count)
    steps = np.clip(np.round(longest / spacing), 1, 60).astype(int)
    found = []
    for step in np.unique(steps[sound]):
        own = sound & (steps == step)
        corner = _middles(int(step))
        tiled = (len(corner), 1)
        found.append(
            (
                np.einsum("pk,fkx->pfx", corner, corners[own]).reshape(-1, 3),
                np.tile(0.5 * across[own] / area[own, None], tiled),
                np.repeat(area[own][None] / len(corner), len(corner), axis=0).ravel(),
                np.einsum("pk,fks->pfs", corner, weight[mesh.triangle[own]]).reshape(-1, segments + 1),
            )
        )
    position, normal, share_area, share = (np.concatenate(column) for column in zip(*found, strict=True))
    return SkinPoints(position, normal, share_area, share[:, :segments])


def _middles(step: int) -> FloatArray:
    """Return the middles of a triangle's pieces (P, 3) as shares of its corners; edges have `step`."""
    up = [(3 * i + 1, 3 * j + 1) for i in range(step) for j in range(step - i)]
    down = [(3 * i + 2, 3 * j + 2) for i in range(step - 1) for j in range(step - 1 - i)]
    first = np.array(up + down) / (3.0 * step)
    return np.column_stack([first, 1.0 - first.sum(axis=1)])


class Skin:
    """The whole skin of a character at rest: how far points are from it, and on which side."""

    def __init__(self, mesh: SkinnedMesh, segment_of: IntArray, segments: int) -> None:
        points, self.dipoles = (skin_points(mesh, segment_of, segments, count) for count in (FINE, COARSE))
        self.spacing = float(np.sqrt(self.dipoles.area.sum() / len(self.dipoles.area)))
        # A leg goes on inside a tunic; only the outer layer is skin.
        above = points.position + 1.5 * self.spacing * points.normal
        self.points = points.chosen(np.abs(_winding(above, self.dipoles)) < SAME_SIDE)
        self.tree = cKDTree(self.points.position)

    def field(self, own: BoolArray, axes: FloatArray, origin: FloatArray) -> DistanceField:
        """Return the distances around a part's own points (P), in axes (4) about an origin (3)."""
        inverse = rotations.conjugate(axes)
        local = rotations.rotate(inverse, self.points.position[own] - origin)
        low, high = local.min(axis=0), local.max(axis=0)
        cell = float((high - low).max()) / CELLS
        corner = low - ROOM * cell
        shape = np.ceil((high - low) / cell).astype(int) + 2 * ROOM + 1
        grid = corner + cell * np.stack(np.meshgrid(*map(np.arange, shape), indexing="ij"), axis=-1)
        points = origin + rotations.rotate(axes, grid.reshape(-1, 3))
        distance, nearest = self.tree.query(points)
        side = np.sum((points - self.points.position[nearest]) * self.points.normal[nearest], axis=1)
        inside = side < 0.0
        far = np.flatnonzero(distance > self.spacing)
        inside[far] = np.abs(_winding(points[far], self.dipoles)) > SAME_SIDE
        value = np.where(inside, -distance, distance).reshape(shape)
        return DistanceField(corner, cell, value, own[nearest].reshape(shape).astype(float))


def _winding(points: FloatArray, dipoles: SkinPoints, chunk: int = 512) -> FloatArray:
    """Return how often the mesh winds around points (N): sum of a n . (p - x) / (4 pi |p - x|^3)."""
    middle = dipoles.position.mean(axis=0)
    position = (dipoles.position - middle).astype(np.float32)
    weighted = (dipoles.area[:, None] * dipoles.normal).astype(np.float32)
    offset, square = np.sum(weighted * position, axis=1), np.sum(position**2, axis=1)
    found = [np.zeros(0, dtype=np.float32)]
    for start in range(0, len(points), chunk):
        part = (points[start : start + chunk] - middle).astype(np.float32)
        apart = part @ (-2.0 * position.T)
        apart += square
        apart += np.sum(part**2, axis=1)[:, None]
        np.maximum(apart, 1e-6, out=apart)
        above = offset - part @ weighted.T
        above /= apart
        above /= np.sqrt(apart, out=apart)
        found.append(above.sum(axis=1))
    return np.concatenate(found).astype(np.float64) / (4.0 * np.pi)
