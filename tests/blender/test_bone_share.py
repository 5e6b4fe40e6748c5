"""Bones that follow their animation at some frames: keyed, by collection, undone and saved."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import bpy
import numpy as np
import pytest
from bpy.types import Object
from heft.addon.blender import compat
from heft.addon.reading.motion_reader import SampledMotion
from heft.sim_core.bake.bone_shares import with_bone_shares
from heft.sim_core.bake.pipeline import bake
from heft.sim_core.base import rotations
from heft.sim_core.base.conventions import FloatArray
from heft.sim_core.scenario.settings import BakeSettings

from tests.blender.at_once import finish_bakes, read_world_poses
from tests.blender.rigs import animate, humanoid, prepare

pytestmark = pytest.mark.usefixtures("heft_registered")

SETTINGS = BakeSettings("draft", assist_cap=0.0, find_assist=False, stiffness=0.2)
ARM, CHANGE, LAST = "UpperArm.L", 5, 8


def walking() -> Object:
    obj = humanoid()
    animate(obj, "Hips")
    return obj


def own_turns(obj: Object, sampled: SampledMotion) -> FloatArray:
    """The arm's rotations (F, 4) seen from its shoulder, as Blender evaluates them."""
    index = sampled.skeleton.index
    _, quaternion = read_world_poses(bpy.context, obj, sampled.frame, sampled.skeleton)
    return rotations.relative(quaternion[:, index["Shoulder.L"]], quaternion[:, index[ARM]])


def key_switch(obj: Object) -> None:
    """The arm is animated up to a frame, and simulated from it on."""
    bone = obj.pose.bones[ARM]
    for frame, share in ((1, 0.0), (CHANGE, 1.0)):
        bone.heft_simulate = share
        assert bone.keyframe_insert("heft_simulate", frame=frame)
    (curve,) = [c for c in compat.curves_of(compat.action_of(obj)) if "heft_simulate" in c.data_path]
    for key in curve.keyframe_points:
        key.interpolation = "CONSTANT"


def test_without_shares_nothing_is_read() -> None:
    prepared = prepare(bpy.context, walking(), SETTINGS, 4)
    assert prepared.job.bone_share is None


def test_a_keyed_bone_changes_over_from_the_animation() -> None:
    obj = walking()
    plain = bake(prepare(bpy.context, obj, SETTINGS, LAST).job)
    key_switch(obj)
    prepared = prepare(bpy.context, obj, SETTINGS, LAST)
    source = own_turns(obj, prepared.sampled)
    assert prepared.job.bone_share is not None
    arm = prepared.job.bone_share[prepared.sampled.frame_sample][:, prepared.sampled.skeleton.index[ARM]]
    np.testing.assert_array_equal(arm, np.arange(1, LAST + 1) >= CHANGE)
    result = with_bone_shares(prepared.job, plain)
    (report,) = finish_bakes(bpy.context, [prepared], [result])
    baked = own_turns(obj, prepared.sampled)
    animated = slice(0, CHANGE - 1)
    assert rotations.angle_between(baked, source)[animated].max() < 1e-3
    names = plain.bone_name.tolist()
    whole = plain.bone_quaternion_world[prepared.sampled.frame_sample]
    simulated = rotations.relative(whole[:, names.index("Shoulder.L")], whole[:, names.index(ARM)])
    assert rotations.angle_between(baked, simulated)[CHANGE - 1 :].max() < 1e-3
    assert rotations.angle_between(simulated, source)[1:].max() > 0.001  # there was something to mix
    assert any(f"'{ARM}' follow the animation" in note for note in report.notes)
    assert report.metrics is not None and 0.0 < report.metrics.kinematic_share < 0.1


def test_a_collection_is_set_by_one_button_keyed_and_undone() -> None:
    obj = walking()
    legs = obj.data.collections.new("Legs")
    left = obj.data.collections.new("Left", parent=legs)
    for name in ("UpperLeg.L", "LowerLeg.L"):
        left.assign(obj.data.bones[name])
    legs.assign(obj.data.bones["UpperLeg.R"])
    obj.data.collections.active = legs
    bpy.ops.ed.undo_push(message="Before")
    assert bpy.ops.heft.set_simulated(which="COLLECTION", share=0.0) == {"FINISHED"}
    bpy.ops.ed.undo_push(message="After")
    part = {bone.name for bone in obj.pose.bones if bone.heft_simulate == 0.0}
    assert part == {"UpperLeg.L", "LowerLeg.L", "UpperLeg.R"}
    bpy.ops.ed.undo()
    obj = bpy.data.objects["Figure"]
    assert all(bone.heft_simulate == 1.0 for bone in obj.pose.bones)
    obj.heft_parts.key_bones = True
    bpy.context.scene.frame_set(5)
    bpy.ops.heft.set_simulated(which="COLLECTION", share=0.5)
    keyed = [c for c in compat.curves_of(compat.action_of(obj)) if "heft_simulate" in c.data_path]
    assert len(keyed) == 3
    assert all(tuple(curve.keyframe_points[0].co) == (5.0, 0.5) for curve in keyed)


def test_nothing_chosen_is_refused() -> None:
    walking()
    with pytest.raises(RuntimeError, match="No bones are chosen"):
        bpy.ops.heft.set_simulated(which="SELECTED", share=0.0)


def test_shares_are_saved(tmp_path: Path) -> None:
    obj = walking()
    obj.pose.bones["Head"].heft_simulate = 0.25
    key_switch(obj)
    path = str(tmp_path / "figure.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    obj = bpy.data.objects["Figure"]
    prepared = prepare(bpy.context, obj, replace(SETTINGS, simulate=False), LAST)
    assert prepared.job.bone_share is not None
    index = prepared.sampled.skeleton.index
    assert np.all(prepared.job.bone_share[:, index["Head"]] == 0.25)
    assert set(prepared.job.bone_share[:, index[ARM]]) == {0.0, 1.0}
