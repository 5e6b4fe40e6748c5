"""Skeletons: named bones, their parents and their rest pose; local and world poses of a hierarchy."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..base import rotations
from ..base.conventions import FloatArray, IntArray, freeze
from ..base.errors import InputError

NO_PARENT = -1
NOT_UNIT = 0.01
"""Difference of a quaternion's length from one, from which it is no rotation."""
FARTHEST_M = 1e9
"""Distance from the origin up to which double precision still resolves a micrometre [m]."""


@dataclass(frozen=True, eq=False)
class Skeleton:
    """Bones of a rig, parents before children.

    names: N bone names, unique
    parents (N): index of the parent bone, NO_PARENT for roots
    rest_position_world (N, 3): bone heads at rest [m]
    rest_quaternion_world (N, 4): bone axes at rest

    Tails of bones are not kept: importers often leave them far from the next joint.
    """

    names: tuple[str, ...]
    parents: IntArray
    rest_position_world: FloatArray
    rest_quaternion_world: FloatArray

    def __post_init__(self) -> None:
        count = len(self.names)
        object.__setattr__(self, "names", tuple(self.names))
        freeze(self, "parents", dtype=np.int64)
        freeze(self, "rest_position_world", "rest_quaternion_world")
        if self.rest_position_world.shape != (count, 3) or self.parents.shape != (count,):
            raise InputError(f"The skeleton's arrays do not fit its {count} bone names.")
        if self.rest_quaternion_world.shape != (count, 4):
            raise InputError(f"The skeleton's rest rotations do not fit its {count} bone names.")
        if len(set(self.names)) != count:
            raise InputError("The skeleton has two bones of the same name; rename one of them.")
        if np.any(self.parents >= np.arange(count)):
            raise InputError("The skeleton's bones must be listed parents first.")
        self._refuse_broken_rest()

    def _refuse_broken_rest(self) -> None:
        values = np.hstack([self.rest_position_world, self.rest_quaternion_world])
        numbers = np.isfinite(values).all(axis=1)
        near = np.abs(self.rest_position_world).max(axis=1, initial=0.0) < FARTHEST_M
        turns = np.abs(np.linalg.norm(self.rest_quaternion_world, axis=1) - 1.0) < NOT_UNIT
        far_away = f"more than {FARTHEST_M:.0e} m from the origin"
        for sound, what in ((numbers, "not a number"), (near, far_away), (turns, "no rotation")):
            bad = [self.names[i] for i in np.flatnonzero(~sound)]
            if bad:
                raise InputError(
                    f"The rest pose of bone '{bad[0]}' is {what}; "
                    "correct or delete that bone (in Blender in Edit Mode)."
                )

    @cached_property
    def index(self) -> dict[str, int]:
        """Return the index of each bone by its name."""
        return {name: i for i, name in enumerate(self.names)}

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """Return the children of each bone."""
        lists: list[list[int]] = [[] for _ in self.names]
        for i, parent in enumerate(self.parents):
            if parent != NO_PARENT:
                lists[parent].append(i)
        return tuple(tuple(children) for children in lists)

    def ancestors(self, bone: int) -> list[int]:
        """Return the bones above a bone, nearest first, without the bone itself."""
        chain = []
        parent = int(self.parents[bone])
        while parent != NO_PARENT:
            chain.append(parent)
            parent = int(self.parents[parent])
        return chain

    def descendants(self, bone: int) -> list[int]:
        """Return the bones below a bone, parents first, without the bone itself."""
        below = {bone}
        found = []
        for i in range(bone + 1, len(self.names)):
            if int(self.parents[i]) in below:
                below.add(i)
                found.append(i)
        return found


def nearest_listed_parents(skeleton: Skeleton, names: list[str]) -> IntArray:
    """Return for each listed bone the index in the list of the nearest bone above it, or NO_PARENT."""
    number = {skeleton.index[name]: k for k, name in enumerate(names)}
    above = [[number[a] for a in skeleton.ancestors(skeleton.index[name]) if a in number] for name in names]
    return np.array([found[0] if found else NO_PARENT for found in above])


def rest_offsets(skeleton: Skeleton) -> FloatArray:
    """Return the heads of all bones from their parents' heads at rest (N, 3); roots from the origin."""
    heads, parents = skeleton.rest_position_world, skeleton.parents
    above = np.where((parents == NO_PARENT)[:, None], 0.0, heads[parents])
    return np.asarray(heads - above)


def local_from_world(
    position: FloatArray, quaternion: FloatArray, parents: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Return positions (F, M, 3) and rotations (F, M, 4) in the frames of the parents (M).

    Roots keep their poses in the world.
    """
    offset, own = np.array(position), quaternion.copy()
    child = np.flatnonzero(parents != NO_PARENT)
    above = quaternion[:, parents[child]]
    own[:, child] = rotations.relative(above, quaternion[:, child])
    offset[:, child] = rotations.rotate(
        rotations.conjugate(above), position[:, child] - position[:, parents[child]]
    )
    return offset, own


def world_from_local(offset: FloatArray, own: FloatArray, parents: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return world poses from local ones by forward kinematics, the inverse of local_from_world."""
    position, quaternion = np.array(offset), np.array(own)
    for joint, parent in enumerate(parents.tolist()):
        if parent != NO_PARENT:
            quaternion[:, joint] = rotations.multiply(quaternion[:, parent], own[:, joint])
            displacement = rotations.rotate(quaternion[:, parent], offset[:, joint])
            position[:, joint] = position[:, parent] + displacement
    return position, quaternion
