"""Supports of a motion as mesh objects, in a collection of their own."""

from __future__ import annotations

from collections.abc import Mapping

import bpy
import numpy as np
from mathutils import Vector

from ...sim_core.base.conventions import FloatArray
from ...sim_core.base.errors import InputError
from ...sim_core.scene.scene import Role, Scene, SceneObject
from ...sim_core.scene.shapes import Box
from ..blender.blender_types import (
    ArmatureObject,
    RigContext,
    SurroundingObject,
    surrounding,
    surrounding_scene,
)
from ..reading.rig_reader import metres_per_unit
from ..reading.scene_reader import role_of, surroundings

_CORNERS = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
_FACES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
"""Corners of a box by index, anticlockwise as seen from outside."""


def refuse_second_supports(context: RigContext) -> None:
    """Raise an InputError where the scene has supports that were found before."""
    known = [obj.name for obj in surroundings(context) if obj.heft_object.captured]
    if known:
        raise InputError(f"The scene already has supports that were found ('{known[0]}'); delete them first.")


def add_supports(context: RigContext, found: Scene, name: str) -> list[SurroundingObject]:
    """Add the supports of a scene as objects with their roles, in a new collection of this name."""
    if not found.objects:
        return []
    unit_m = metres_per_unit(context.scene)
    collection = bpy.data.collections.new(name)
    context.scene.collection.children.link(collection)
    added = [_object(own, unit_m) for own in found.objects]
    for obj in added:
        collection.objects.link(obj)
    if found.floor_height is not None:
        around = surrounding_scene(context.scene).heft_surroundings
        around.own_floor, around.floor_height = True, found.floor_height / unit_m
    return added


def use_objects(context: RigContext, used: Mapping[str, Role]) -> tuple[str, ...]:
    """Mark objects of the scene as those that a motion was captured on; say which ones get a role for it."""
    sentences = []
    for name, role in used.items():
        obj = surrounding(context.scene.objects[name])
        if role_of(obj) is None:
            obj.heft_object.role = role.name
            sentences.append(f"'{name}' has the role {role.value.capitalize()} now.")
        obj.heft_object.captured = True
    return tuple(sentences)


def move_armature(context: RigContext, obj: ArmatureObject, offset_m: FloatArray) -> tuple[str, ...]:
    """Move an armature by an offset (3) [m] beside its keys, and return a sentence about it."""
    if not offset_m.any():
        return ()
    offset = Vector((offset_m / metres_per_unit(context.scene)).tolist())
    if obj.parent is not None:
        offset = (obj.parent.matrix_world @ obj.matrix_parent_inverse).to_3x3().inverted_safe() @ offset
    obj.delta_location = obj.delta_location + offset
    return (f"The Delta Transform of '{obj.name}' moves it there; its keys are as they were.",)


def _object(own: SceneObject, unit_m: float) -> SurroundingObject:
    shape = own.shape
    assert isinstance(shape, Box)
    mesh = bpy.data.meshes.new(own.name)
    mesh.from_pydata((_CORNERS * shape.half_size / unit_m).tolist(), [], _FACES)
    obj = surrounding(bpy.data.objects.new(own.name, mesh))
    obj.location = (own.position / unit_m).tolist()
    obj.rotation_mode = "QUATERNION"
    obj.rotation_quaternion = own.quaternion.tolist()
    obj.heft_object.role, obj.heft_object.shape = own.role.name, "BOX"
    obj.heft_object.captured = own.captured
    return obj
