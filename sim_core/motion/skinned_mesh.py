"""The surface of a character: triangles whose corners move with bones, and its arrays in files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..base.conventions import FloatArray, IntArray, freeze
from ..base.errors import InputError
from ..base.files import AnyArray, AnyPath
from ..base.npz_file import take_array

MOST_CORNERS = 2_000_000
"""A mesh with more corners is not a character's body but a scene."""


@dataclass(frozen=True, eq=False)
class SkinnedMesh:
    """A mesh in the rest pose of a skeleton.

    vertex (V, 3): positions at rest [m]; triangle (F, 3): indices of vertices
    bone (V, K), weight (V, K): bones that move a vertex, and their shares, which add up to one
    """

    vertex: FloatArray
    triangle: IntArray
    bone: IntArray
    weight: FloatArray

    def __post_init__(self) -> None:
        freeze(self, "vertex", "weight")
        freeze(self, "triangle", "bone", dtype=np.int64)

    def check(self, bones: int, where: str) -> None:
        """Raise InputError for a mesh that does not fit a skeleton with this many bones."""
        count = len(self.vertex)
        fits = (
            self.vertex.shape == (count, 3)
            and self.triangle.ndim == 2
            and self.triangle.shape[1] == 3
            and self.bone.shape == self.weight.shape == (count, self.bone.shape[-1])
        )
        if not fits or self.triangle.size > MOST_CORNERS:
            raise InputError(f"The mesh of {where} is damaged or too large; export the character again.")
        for indices, limit, what in ((self.triangle, count, "vertex"), (self.bone, bones, "bone")):
            if indices.size and not (indices.min() >= 0 and indices.max() < limit):
                raise InputError(f"The mesh of {where} names a {what} that does not exist; export it again.")
        if not (np.isfinite(self.vertex).all() and np.isfinite(self.weight).all()):
            raise InputError(f"The mesh of {where} has positions that are no numbers; export it again.")


def mesh_to_arrays(mesh: SkinnedMesh) -> dict[str, AnyArray]:
    """Return the arrays of a mesh for a file."""
    return {
        "mesh_vertex": mesh.vertex,
        "mesh_triangle": mesh.triangle,
        "mesh_bone": mesh.bone,
        "mesh_weight": mesh.weight,
    }


def mesh_from_arrays(arrays: Mapping[str, AnyArray], bones: int, path: AnyPath) -> SkinnedMesh | None:
    """Return the mesh in a file's arrays, for a skeleton with this many bones; None if there is none."""
    if "mesh_vertex" not in arrays:
        return None
    vertex, weight = (take_array(arrays, f"mesh_{name}", "f", 2, path) for name in ("vertex", "weight"))
    triangle, bone = (take_array(arrays, f"mesh_{name}", "iu", 2, path) for name in ("triangle", "bone"))
    mesh = SkinnedMesh(vertex, triangle, bone, weight)
    mesh.check(bones, f"'{path}'")
    return mesh


def joined(meshes: list[SkinnedMesh]) -> SkinnedMesh | None:
    """Return several meshes of the same skeleton as one; None for none."""
    if not meshes:
        return None
    first = np.cumsum([0, *(len(mesh.vertex) for mesh in meshes)])
    widest = max(mesh.bone.shape[1] for mesh in meshes)

    def padded(values: AnyArray) -> AnyArray:
        return np.pad(values, ((0, 0), (0, widest - values.shape[1])))

    return SkinnedMesh(
        np.concatenate([mesh.vertex for mesh in meshes]),
        np.concatenate([mesh.triangle + start for mesh, start in zip(meshes, first, strict=False)]),
        np.concatenate([padded(mesh.bone) for mesh in meshes]),
        np.concatenate([padded(mesh.weight) for mesh in meshes]),
    )
