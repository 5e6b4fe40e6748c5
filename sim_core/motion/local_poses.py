"""Poses of bones seen from the bones that carry them, and back."""

from __future__ import annotations

import numpy as np

from ..base import rotations
from ..base.conventions import FloatArray, IntArray
from .skeleton import NO_PARENT, Skeleton


def parents_among(skeleton: Skeleton, names: list[str]) -> IntArray:
    """For each of some bones, the nearest of them above it, as an index among them."""
    place = {skeleton.index[name]: k for k, name in enumerate(names)}
    above = [[place[a] for a in skeleton.ancestors(skeleton.index[name]) if a in place] for name in names]
    return np.array([found[0] if found else NO_PARENT for found in above])


def seen_from_parents(
    position: FloatArray, quaternion: FloatArray, parents: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Places (F, M, 3) and rotations (F, M, 4) seen from the parents (M); roots keep the world's."""
    offset, own = position.copy(), quaternion.copy()
    child = np.flatnonzero(parents != NO_PARENT)
    above = quaternion[:, parents[child]]
    own[:, child] = rotations.relative(above, quaternion[:, child])
    offset[:, child] = rotations.rotate(
        rotations.conjugate(above), position[:, child] - position[:, parents[child]]
    )
    return offset, own


def composed(offset: FloatArray, own: FloatArray, parents: IntArray) -> tuple[FloatArray, FloatArray]:
    """The other way; parents first."""
    position, quaternion = offset.copy(), own.copy()
    for joint, parent in enumerate(parents.tolist()):
        if parent != NO_PARENT:
            quaternion[:, joint] = rotations.multiply(quaternion[:, parent], own[:, joint])
            carried = rotations.rotate(quaternion[:, parent], offset[:, joint])
            position[:, joint] = position[:, parent] + carried
    return position, quaternion
