"""A small animated humanoid to bake: an armature with common bone names that moves its arms."""

from __future__ import annotations

import math
from typing import Any

import bpy

FRAMES = 16

# name: (parent, head [m], tail [m]); left side only, mirrored below
SPINE = {
    "Hips": (None, (0.0, 0.0, 0.95), (0.0, 0.0, 1.05)),
    "Spine": ("Hips", (0.0, 0.0, 1.05), (0.0, 0.0, 1.20)),
    "Spine1": ("Spine", (0.0, 0.0, 1.20), (0.0, 0.0, 1.45)),
    "Neck": ("Spine1", (0.0, 0.0, 1.45), (0.0, 0.0, 1.55)),
    "Head": ("Neck", (0.0, 0.0, 1.55), (0.0, 0.0, 1.75)),
}
SIDE = {
    "Shoulder": ("Spine1", (0.03, 0.0, 1.42), (0.17, 0.0, 1.42)),
    "Arm": ("Shoulder", (0.17, 0.0, 1.42), (0.45, 0.0, 1.42)),
    "ForeArm": ("Arm", (0.45, 0.0, 1.42), (0.70, 0.0, 1.42)),
    "Hand": ("ForeArm", (0.70, 0.0, 1.42), (0.85, 0.0, 1.42)),
    "UpLeg": ("Hips", (0.09, 0.0, 0.92), (0.09, -0.01, 0.50)),
    "Leg": ("UpLeg", (0.09, -0.01, 0.50), (0.09, 0.0, 0.09)),
    "Foot": ("Leg", (0.09, 0.0, 0.09), (0.09, -0.13, 0.02)),
    "ToeBase": ("Foot", (0.09, -0.13, 0.02), (0.09, -0.20, 0.02)),
}


def make_walker() -> Any:
    """Create the armature with an action over frames 1 to FRAMES, make it active and return it."""
    data = bpy.data.armatures.new("Walker")
    rig = bpy.data.objects.new("Walker", data)
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    rig.select_set(True)
    bpy.ops.object.mode_set(mode="EDIT")
    for name, (parent, head, tail) in SPINE.items():
        _bone(data, name, parent, head, tail)
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        for name, (parent, head, tail) in SIDE.items():
            full_parent = parent if parent in SPINE else side + parent
            _bone(data, side + name, full_parent, *((sign * x, y, z) for x, y, z in (head, tail)))
    bpy.ops.object.mode_set(mode="OBJECT")
    _animate(rig)
    return rig


def _bone(data: Any, name: str, parent: str | None, head: Any, tail: Any) -> None:
    bone = data.edit_bones.new(name)
    bone.head, bone.tail = head, tail
    if parent is not None:
        bone.parent = data.edit_bones[parent]


def _animate(rig: Any) -> None:
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, FRAMES
    for bone in rig.pose.bones:
        bone.rotation_mode = "QUATERNION"
    for frame in (1, FRAMES // 2, FRAMES):
        swing = math.sin(math.pi * (frame - 1) / (FRAMES - 1)) * math.radians(8.0)
        for name in ("LeftArm", "RightArm"):
            bone = rig.pose.bones[name]
            bone.rotation_quaternion = (math.cos(swing / 2), math.sin(swing / 2), 0.0, 0.0)
            bone.keyframe_insert("rotation_quaternion", frame=frame)
        rig.pose.bones["Hips"].keyframe_insert("location", frame=frame)
