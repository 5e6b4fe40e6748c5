"""From the zip to the first simulated walk: five clicks, and nothing to type or to choose."""

from __future__ import annotations

from importlib import import_module

import bpy
import numpy as np
import pytest
from bpy.types import Object

from tests.blender.rigs import scaled
from tools.demo.body import Body
from tools.demo.mannequin import FPS, build_mannequin, write_action
from tools.demo.motions import make

pytestmark = pytest.mark.usefixtures("heft_registered")

MOST_CLICKS = 5
BLENDERS_CLICKS = ("drop the zip on the window", "OK", "the character", "the tab Heft")
"""What Blender itself asks for before Heft has a button."""
FIRST, LAST = 120, 180
"""The steps in which the walk gets going; all of it would only take longer."""
MIXAMO_NAMES = {
    "hips": "Hips",
    "spine": "Spine",
    "chest": "Spine1",
    "neck": "Neck",
    "head": "Head",
    "shoulder": "Shoulder",
    "upper_arm": "Arm",
    "forearm": "ForeArm",
    "hand": "Hand",
    "thigh": "UpLeg",
    "shin": "Leg",
    "foot": "Foot",
    "toe": "ToeBase",
}


def fresh_character() -> Object:
    """A walking rig with Mixamo's names, in centimetres, of which Heft knows nothing yet."""
    body = Body()
    rig = build_mannequin("Character", body, "source")
    write_action(rig, "walk", make("walk", body), import_module("heft.addon.blender.compat"))
    for bone in rig.data.bones:
        name, _, side = bone.name.partition(".")
        bone.name = "mixamorig:" + {"": "", "L": "Left", "R": "Right"}[side] + MIXAMO_NAMES[name]
    scaled(rig)
    scene = bpy.context.scene
    scene.render.fps, scene.frame_start, scene.frame_end = FPS, FIRST, LAST
    rig.select_set(True)
    bpy.context.view_layer.update()
    return rig


def test_from_installing_to_the_first_walk_in_five_clicks() -> None:
    rig = fresh_character()
    rig.heft.range_mode, rig.heft.frame_start, rig.heft.frame_end = "CUSTOM", FIRST, LAST
    clicks = list(BLENDERS_CLICKS)
    assert len(rig.data.heft.rows) == 0, "nobody recognised it before"

    assert bpy.ops.heft.simulate() == {"FINISHED"}
    clicks.append("Simulate")

    assert len(clicks) <= MOST_CLICKS
    assert rig.data.heft.kind == "Mixamo"
    assert rig.animation_data.action.name == "walk_heft" and "walk" in bpy.data.actions
    assert rig.heft.outcome.simulated and not rig.heft.outcome.fell
    hips, path = rig.pose.bones["mixamorig:Hips"], []
    for frame in (FIRST, LAST):
        bpy.context.scene.frame_set(frame)
        path.append(rig.matrix_world @ hips.head)
    assert np.hypot(*(path[1] - path[0])[:2]) > 0.7, "it walks"
