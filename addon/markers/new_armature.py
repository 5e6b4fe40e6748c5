"""A new armature from a skeleton of the core."""

from __future__ import annotations

from typing import cast

import bpy
import numpy as np
from bpy.types import Context, EditBone

from ...sim_core.base.conventions import FloatArray
from ...sim_core.motion.skeleton import NO_PARENT, Skeleton
from ..blender_types import ArmatureObject

LEAF_SHARE = 0.5
"""Length of a bone without children, against that of its parent."""


def make_armature(context: Context, name: str, skeleton: Skeleton, unit_m: float) -> ArmatureObject:
    """An armature at the world's origin, active and in Object Mode; bones point to their first child."""
    if context.mode != "OBJECT":
        # The user went on working during the fit, and an armature is edited in its own mode.
        bpy.ops.object.mode_set(mode="OBJECT")
    armature = bpy.data.armatures.new(name)
    obj = bpy.data.objects.new(name, armature)
    context.collection.objects.link(obj)
    context.view_layer.objects.active = obj
    head, tail = skeleton.rest_position_world / unit_m, _tails(skeleton) / unit_m
    bpy.ops.object.mode_set(mode="EDIT")
    made: list[EditBone] = []
    for bone, parent in enumerate(skeleton.parents):
        edited = armature.edit_bones.new(skeleton.names[bone])
        edited.head, edited.tail = head[bone].tolist(), tail[bone].tolist()
        if parent != NO_PARENT:
            edited.parent = made[parent]
        made.append(edited)
    bpy.ops.object.mode_set(mode="OBJECT")
    return cast(ArmatureObject, obj)


def _tails(skeleton: Skeleton) -> FloatArray:
    """Where bones end (N, 3) [m]."""
    head, parents = skeleton.rest_position_world, skeleton.parents
    tail = np.empty_like(head)
    for bone in range(len(head)):
        children = np.flatnonzero(parents == bone)
        if len(children):
            tail[bone] = head[children[0]]
        else:
            tail[bone] = head[bone] + LEAF_SHARE * (head[bone] - head[parents[bone]])
    return tail


def remove_armature(obj: ArmatureObject) -> None:
    armature = obj.data
    bpy.data.objects.remove(obj)
    bpy.data.armatures.remove(armature)
