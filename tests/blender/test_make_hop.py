"""Make a Hop: the dials become a simulated hop in a new action, and all else stays."""

from __future__ import annotations

from importlib import import_module

import bpy
import numpy as np
import pytest
from bpy.types import Object

from tests.blender.rigs import fingerprint
from tools.demo.body import Body
from tools.demo.mannequin import FPS, build_mannequin, write_action
from tools.demo.motions import make

pytestmark = pytest.mark.usefixtures("heft_registered")
HEIGHT_M = 0.06


@pytest.fixture
def figure() -> Object:
    body = Body()
    obj = build_mannequin("Figure", body, "source")
    write_action(obj, "standing", make("standing", body), import_module("heft.addon.blender.compat"))
    bpy.context.scene.render.fps = FPS
    bpy.context.view_layer.objects.active = obj
    obj.heft.quality, obj.heft.search = "standard", False
    obj.heft_hop.height, obj.heft_hop.seconds = HEIGHT_M, 4.0
    return obj


def rises(obj: Object) -> np.ndarray:
    """Heights of the lower foot over the action, from the ground [m]."""
    start, end = (int(frame) for frame in obj.animation_data.action.frame_range)
    heights = []
    for frame in range(start, end + 1):
        bpy.context.scene.frame_set(frame)
        feet = [obj.matrix_world @ bone.head for bone in obj.pose.bones if bone.name.startswith("foot")]
        heights.append(min(foot.z for foot in feet))
    return np.array(heights) - heights[0]


def test_an_armature_hops_as_high_as_its_dial_says(figure: Object) -> None:
    before = fingerprint(figure)
    assert bpy.ops.heft.make_hop() == {"FINISHED"}
    made = figure.animation_data.action
    assert made.name == "Figure_hop_heft"
    assert fingerprint(figure, skip_actions=(made.name,)) == before
    start, end = made.frame_range
    fps = bpy.context.scene.render.fps
    assert (end - start) / fps == pytest.approx(4.0, abs=2.0 / fps)
    notes = [note.text for note in figure.heft.outcome.notes]
    assert any("The model hops" in note for note in notes), notes
    assert not figure.heft.outcome.fell
    up = rises(figure)
    hops = np.count_nonzero(np.diff((up > 0.5 * HEIGHT_M).astype(int)) == 1)
    assert hops >= 3, "both feet leave the ground at each hop"
    assert up[-1] < 0.02, "it lands"
    assert figure.heft_report.present


def test_hops_that_no_body_makes_change_nothing(figure: Object) -> None:
    figure.heft_hop.height, before = 2.0, fingerprint(figure)
    with pytest.raises(RuntimeError, match="cannot be made; choose between"):
        bpy.ops.heft.make_hop()
    assert fingerprint(figure) == before


def test_one_undo_takes_a_hop_back(figure: Object) -> None:
    name = figure.name
    bpy.ops.ed.undo_push(message="before")
    actions = {action.name for action in bpy.data.actions}
    bpy.ops.heft.make_hop("EXEC_DEFAULT", True)
    assert {action.name for action in bpy.data.actions} != actions
    bpy.ops.ed.undo()
    assert {action.name for action in bpy.data.actions} == actions
    assert not bpy.data.objects[name].heft.outcome.present


def test_an_armature_without_a_motion_is_told_why(figure: Object) -> None:
    figure.animation_data_clear()
    with pytest.raises(RuntimeError, match="no animation"):
        bpy.ops.heft.make_hop()
