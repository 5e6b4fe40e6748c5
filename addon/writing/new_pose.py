"""The whole rig's new pose, from the new world poses of its mapped bones.

Every bone moves rigidly from its source pose: new = D @ source in the armature's space. A mapped
bone's D follows from its target, an unmapped bone uses its parent's, so that it keeps its own
animation. Scale and shear of the source stay unchanged.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...sim_core.base import rotations
from ...sim_core.base.conventions import FloatArray
from ...sim_core.motion.skeleton import NO_PARENT
from ..blender.matrices import inverse, transform, turned, unscaled
from ..blender.rig_space import RigSpace
from ..reading.motion_reader import SampledMotion
from .baked_bones import BakedBones
from .root_carrier import OBJECT, Carrier, hips_bone


@dataclass(frozen=True, eq=False)
class NewPose:
    """The pose to write.

    pose_matrix (F, N, 4, 4): all bones in the armature's space
    turned_bones: indices of bones whose rotation changes
    moved_bones: indices of bones whose location changes
    object_location (F, 3): the object's location channels, or None if they stay
    """

    pose_matrix: FloatArray
    turned_bones: tuple[int, ...]
    moved_bones: tuple[int, ...]
    object_location: FloatArray | None


def solve_pose(rig: RigSpace, sampled: SampledMotion, baked: BakedBones, carrier: Carrier | None) -> NewPose:
    """Return the new pose of all bones."""
    object_matrix, object_location = _placed_object(sampled, carrier)
    targets = _Targets.of(sampled, baked, object_matrix, carrier)
    pose = np.empty_like(sampled.pose_matrix)
    frames, bones = pose.shape[:2]
    turn = np.broadcast_to(np.eye(3), (bones, frames, 3, 3)).copy()
    shift = np.zeros((bones, frames, 3))
    for bone in range(bones):
        source = sampled.pose_matrix[:, bone]
        head, parent = source[:, :3, 3], int(rig.parents[bone])
        new_head = head if parent == NO_PARENT else turned(turn[parent], head) + shift[parent]
        if bone in targets.turn:
            turn[bone] = targets.turn[bone]
        elif parent != NO_PARENT and rig.inherits_rotation[bone]:
            turn[bone] = turn[parent]
        new_head = targets.head.get(bone, new_head + targets.carried.get(bone, 0.0))
        shift[bone] = new_head - turned(turn[bone], head)
        pose[:, bone] = transform(turn[bone] @ source[:, :3, :3], new_head)
    moved = sorted({*targets.head, *targets.carried})
    return NewPose(pose, tuple(sorted(targets.turn)), tuple(moved), object_location)


def wanted_changes(
    sampled: SampledMotion, baked: BakedBones, object_matrix: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the rotations of the M baked bones (F, M, 3, 3) and their new heads (F, M, 3).

    Both are in the armature's space, for an object placed by world matrices (F, 4, 4).
    """
    bones = [sampled.skeleton.index[name] for name in baked.names]
    source = sampled.motion.quaternion_world[sampled.frame_sample][:, bones]
    turn_world = rotations.to_matrix(rotations.multiply(baked.quaternion_world, rotations.conjugate(source)))
    axes = unscaled(object_matrix[:, None, :3, :3])
    position = baked.position_world / sampled.metres_per_unit
    to_armature = inverse(object_matrix[:, :3, :3])
    heads = turned(to_armature[:, None], position - object_matrix[:, None, :3, 3])
    return np.swapaxes(axes, -1, -2) @ turn_world @ axes, heads


@dataclass(frozen=True, eq=False)
class _Targets:
    """Changes by bone index, in the armature's space.

    turn: (F, 3, 3) from the source's orientation to the new one
    head: (F, 3) new positions of bones that are free to move
    carried: (F, 3) displacement of a carrier
    """

    turn: dict[int, FloatArray]
    head: dict[int, FloatArray]
    carried: dict[int, FloatArray]

    @staticmethod
    def of(
        sampled: SampledMotion, baked: BakedBones, object_matrix: FloatArray, carrier: Carrier | None
    ) -> _Targets:
        bones = [sampled.skeleton.index[name] for name in baked.names]
        turn, heads = wanted_changes(sampled, baked, object_matrix)
        to_armature = inverse(object_matrix[:, :3, :3])
        fixed = hips_bone(sampled, baked) if carrier is not None and carrier.replaces_hips else None
        free = [m for m, bone in enumerate(bones) if baked.detached[m] and bone != fixed]
        carried = {}
        if carrier is not None and carrier.bone != OBJECT:
            carried[carrier.bone] = turned(to_armature, carrier.shift_world)
        return _Targets(
            {bone: turn[:, m] for m, bone in enumerate(bones)}, {bones[m]: heads[:, m] for m in free}, carried
        )


def _placed_object(sampled: SampledMotion, carrier: Carrier | None) -> tuple[FloatArray, FloatArray | None]:
    """Return the object's new world matrices, and its location channels if they change."""
    if carrier is None or carrier.bone != OBJECT:
        return sampled.object_matrix, None
    matrix = sampled.object_matrix.copy()
    matrix[:, :3, 3] += carrier.shift_world
    own_shift = turned(inverse(sampled.object_parent_linear), carrier.shift_world)
    return matrix, sampled.object_location + own_shift
