"""Rest poses are read in metres and by bone heads, and broken rigs are refused."""

from __future__ import annotations

import math

import bpy
import numpy as np
import pytest
from heft.addon.reading.rig_reader import read_skeleton
from heft.sim_core.base import rotations
from heft.sim_core.base.errors import InputError
from mathutils import Matrix

from tests.blender.rigs import humanoid


def test_heads_are_metres_in_the_world() -> None:
    obj = humanoid()
    obj.matrix_world = (
        Matrix.Translation((1, 2, 3)) @ Matrix.Rotation(math.pi / 2, 4, "Z") @ Matrix.Scale(10, 4)
    )
    bpy.context.scene.unit_settings.scale_length = 0.1
    bpy.context.view_layer.update()
    skeleton = read_skeleton(obj, bpy.context.scene)
    thigh = skeleton.rest_position_world[skeleton.index["UpperLeg.L"]]
    # (0.10, 0, 0.92) turned by 90 degrees, times 10, moved, in units of 0.1 m.
    np.testing.assert_allclose(thigh, [0.1, 0.2 + 0.10, 0.3 + 0.92], atol=1e-6)


def test_orientation_is_that_of_the_bone_whatever_the_scale() -> None:
    obj = humanoid()
    straight = read_skeleton(obj, bpy.context.scene)
    obj.scale = (0.01, 0.01, 0.01)
    bpy.context.view_layer.update()
    small = read_skeleton(obj, bpy.context.scene)
    angle = rotations.angle_between(straight.rest_quaternion_world, small.rest_quaternion_world)
    assert angle.max() < 1e-5
    expected = np.array(obj.data.bones["Head"].matrix_local.to_quaternion())
    assert rotations.angle_between(small.rest_quaternion_world[small.index["Head"]], expected) < 1e-5


def test_parents_come_first() -> None:
    skeleton = read_skeleton(humanoid(root_bone=True), bpy.context.scene)
    assert skeleton.names[0] == "Root"
    assert skeleton.names[skeleton.parents[skeleton.index["Toes.R"]]] == "Foot.R"


@pytest.mark.parametrize(
    ("scale", "reason"),
    [
        ((1, 1, 2), "uneven scale"),
        ((-1, 1, 1), "negative scale"),
        ((0, 1, 1), "zero"),
        ((-1, 1, 2), "negative"),
    ],
)
def test_scales_that_bend_or_mirror_are_refused(scale: tuple[float, float, float], reason: str) -> None:
    obj = humanoid()
    obj.scale = scale
    bpy.context.view_layer.update()
    with pytest.raises(InputError, match=reason):
        read_skeleton(obj, bpy.context.scene)


@pytest.mark.parametrize("scale", [(2.0, 1.0, 1.0), (1.0, 1.0, -1.0)])
def test_a_scale_that_comes_from_a_parent_names_the_parent(scale: tuple[float, float, float]) -> None:
    obj, outer, inner = humanoid(), *(bpy.data.objects.new(name, None) for name in ("Outer", "Inner"))
    for empty in (outer, inner):
        bpy.context.scene.collection.objects.link(empty)
    obj.parent, inner.parent, outer.scale = inner, outer, scale
    bpy.context.view_layer.update()
    with pytest.raises(InputError, match="from 'Outer', which carries it"):
        read_skeleton(obj, bpy.context.scene)


def test_armature_without_bones_is_refused() -> None:
    obj = bpy.data.objects.new("Empty", bpy.data.armatures.new("Empty"))
    with pytest.raises(InputError, match="has no bones"):
        read_skeleton(obj, bpy.context.scene)


def test_nan_bone_is_refused_by_name() -> None:
    obj = humanoid()
    bpy.ops.object.mode_set(mode="EDIT")
    obj.data.edit_bones["Head"].head.x = math.nan
    bpy.ops.object.mode_set(mode="OBJECT")
    with pytest.raises(InputError, match="NaN"):
        read_skeleton(obj, bpy.context.scene)


def test_other_objects_are_refused() -> None:
    with pytest.raises(InputError, match="An armature is needed"):
        read_skeleton(bpy.data.objects.new("Cube", bpy.data.meshes.new("Cube")), bpy.context.scene)
