"""Samples of points over time as the points of a mesh, and numbers about them as its attributes."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from bpy.types import Mesh

from ...sim_core.base.conventions import BoolArray, FloatArray
from .sample_nodes import SEEN

POSITION = "position"


def sample_mesh(name: str, position: FloatArray, seen: BoolArray) -> Mesh:
    """Samples (T, N, 3) as points, the N of the first sample first; seen (T, N)."""
    mesh = bpy.data.meshes.new(name)
    mesh.vertices.add(seen.size)
    write_vectors(mesh, POSITION, position)
    write_numbers(mesh, SEEN, seen)
    return mesh


def write_numbers(mesh: Mesh, name: str, values: Any) -> None:
    """One number for each point, in any shape."""
    _attribute(mesh, name, "FLOAT").data.foreach_set("value", np.asarray(values, dtype=np.float32).ravel())


def write_vectors(mesh: Mesh, name: str, values: FloatArray) -> None:
    """One vector for each point, in any shape."""
    array = np.asarray(values, dtype=np.float32).ravel()
    _attribute(mesh, name, "FLOAT_VECTOR").data.foreach_set("vector", array)


def read_numbers(mesh: Mesh, name: str) -> FloatArray:
    values = np.empty(len(mesh.vertices), dtype=np.float32)
    _attribute(mesh, name, "FLOAT").data.foreach_get("value", values)
    return values.astype(np.float64)


def read_positions(mesh: Mesh) -> FloatArray:
    """All points (T * N, 3)."""
    values = np.empty(3 * len(mesh.vertices), dtype=np.float32)
    _attribute(mesh, POSITION, "FLOAT_VECTOR").data.foreach_get("vector", values)
    return values.reshape(-1, 3).astype(np.float64)


def _attribute(mesh: Mesh, name: str, kind: str) -> Any:
    # Untyped, because the stubs know the base class of attributes only.
    attributes: Any = mesh.attributes
    return attributes[name] if name in attributes else attributes.new(name, kind, "POINT")


def filled(position: FloatArray) -> FloatArray:
    """Positions (T, N, 3) with gaps bridged by straight lines: hidden points still need finite places."""
    result = np.array(position)
    sample = np.arange(len(result))
    for n in range(result.shape[1]):
        seen = np.isfinite(result[:, n]).all(axis=1)
        for axis in range(3):
            known = result[seen, n, axis]
            result[:, n, axis] = np.interp(sample, sample[seen], known) if len(known) else 0.0
    return result
