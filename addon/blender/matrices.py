"""Blender's matrices as numpy arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from mathutils import Matrix

from ...sim_core.base.conventions import BoolArray, FloatArray

SINGULAR = 1e-12
"""Columns shorter than this have no direction; an object at 0.001 with bones at 0.001 stays far above."""


def read_matrices(collection: Any, attribute: str) -> FloatArray:
    """Return a 4x4 matrix property of all items of a collection (N, 4, 4)."""
    flat = np.empty(16 * len(collection), dtype=np.float32)
    collection.foreach_get(attribute, flat)
    # Blender stores columns one after the other.
    return flat.reshape(-1, 4, 4).transpose(0, 2, 1).astype(np.float64)


def read_vectors(collection: Any, attribute: str) -> FloatArray:
    """Return a vector property of all items of a non-empty collection (N, size)."""
    flat = np.empty(len(collection) * len(getattr(collection[0], attribute)), dtype=np.float32)
    collection.foreach_get(attribute, flat)
    return flat.reshape(len(collection), -1).astype(np.float64)


def from_blender(matrix: Matrix) -> FloatArray:
    """Convert a matrix of Blender's to an array."""
    return np.array(matrix, dtype=np.float64)


def to_blender(matrix: FloatArray) -> Matrix:
    """Convert an array to a matrix of Blender's."""
    return Matrix(matrix.tolist())


def collapsed(linear: FloatArray) -> BoolArray:
    """Return which matrices (..., 3, 3) have no orientation: not finite, or with an axis scaled to zero."""
    lengths = np.linalg.norm(linear, axis=-2)
    return ~np.isfinite(linear).all(axis=(-2, -1)) | (lengths < SINGULAR).any(axis=-1)


def inverse(linear: FloatArray) -> FloatArray:
    """Return the inverses of regular matrices (..., 3, 3), by cross products of their columns.

    numpy passes each small matrix to LAPACK, whose threads wait for each other on a busy machine:
    that took most of the time of a bake.
    """
    x, y, z = np.moveaxis(linear, -1, 0)
    rows = np.stack([np.cross(y, z), np.cross(z, x), np.cross(x, y)], axis=-2)
    return rows / np.sum(x * rows[..., 0, :], axis=-1)[..., None, None]


def unscaled(linear: FloatArray) -> FloatArray:
    """Return the rotation in matrices (..., 3, 3) of a rotation times a scale; mirrored axes are negated."""
    axes = linear / np.linalg.norm(linear, axis=-2, keepdims=True)
    x, y, z = np.moveaxis(axes, -1, 0)
    mirrored = np.sum(np.cross(x, y) * z, axis=-1) < 0.0
    return np.where(mirrored[..., None, None], -axes, axes)


def turned(rotation: FloatArray, vectors: FloatArray) -> FloatArray:
    """Return matrices (..., 3, 3) times vectors (..., 3)."""
    return (rotation @ vectors[..., None])[..., 0]


def transform(linear: FloatArray, translation: FloatArray) -> FloatArray:
    """Return the transforms (..., 4, 4) of a 3x3 part and a translation."""
    result = np.zeros((*np.shape(translation)[:-1], 4, 4))
    result[..., :3, :3] = linear
    result[..., :3, 3] = translation
    result[..., 3, 3] = 1.0
    return result
