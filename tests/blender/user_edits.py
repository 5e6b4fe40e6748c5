"""What users do to an object and its file, at any time; also while a job works on it."""

from __future__ import annotations

from pathlib import Path

import bpy
from bpy.types import Object
from heft.addon.blender import compat


def rename_the_object(obj: Object) -> None:
    obj.name = "Somebody"
    bpy.data.objects.new("Figure", None)  # another one takes over the name


def rename_the_action(obj: Object) -> None:
    obj.animation_data.action.name = "Stroll"


def change_the_frame(obj: Object) -> None:
    bpy.context.scene.frame_set(17)


def go_to_pose_mode(obj: Object) -> None:
    bpy.ops.object.mode_set(mode="POSE")


def select_nothing(obj: Object) -> None:
    bpy.context.view_layer.objects.active = None


def add_objects(obj: Object) -> None:
    for _ in range(3):
        bpy.context.collection.objects.link(bpy.data.objects.new("Empty", None))


def save_the_file(obj: Object) -> None:
    bpy.ops.wm.save_as_mainfile(filepath=str(Path(bpy.app.tempdir) / "meanwhile.blend"), copy=True)


def delete_the_object(obj: Object) -> None:
    bpy.data.objects.remove(obj)


def delete_it_in_the_view(obj: Object) -> None:
    """By the X key: the file keeps the object, because the modifier of a mesh names it."""
    mesh = bpy.data.objects.new("Skin", bpy.data.meshes.new("Skin"))
    bpy.context.scene.collection.objects.link(mesh)
    mesh.modifiers.new("Armature", "ARMATURE").object = obj
    obj.select_set(True)
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.delete()


def delete_a_bone(obj: Object) -> None:
    bpy.ops.object.mode_set(mode="EDIT")
    obj.data.edit_bones.remove(obj.data.edit_bones["Toes.L"])
    bpy.ops.object.mode_set(mode="OBJECT")


def move_a_bone(obj: Object) -> None:
    bpy.ops.object.mode_set(mode="EDIT")
    obj.data.edit_bones["Foot.L"].tail.z += 0.03
    bpy.ops.object.mode_set(mode="OBJECT")


def change_a_key(obj: Object) -> None:
    curve = compat.curves_of(compat.action_of(obj))[0]
    curve.keyframe_points[1].co[1] += 0.1


def add_a_key(obj: Object) -> None:
    obj.pose.bones["Head"].keyframe_insert("location", frame=3)


def new_file() -> None:
    bpy.ops.wm.read_homefile(use_empty=True)


def factory_settings() -> None:
    bpy.ops.wm.read_factory_settings(use_empty=True)


def open_file() -> None:
    path = str(Path(bpy.app.tempdir) / "another.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path, copy=True)
    bpy.ops.wm.open_mainfile(filepath=path)
