"""Arrays as the points and point attributes of a mesh, which Blender saves, undoes and copies."""

from __future__ import annotations

from typing import Any

import numpy as np
from bpy.types import Mesh

from ...sim_core.base.conventions import FloatArray, IntArray

POSITION = "position"


def write_numbers(mesh: Mesh, name: str, values: Any) -> None:
    """Write one number for each point, from an array of any shape."""
    _attribute(mesh, name, "FLOAT").data.foreach_set("value", np.asarray(values, dtype=np.float32).ravel())


def write_vectors(mesh: Mesh, name: str, values: FloatArray) -> None:
    """Write one vector for each point, from an array of any shape."""
    array = np.asarray(values, dtype=np.float32).ravel()
    _attribute(mesh, name, "FLOAT_VECTOR").data.foreach_set("vector", array)


def read_numbers(mesh: Mesh, name: str) -> FloatArray:
    """Return the number of each point (P)."""
    values = np.empty(len(mesh.vertices), dtype=np.float32)
    _attribute(mesh, name, "FLOAT").data.foreach_get("value", values)
    return values.astype(np.float64)


def read_positions(mesh: Mesh) -> FloatArray:
    """Return the positions of all points (P, 3)."""
    values = np.empty(3 * len(mesh.vertices), dtype=np.float32)
    _attribute(mesh, POSITION, "FLOAT_VECTOR").data.foreach_get("vector", values)
    return values.reshape(-1, 3).astype(np.float64)


def points_and_triangles(data: Mesh) -> tuple[FloatArray, IntArray]:
    """Return the positions of all points (P, 3), and the triangles (F, 3) of their indices."""
    data.calc_loop_triangles()
    vertices = np.empty(3 * len(data.vertices), dtype=np.float32)
    triangles = np.empty(3 * len(data.loop_triangles), dtype=np.int32)
    data.vertices.foreach_get("co", vertices)
    data.loop_triangles.foreach_get("vertices", triangles)
    return vertices.reshape(-1, 3).astype(np.float64), triangles.reshape(-1, 3).astype(np.int64)


def _attribute(mesh: Mesh, name: str, kind: str) -> Any:
    # Untyped, because the stubs know the base class of attributes only.
    attributes: Any = mesh.attributes
    return attributes[name] if name in attributes else attributes.new(name, kind, "POINT")
