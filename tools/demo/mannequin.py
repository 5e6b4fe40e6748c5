"""The rigged mannequin in Blender, and the demo's motions as actions on it."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from mathutils import Vector

from sim_core.base import rotations
from sim_core.base.conventions import FloatArray, IntArray
from sim_core.motion.motion import Motion
from sim_core.motion.skeleton import NO_PARENT

from .body import BONES, Body
from .figure import build_mesh

FPS = 60
FIRST_FRAME = 1


def build_mannequin(name: str, body: Body, palette: str) -> bpy.types.Object:
    """Build armature and mesh in the current scene; return the armature object."""
    rig = _armature(name, body)
    figure = bpy.data.objects.new(f"{name} figure", build_mesh(f"{name} figure", body, palette))
    bpy.context.scene.collection.objects.link(figure)
    figure.parent = rig
    for bone in BONES:
        figure.vertex_groups.new(name=bone.name)
    figure.modifiers.new("Armature", "ARMATURE").object = rig
    return rig


def _armature(name: str, body: Body) -> bpy.types.Object:
    armature = bpy.data.armatures.new(name)
    rig = bpy.data.objects.new(name, armature)
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for bone in BONES:
        made = armature.edit_bones.new(bone.name)
        made.head = body.scale * Vector(bone.head)
        made.tail = body.scale * Vector(bone.tail)
        made.align_roll(Vector(bone.z_axis))
        if bone.parent is not None:
            made.parent = armature.edit_bones[bone.parent]
    bpy.ops.object.mode_set(mode="OBJECT")
    rig.show_in_front = True
    return rig


def write_action(rig: bpy.types.Object, name: str, motion: Motion, compat: Any) -> None:
    """Give the rig an action with the motion, one key a sample; `compat` is Heft's own module."""
    target = compat.new_action(rig, name)
    writer = compat.CurveWriter(target)
    frames = FIRST_FRAME + np.arange(len(motion.time))
    for i, bone in enumerate(motion.skeleton.names):
        path = rig.pose.bones[bone].path_from_id("rotation_quaternion")
        _write_channels(writer, path, bone, frames, own_rotation(motion, i))
    path = rig.pose.bones["hips"].path_from_id("location")
    _write_channels(writer, path, "hips", frames, hips_location(motion))
    compat.assign_action(rig.animation_data_create(), target)


def own_rotation(motion: Motion, bone: int) -> FloatArray:
    """Return a bone's rotation channels (T, 4): its rotation from its parent, in its rest axes."""
    skeleton = motion.skeleton
    parent = int(skeleton.parents[bone])
    rest, posed = skeleton.rest_quaternion_world[bone], motion.quaternion_world[:, bone]
    if parent != NO_PARENT:
        rest = rotations.relative(skeleton.rest_quaternion_world[parent], rest)
        posed = rotations.relative(motion.quaternion_world[:, parent], posed)
    return rotations.continuous(rotations.relative(rest, posed))


def hips_location(motion: Motion) -> FloatArray:
    """Return the location channels of the hips (T, 3) [m]."""
    moved = motion.position_world[:, 0] - motion.skeleton.rest_position_world[0]
    return rotations.rotate(rotations.conjugate(motion.skeleton.rest_quaternion_world[0]), moved)


def _write_channels(writer: Any, path: str, group: str, frames: IntArray, values: FloatArray) -> None:
    for index, column in enumerate(values.T):
        curve = writer.replace(path, index, group)
        curve.keyframe_points.add(len(frames))
        curve.keyframe_points.foreach_set("co", np.column_stack([frames, column]).astype(np.float32).ravel())
        curve.update()
