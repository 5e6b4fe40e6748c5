"""Reads the surface of a GLB character: skinned meshes, and pieces that hang rigidly on its bones.

The file may come from anywhere: every offset and count is checked against the file's length.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np

from ..base.conventions import FloatArray, IntArray
from ..base.errors import InputError
from ..base.files import AnyArray
from .glb_skeleton import CHUNK_HEADER, HEADER, GlbFile, read_glb, z_up
from .skeleton import NO_PARENT
from .skinned_mesh import SkinnedMesh, joined

TYPES: dict[int, np.dtype[Any]] = {
    5120: np.dtype("<i1"),
    5121: np.dtype("<u1"),
    5122: np.dtype("<i2"),
    5123: np.dtype("<u2"),
    5125: np.dtype("<u4"),
    5126: np.dtype("<f4"),
}
"""Component type of an accessor -> type of its numbers (glTF 2.0, 3.6.2.2)."""
SIZES = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
TRIANGLES = 4
"""Mode of a primitive that is a list of triangles."""
COMPRESSIONS = ("KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_meshopt_compression")
"""Extensions of glTF under which numbers are not in the file as they are."""


def read_glb_mesh(path: Path) -> SkinnedMesh | None:
    """Read all triangles that move with the bones of the first skin; None if there are none to be read."""
    file, where = read_glb(path), f"'{path.name}'"
    found = []
    if _compression(file) is not None:
        return None
    try:
        for node, stated in enumerate(file.nodes):
            if stated.mesh is not None and node in file.world:
                found += _meshes_of(file, node, stated.mesh, stated.skin)
    except (KeyError, IndexError, TypeError, ValueError, OverflowError, struct.error) as problem:
        raise InputError(f"The mesh of {where} is damaged; export the character again.") from problem
    mesh = joined(found)
    if mesh is not None:
        mesh.check(len(file.skeleton.names), where)
    return mesh


def unread_mesh_note(path: Path) -> str | None:
    """Return a sentence on a mesh that is compressed, and therefore not read."""
    compression = _compression(read_glb(path))
    if compression is None:
        return None
    return (
        f"The mesh of '{path.name}' is compressed ({compression}) and is not read, so hands keep away from a "
        "rough guess of the body; export it without compression to use its surface."
    )


def _compression(file: GlbFile) -> str | None:
    """Return the compression that a file cannot be read without, None for one without."""
    needed = file.content.get("extensionsRequired", ())
    return next((one for one in COMPRESSIONS if one in needed), None)


def _meshes_of(file: GlbFile, node: int, mesh: int, skin: int | None) -> list[SkinnedMesh]:
    bone = file.nearest_bone(node)
    if skin is None and bone == NO_PARENT:
        return []
    found = []
    for primitive in file.content["meshes"][mesh]["primitives"]:
        if primitive.get("mode", TRIANGLES) != TRIANGLES:
            continue
        position = _accessor(file, primitive["attributes"]["POSITION"]).astype(np.float64)
        triangle = _triangles(file, primitive, len(position))
        if skin is None:
            world = file.world[node]
            count = len(position)
            found.append(
                SkinnedMesh(
                    z_up(position @ world[:3, :3].T + world[:3, 3]),
                    triangle,
                    np.full((count, 1), bone),
                    np.ones((count, 1)),
                )
            )
        elif "JOINTS_0" in primitive["attributes"]:
            found.append(_skinned(file, primitive["attributes"], skin, position, triangle))
    return found


def _triangles(file: GlbFile, primitive: dict[str, Any], count: int) -> IntArray:
    if primitive.get("indices") is None:
        corners = np.arange(count)
    else:
        corners = _accessor(file, primitive["indices"])[:, 0].astype(np.int64)
    return corners[: len(corners) // 3 * 3].reshape(-1, 3)


def _skinned(
    file: GlbFile, attributes: dict[str, int], skin: int, position: FloatArray, triangle: IntArray
) -> SkinnedMesh:
    """Return a skinned mesh at rest: the sum of w (world of the joint) (inverse bind matrix) v."""
    stated = file.content["skins"][skin]
    joints = stated["joints"]
    inverse = (
        _accessor(file, stated["inverseBindMatrices"]).astype(np.float64).reshape(-1, 4, 4).swapaxes(1, 2)
        if "inverseBindMatrices" in stated
        else np.tile(np.eye(4), (len(joints), 1, 1))
    )
    moves = np.array([file.world[joint] for joint in joints]) @ inverse[: len(joints)]
    own = _accessor(file, attributes["JOINTS_0"]).astype(np.int64)
    weight = _accessor(file, attributes["WEIGHTS_0"]).astype(np.float64)
    weight = weight / np.maximum(weight.sum(axis=1, keepdims=True), 1e-9)
    placed = np.zeros_like(position)
    for k in range(own.shape[1]):
        move = moves[own[:, k]]
        turned = np.einsum("vij,vj->vi", move[:, :3, :3], position) + move[:, :3, 3]
        placed += weight[:, [k]] * turned
    bones = np.array([file.nearest_bone(joint) for joint in joints])
    return SkinnedMesh(z_up(placed), triangle, np.maximum(bones[own], 0), weight)


def _accessor(file: GlbFile, number: int) -> AnyArray:
    """Return the numbers of an accessor (count, size); normalised integers become shares of one."""
    stated = file.content["accessors"][number]
    view = file.content["bufferViews"][stated["bufferView"]]
    kind, size = TYPES[stated["componentType"]], SIZES[stated["type"]]
    count = int(stated["count"])
    step = int(view.get("byteStride") or kind.itemsize * size)
    start = int(view.get("byteOffset", 0)) + int(stated.get("byteOffset", 0))
    binary = _binary(file)
    last = start + step * (count - 1) + kind.itemsize * size
    if min(start, count, step - kind.itemsize * size) < 0 or last > len(binary):
        raise ValueError("an accessor is beyond the end of the file")
    rows = np.ndarray((count, size), kind, binary, start, (step, kind.itemsize))
    if stated.get("normalized") and kind.kind in "iu":
        return rows / float(np.iinfo(kind).max)
    return np.array(rows)


def _binary(file: GlbFile) -> bytes:
    """Return the second chunk of the file, which holds all numbers."""
    (length,) = struct.unpack_from("<I", file.data, HEADER)
    second = HEADER + CHUNK_HEADER + length
    (size,) = struct.unpack_from("<I", file.data, second)
    start = second + CHUNK_HEADER
    return file.data[start : start + size]
