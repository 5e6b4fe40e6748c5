"""How a bone's channels become its pose, from its parent, rest pose and inheritance settings.

A pose matrix in the armature's space is  linear = rotation_space @ rotation * scale  and
head = location_space @ location; both spaces follow from the parent's pose (Blender's manual,
"Bone relations").
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from bpy.types import Bone
from mathutils import Matrix

from ...sim_core.base.conventions import FloatArray, IntArray
from ...sim_core.motion.skeleton import NO_PARENT, Skeleton
from .blender_types import ArmatureObject
from .matrices import from_blender, inverse, read_matrices, to_blender, transform, turned


@dataclass(frozen=True, eq=False)
class BoneSettings:
    """What is used of a bone, copied: Blender frees bones when armatures are edited or undone.

    blender_bone: the bone itself, where only Blender can compute its space; None for all common settings
    """

    name: str
    length: float
    use_connect: bool
    use_local_location: bool
    blender_bone: Bone | None

    @staticmethod
    def of(bone: Bone) -> BoneSettings:
        """Copy the settings of a bone."""
        follows = bone.use_inherit_rotation and bone.inherit_scale == "FULL"
        kept = None if follows else bone
        return BoneSettings(bone.name, bone.length, bone.use_connect, bone.use_local_location, kept)


@dataclass(frozen=True, eq=False)
class RigSpace:
    """Rest poses and inheritance of N bones, in the skeleton's order.

    parents (N): index, NO_PARENT for roots
    rest (N, 4, 4): rest pose in the armature's space
    offset (N, 4, 4): rest pose in the parent's space; for roots the rest pose itself
    inherits_rotation (N): False for bones that keep their direction when the parent turns
    """

    bones: tuple[BoneSettings, ...]
    parents: IntArray
    rest: FloatArray
    offset: FloatArray
    inherits_rotation: tuple[bool, ...]

    @staticmethod
    def of(obj: ArmatureObject, skeleton: Skeleton) -> RigSpace:
        """Read the spaces of an armature's bones."""
        bones = tuple(BoneSettings.of(bone) for bone in obj.data.bones)
        rest = read_matrices(obj.data.bones, "matrix_local")
        inherits = tuple(bone.use_inherit_rotation for bone in obj.data.bones)
        return RigSpace(bones, skeleton.parents, rest, _offsets(rest, skeleton.parents), inherits)

    def rotation_space(self, bone: int, pose: FloatArray) -> FloatArray:
        """Return the space of a bone's rotation (F, 3, 3) for poses (F, N, 4, 4)."""
        parent = int(self.parents[bone])
        if parent == NO_PARENT:
            return np.broadcast_to(self.rest[bone, :3, :3], (len(pose), 3, 3))
        own = self.bones[bone].blender_bone
        if own is None:
            return (pose[:, parent] @ self.offset[bone])[:, :3, :3]
        return np.array([self._blender_space(own, bone, matrix) for matrix in pose[:, parent]])

    def location_space(self, bone: int, pose: FloatArray) -> FloatArray:
        """Return the space of a bone's location (F, 4, 4) for poses (F, N, 4, 4)."""
        parent = int(self.parents[bone])
        local = self.bones[bone].use_local_location
        if parent == NO_PARENT:
            rest = self.rest[bone]
            space = rest if local else transform(np.eye(3), rest[:3, 3])
            return np.broadcast_to(space, (len(pose), 4, 4))
        placed = pose[:, parent] @ self.offset[bone]
        return placed if local else transform(pose[:, parent, :3, :3], placed[:, :3, 3])

    def _blender_space(self, own: Bone, bone: int, parent_pose: FloatArray) -> FloatArray:
        """Let Blender compute the space, for the rarer inheritance settings."""
        space = own.convert_local_to_pose(
            Matrix.Identity(4),
            to_blender(self.rest[bone]),
            parent_matrix=to_blender(parent_pose),
            parent_matrix_local=to_blender(self.rest[self.parents[bone]]),
        )
        return from_blender(space)[:3, :3]


def _offsets(rest: FloatArray, parents: IntArray) -> FloatArray:
    parent_rest = rest[parents]
    parent_rest[parents == NO_PARENT] = np.eye(4)
    to_parent = inverse(parent_rest[:, :3, :3])
    return transform(to_parent, -turned(to_parent, parent_rest[:, :3, 3])) @ rest
