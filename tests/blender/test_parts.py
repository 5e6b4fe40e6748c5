"""Parts that are not simulated, as the panel has them."""

from __future__ import annotations

from dataclasses import replace

import bpy
import pytest
from bpy.types import Object
from heft.addon.bake.bake_options import options_of
from heft.addon.blender import compat
from heft.addon.reading.parts import is_loop_action
from heft.sim_core.bake.pipeline import bake
from heft.sim_core.result.records import LoopGap
from heft.sim_core.scenario.settings import BakeSettings
from mathutils import Euler

from tests.blender.at_once import finish_bakes
from tests.blender.rigs import animate, humanoid, prepare, set_rotation

LAST_KEY = 19
"""Of animate's keys."""


@pytest.mark.usefixtures("heft_registered")
def test_blends_in_frames_become_seconds() -> None:
    obj = humanoid()
    animate(obj, "Hips")
    bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = 30, 1.5
    obj.heft_parts.only, obj.heft_parts.blend_in = "upper", 10
    settings = options_of(bpy.context, obj).settings
    assert settings.only == "upper"
    assert settings.blend_in_s == pytest.approx(0.5)
    assert settings.blend_out_s == 0.0


def looping(obj: Object) -> None:
    """Make the action end as it begins."""
    for curve in compat.curves_of(compat.action_of(obj)):
        curve.keyframe_points[-1].co.y = curve.keyframe_points[0].co.y


@pytest.mark.usefixtures("heft_registered")
@pytest.mark.parametrize("mark", ["action", "modifiers"])
def test_an_action_that_is_marked_as_a_loop_becomes_one(mark: str) -> None:
    obj = humanoid()
    animate(obj, None)
    looping(obj)
    source = compat.action_of(obj)
    assert prepare(bpy.context, obj, BakeSettings()).job.settings.loop == "auto"
    if mark == "action":
        source.action.use_frame_range = source.action.use_cyclic = True
        source.action.frame_start, source.action.frame_end = 1, LAST_KEY
    else:
        for curve in compat.curves_of(source):
            curve.modifiers.new("CYCLES").mode_after = "REPEAT_OFFSET"
    assert is_loop_action(obj)
    assert prepare(bpy.context, obj, BakeSettings()).job.settings.loop == "on"
    not_whole = prepare(bpy.context, obj, BakeSettings(), LAST_KEY - 3)
    assert not_whole.job.settings.loop == "auto"
    obj.heft_parts.loop = "OFF"
    chosen = options_of(bpy.context, obj).settings
    assert prepare(bpy.context, obj, chosen).job.settings.loop == "off"


@pytest.mark.usefixtures("heft_registered")
def test_a_marked_action_whose_ends_differ_is_baked_as_it_is_and_told() -> None:
    obj = humanoid()
    animate(obj, None)
    set_rotation(obj.pose.bones["UpperArm.L"], Euler((3.0, 0.0, 0.0)))
    obj.pose.bones["UpperArm.L"].keyframe_insert("rotation_quaternion", frame=LAST_KEY)
    for bone in obj.pose.bones:
        set_rotation(bone, Euler((0.6, 0.0, 0.0)))
        bone.keyframe_insert("rotation_quaternion", frame=LAST_KEY)
    for curve in compat.curves_of(compat.action_of(obj)):
        curve.modifiers.new("CYCLES")
    prepared = prepare(bpy.context, obj, BakeSettings())
    assert prepared.job.settings.loop == "auto"
    assert any("marked as a loop, but was not" in note for note in prepared.notes)


@pytest.mark.usefixtures("heft_registered")
def test_a_looped_result_keeps_its_modifiers() -> None:
    obj = humanoid()
    animate(obj, None)
    looping(obj)
    for curve in compat.curves_of(compat.action_of(obj)):
        curve.modifiers.new("CYCLES").mode_after = "REPEAT_OFFSET"
    prepared = prepare(bpy.context, obj, BakeSettings(simulate=False))
    result = bake(prepared.job)
    looped = replace(result, meta=replace(result.meta, loop=LoopGap(0.0, 0.0, 3)))
    finish_bakes(bpy.context, [prepared], [looped])
    turned = [c for c in compat.curves_of(compat.action_of(obj)) if "rotation" in c.data_path]
    assert turned
    assert all(curve.modifiers[0].mode_after == "REPEAT_OFFSET" for curve in turned)
