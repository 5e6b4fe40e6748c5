"""Finds what carries the character through the scene: the hips, a root bone above them, or the object."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...sim_core.base.conventions import FloatArray
from ..blender.blender_types import ArmatureObject
from ..blender.compat import action_of, curves_of
from ..blender.matrices import turned
from ..blender.rig_space import RigSpace
from ..reading.motion_reader import SampledMotion
from .baked_bones import BakedBones

OBJECT = -1
"""Stands for the armature object in place of a bone's index."""

MIN_TRAVEL_M = 0.01
"""A carrier that moves less than this over the ground does not carry the character."""


@dataclass(frozen=True, eq=False)
class Carrier:
    """What takes up the displacement of the hips.

    bone: index of a bone above the hips, or OBJECT
    shift_world (F, 3): its displacement from the source [Blender units]
    replaces_hips: the hips cannot be moved by keys, so the carrier takes up the whole displacement
    """

    bone: int
    shift_world: FloatArray
    replaces_hips: bool


def hips_bone(sampled: SampledMotion, baked: BakedBones) -> int | None:
    """Return the index of the detached bone nearest to the root."""
    index = sampled.skeleton.index
    detached = [index[name] for name, free in zip(baked.names, baked.detached, strict=True) if free]
    return min(detached, key=lambda bone: len(sampled.skeleton.ancestors(bone)), default=None)


def find_carrier(
    obj: ArmatureObject, rig: RigSpace, sampled: SampledMotion, baked: BakedBones
) -> Carrier | None:
    """Return the carrier above the hips, or None if the hips carry the character."""
    hips = hips_bone(sampled, baked)
    if hips is None:
        return None
    shift = _hips_shift(sampled, baked, hips)
    ground_shift = shift * np.array([1.0, 1.0, 0.0])
    free = [bone for bone in sampled.skeleton.ancestors(hips) if _can_move(obj, rig, bone)]
    travel = {bone: _ground_travel_m(_own_motion(rig, sampled, bone), sampled) for bone in free}
    if _object_moves_itself(obj):
        own = turned(sampled.object_parent_linear, sampled.object_location)
        travel[OBJECT] = _ground_travel_m(own, sampled)
    best = max(travel, key=lambda bone: travel[bone], default=None)
    moving = best if best is not None and travel[best] > MIN_TRAVEL_M else None
    if not _can_move(obj, rig, hips):
        nearest = free[0] if free else OBJECT
        return Carrier(nearest if moving is None else moving, shift, replaces_hips=True)
    if moving is not None:
        return Carrier(moving, ground_shift, replaces_hips=False)
    return None


def _hips_shift(sampled: SampledMotion, baked: BakedBones, hips: int) -> FloatArray:
    """Return the displacement of the hips from the source (F, 3) [Blender units]."""
    new = baked.position_world[:, baked.names.index(sampled.skeleton.names[hips])]
    return (new - sampled.motion.position_world[sampled.frame_sample, hips]) / sampled.metres_per_unit


def _can_move(obj: ArmatureObject, rig: RigSpace, bone: int) -> bool:
    """Return whether location keys move a bone: Blender ignores them on connected bones."""
    pose_bone = obj.pose.bones[rig.bones[bone].name]
    held = rig.bones[bone].use_connect or all(pose_bone.lock_location)
    return not held and all(constraint.mute for constraint in pose_bone.constraints)


def _object_moves_itself(obj: ArmatureObject) -> bool:
    source = action_of(obj)
    keyed = source is not None and any(curve.data_path == "location" for curve in curves_of(source))
    return keyed and all(constraint.mute for constraint in obj.constraints)


def _own_motion(rig: RigSpace, sampled: SampledMotion, bone: int) -> FloatArray:
    """Return a bone's displacement in the world (F, 3), relative to its parent [Blender units]."""
    space = rig.location_space(bone, sampled.pose_matrix)
    own = sampled.pose_matrix[:, bone, :3, 3] - space[:, :3, 3]
    return turned(sampled.object_matrix[:, :3, :3], own)


def _ground_travel_m(displacement: FloatArray, sampled: SampledMotion) -> float:
    extent = np.ptp(displacement[:, :2], axis=0)
    return float(np.linalg.norm(extent)) * sampled.metres_per_unit
