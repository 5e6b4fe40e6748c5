"""Reads the meshes of a character at rest as arrays: those that its armature deforms or its bones carry."""

from __future__ import annotations

from typing import cast

import numpy as np
from bpy.types import Mesh, Object, Scene

from ...sim_core.base.conventions import FloatArray
from ...sim_core.motion.skeleton import Skeleton
from ...sim_core.motion.skinned_mesh import SkinnedMesh, joined
from ..blender.blender_types import ArmatureObject
from ..blender.matrices import from_blender
from ..blender.mesh_attributes import points_and_triangles
from .rig_reader import metres_per_unit

MOST_VERTICES = 200_000
"""Larger meshes are left out: reading their weights would hold the window up."""
GROUPS = 4
"""Bones of a vertex that are kept, those with the largest weights."""


def read_meshes(armature: ArmatureObject, skeleton: Skeleton, scene: Scene) -> SkinnedMesh | None:
    """Return the visible meshes of a character in the world at rest [m]; None if it has none."""
    found = []
    for obj in scene.objects:
        if obj.type != "MESH" or obj.hide_render or len(cast(Mesh, obj.data).vertices) > MOST_VERTICES:
            continue
        if obj.find_armature() == armature:
            found.append(_skinned(obj, armature, skeleton, metres_per_unit(scene)))
        elif obj.parent == armature and obj.parent_type == "BONE" and obj.parent_bone in skeleton.index:
            found.append(_carried(obj, armature, skeleton, metres_per_unit(scene)))
    return joined([mesh for mesh in found if len(mesh.triangle)])


def _moved(matrix: FloatArray, points: FloatArray, unit_m: float) -> FloatArray:
    return (points @ matrix[:3, :3].T + matrix[:3, 3]) * unit_m


def _skinned(obj: Object, armature: ArmatureObject, skeleton: Skeleton, unit_m: float) -> SkinnedMesh:
    """Return a mesh that the armature deforms; vertices without a weight are left where they rest."""
    points, triangles = points_and_triangles(cast(Mesh, obj.data))
    bone_of = {
        group.index: skeleton.index[group.name]
        for group in obj.vertex_groups
        if group.name in skeleton.index and armature.data.bones[group.name].use_deform
    }
    bone, weight = np.zeros((len(points), GROUPS), dtype=np.int64), np.zeros((len(points), GROUPS))
    for vertex in cast(Mesh, obj.data).vertices:
        own = [(one.weight, bone_of[one.group]) for one in vertex.groups if one.group in bone_of]
        for k, (share, which) in enumerate(sorted(own, reverse=True)[:GROUPS]):
            weight[vertex.index, k], bone[vertex.index, k] = share, which
    total = weight.sum(axis=1)
    triangles = triangles[(total > 0.0)[triangles].all(axis=1)]
    world = _moved(from_blender(obj.matrix_world), points, unit_m)
    return SkinnedMesh(world, triangles, bone, weight / np.maximum(total, 1e-9)[:, None])


def _carried(obj: Object, armature: ArmatureObject, skeleton: Skeleton, unit_m: float) -> SkinnedMesh:
    """Return a mesh that hangs on a bone, where it is when that bone rests."""
    points, triangles = points_and_triangles(cast(Mesh, obj.data))
    pose = from_blender(armature.pose.bones[obj.parent_bone].matrix)
    rest = from_blender(armature.data.bones[obj.parent_bone].matrix_local)
    own = from_blender(armature.matrix_world)
    back = own @ rest @ np.linalg.inv(pose) @ np.linalg.inv(own)
    count = len(points)
    return SkinnedMesh(
        _moved(back @ from_blender(obj.matrix_world), points, unit_m),
        triangles,
        np.full((count, 1), skeleton.index[obj.parent_bone]),
        np.ones((count, 1)),
    )
