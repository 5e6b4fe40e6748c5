"""Soft parts as the panel has them, and their keys."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from bpy.types import Object
from heft.addon.bake.bake_job import prepare_bakes
from heft.addon.bake.bake_options import Participant, options_of
from heft.addon.blender import compat
from heft.addon.blender.steps import run_all
from heft.addon.reading.soft_parts import choose_soft_parts
from heft.panels.soft_parts import role_label
from heft.sim_core.bake.pipeline import bake
from mathutils import Vector

from tests.blender.at_once import finish_bakes
from tests.blender.rigs import animate, humanoid, scaled

BONES = ("Tail1", "Tail2", "Tail3")


def with_tail() -> Object:
    """The humanoid that walks, with a tail that has no keys of its own."""
    obj = humanoid()
    animate(obj)
    bpy.ops.object.mode_set(mode="EDIT")
    bones, above = obj.data.edit_bones, "Hips"
    for number, name in enumerate(BONES):
        bone = bones.new(name)
        bone.head = Vector((0.0, 0.12 + 0.2 * number, 0.9))
        bone.tail = bone.head + Vector((0.0, 0.2, 0.0))
        bone.parent = bones[above]
        above = name
    bpy.ops.object.mode_set(mode="OBJECT")
    return obj


def keyed_bones(obj: Object) -> set[str]:
    """Names of all bones with curves in the object's action."""
    paths = [curve.data_path for curve in compat.curves_of(compat.action_of(obj))]
    return {path.split('"')[1] for path in paths if path.startswith("pose.bones")}


def values_of(obj: Object, bone: str) -> list[tuple[str, int, list[float]]]:
    """The keys of a bone."""
    curves = compat.curves_of(compat.action_of(obj))
    own = [curve for curve in curves if f'"{bone}"' in curve.data_path]
    return [
        (curve.data_path, curve.array_index, [round(key.co.y, 6) for key in curve.keyframe_points])
        for curve in own
    ]


@pytest.mark.usefixtures("heft_registered")
def test_chains_are_found_and_keep_what_was_chosen() -> None:
    obj = with_tail()
    assert bpy.ops.heft.find_soft() == {"FINISHED"}
    (row,) = obj.heft_soft.chains
    assert (row.name, row.role, row.use) == ("Tail1", "tail", False)
    assert options_of(bpy.context, obj).soft == ()
    row.use, row.stiffness = True, 0.75
    bpy.ops.heft.find_soft()
    (part,) = options_of(bpy.context, obj).soft
    assert part.bones == BONES
    assert part.stiffness == pytest.approx(0.75)
    obj.heft_soft.chains[0].role = "hair"
    assert obj.heft_soft.chains[0].stiffness == pytest.approx(0.2)
    assert role_label(obj.heft_soft.chains[0]) == "Hair"
    obj.heft_soft.chains[0].use = False
    choose_soft_parts(obj, bpy.context.scene)
    assert [own.role for own in options_of(bpy.context, obj).soft] == ["hair"]


@pytest.mark.usefixtures("heft_registered")
@pytest.mark.parametrize("small", [False, True])
def test_only_soft_parts_get_keys_and_the_body_keeps_its_own(small: bool) -> None:
    obj = with_tail()
    if small:
        scaled(obj)
    before = values_of(obj, "UpperLeg.L")
    bpy.ops.heft.find_soft()
    obj.heft_soft.chains[0].use = True
    obj.heft_parts.only = "soft"
    assert not set(BONES) & keyed_bones(obj)
    prepared = run_all(prepare_bakes(bpy.context, [Participant(obj, options_of(bpy.context, obj))]))
    result = bake(prepared[0].job)
    (report,) = finish_bakes(bpy.context, prepared, (result,))
    assert set(BONES) <= keyed_bones(obj)
    assert values_of(obj, "UpperLeg.L") == before
    assert any(note.startswith("Soft parts: tail 'Tail1'") for note in report.notes)
    frame = 12
    bpy.context.scene.frame_set(frame)
    bpy.context.view_layer.update()
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    sample = int(np.flatnonzero(prepared[0].sampled.frame == frame)[0])
    whole = prepared[0].sampled.frame_sample[sample]
    for bone in BONES:
        column = result.bone_name.tolist().index(bone)
        head = (obj.matrix_world @ evaluated.pose.bones[bone].matrix).translation
        assert np.array(head) == pytest.approx(result.bone_position[whole, column], abs=1e-3)
