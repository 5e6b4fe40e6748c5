"""Reads an armature's rest pose as a skeleton of the core."""

from __future__ import annotations

from typing import cast

import numpy as np
from bpy.types import Object, Scene

from ...sim_core.base import rotations
from ...sim_core.base.conventions import BoolArray, FloatArray
from ...sim_core.base.errors import InputError
from ...sim_core.motion.skeleton import NO_PARENT, Skeleton
from ..blender.blender_types import ArmatureObject
from ..blender.matrices import collapsed, from_blender, read_matrices, unscaled

SCALE_TOLERANCE = 1e-3
"""Allowed relative difference between axes; importers' rounding is far below it."""


def require_armature(obj: Object | None) -> ArmatureObject:
    """Return the object as an armature, or raise an InputError."""
    if obj is None or obj.type != "ARMATURE":
        found = "nothing is selected" if obj is None else f"'{obj.name}' is a {obj.type.lower()}"
        raise InputError(f"An armature is needed, but {found}; select the character's armature.")
    return cast(ArmatureObject, obj)


def armature_of(obj: Object | None) -> Object | None:
    """Return the armature that deforms or carries an object, such as the mesh of a character."""
    above = obj
    while above is not None:
        found = above if above.type == "ARMATURE" else above.find_armature()
        if found is not None:
            return found
        above = above.parent
    return None


def metres_per_unit(scene: Scene) -> float:
    """Return the length of a Blender unit [m]."""
    return float(scene.unit_settings.scale_length)


def read_skeleton(armature_object: Object | None, scene: Scene) -> Skeleton:
    """Return the rest pose by bone heads, in the world [m]."""
    obj = require_armature(armature_object)
    object_matrix = from_blender(obj.matrix_world)
    require_even_scale(obj.name, object_matrix, scale_remedy(obj))
    return skeleton_at(obj, object_matrix, metres_per_unit(scene))


def skeleton_at(obj: ArmatureObject, object_matrix: FloatArray, unit_m: float) -> Skeleton:
    """Return the rest pose with the object placed by a world matrix (4, 4) in Blender units."""
    bones = obj.data.bones
    if len(bones) == 0:
        raise InputError(f"'{obj.name}' has no bones; add a skeleton or choose another armature.")
    rest = read_matrices(bones, "matrix_local")
    _refuse_broken_bones(obj, rest)
    world = object_matrix @ rest
    names = tuple(bone.name for bone in bones)
    index = {name: i for i, name in enumerate(names)}
    parents = [NO_PARENT if bone.parent is None else index[bone.parent.name] for bone in bones]
    return Skeleton(
        names,
        np.array(parents, dtype=np.int64),
        world[:, :3, 3] * unit_m,
        rotations.from_matrix(unscaled(world[:, :3, :3])),
    )


def require_even_scale(name: str, object_matrix: FloatArray, remedy: str = "apply its scale first") -> None:
    """Refuse object matrices with uneven, zero or negative scale, or shear; remedy: what to do about it."""
    linear = object_matrix[:3, :3]
    if not np.isfinite(object_matrix).all() or collapsed(linear):
        raise InputError(f"'{name}' is scaled to zero or placed at NaN; reset its transform.")
    if np.linalg.det(linear) < 0.0:
        raise InputError(f"'{name}' has a negative scale, which mirrors it; {remedy}.")
    if not _is_even(linear):
        lengths = ", ".join(f"{length:.3g}" for length in np.linalg.norm(linear, axis=0))
        raise InputError(f"'{name}' has an uneven scale ({lengths}); {remedy}.")


def _is_even(linear: FloatArray) -> bool:
    """Return whether a matrix (3, 3) scales all axes alike, without shear."""
    gram = linear.T @ linear
    square = np.trace(gram) / 3.0
    return bool(np.abs(gram - square * np.eye(3)).max() <= 2.0 * SCALE_TOLERANCE * square)


def scale_remedy(obj: Object) -> str:
    """Return what to do about an uneven or negative scale, which an object may have from a parent."""
    own: Object | None = obj
    while own is not None:
        linear = from_blender(own.matrix_basis)[:3, :3]
        if np.linalg.det(linear) < 0.0 or not _is_even(linear):
            break
        own = own.parent
    if own is None or own == obj:
        return "apply its scale first"
    return f"it has it from '{own.name}', which carries it, so apply the scale of that object first"


def _refuse_broken_bones(obj: ArmatureObject, rest: FloatArray) -> None:
    bad: BoolArray = collapsed(rest[:, :3, :3]) | ~np.isfinite(rest[:, :3, 3]).all(axis=1)
    for bone, broken in zip(obj.data.bones, bad, strict=True):
        if broken or not bone.length > 0.0:
            raise InputError(
                f"Bone '{bone.name}' of '{obj.name}' has zero length or NaN coordinates; "
                "fix or delete it in Edit Mode."
            )
