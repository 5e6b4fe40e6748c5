"""Strikes from the list of the panel: to the job, and back as a bone that is where its target is."""

from __future__ import annotations

import math

import bpy
import numpy as np
import pytest
from bpy.types import Object
from heft.sim_core.bake.pipeline import bake
from heft.sim_core.base.errors import InputError
from heft.sim_core.scenario.settings import BakeSettings
from heft.sim_core.scene.aims import Aim

from tests.blender.at_once import finish_bakes, read_world_poses
from tests.blender.rigs import humanoid, prepare

pytestmark = pytest.mark.usefixtures("heft_registered")
FPS, LAST = 24, 36
CONTACT = 18


def boxer() -> Object:
    """Stands and stretches its left arm, which points aside at rest, forwards and down."""
    obj = humanoid()
    bpy.context.scene.render.fps = FPS
    for bone in obj.pose.bones:
        bone.rotation_mode = "XYZ"
    for frame in range(1, LAST + 1):
        share = math.exp(-(((frame - CONTACT - 3) / 5.0) ** 2))
        for side in "LR":
            reach = share if side == "L" else 0.0
            turn(obj, f"UpperArm.{side}", (0.0, 0.0, 1.2 - 0.6 * reach), side, frame)
            turn(obj, f"LowerArm.{side}", (0.0, 0.0, 0.6 - 0.5 * reach), side, frame)
        hips = obj.pose.bones["Hips"]
        hips.keyframe_insert("location", frame=frame)
    return obj


def turn(obj: Object, name: str, angles: tuple[float, float, float], side: str, frame: int) -> None:
    bone = obj.pose.bones[name]
    sign = 1.0 if side == "L" else -1.0
    bone.rotation_euler = tuple(sign * a for a in angles)
    bone.keyframe_insert("rotation_euler", frame=frame)


def empty(name: str, position: np.ndarray) -> Object:
    obj = bpy.data.objects.new(name, None)
    bpy.context.scene.collection.objects.link(obj)
    obj.location = position
    return obj


def strike(obj: Object, bone: str, target: Object | None, frame: int | None = CONTACT) -> None:
    assert bpy.ops.heft.aim_add() == {"FINISHED"}
    row = obj.heft.aims[obj.heft.aims_index]
    row.bone, row.target = bone, target
    if frame is not None:
        row.own_frame, row.frame = True, frame


def aims_of(obj: Object) -> tuple[Aim, ...]:
    return prepare(bpy.context, obj, BakeSettings(simulate=False)).job.aims


def hand_at(obj: Object, frame: int) -> np.ndarray:
    skeleton = prepare(bpy.context, obj, BakeSettings(simulate=False)).sampled.skeleton
    position, _ = read_world_poses(bpy.context, obj, np.array([frame]), skeleton)
    return position[0, skeleton.index["Hand.L"]]


def test_rows_are_added_for_what_is_selected_and_removed() -> None:
    obj, target = boxer(), empty("Pad", np.zeros(3))
    obj.data.bones.active = obj.data.bones["Hand.L"]
    target.select_set(True)
    obj.select_set(True)
    bpy.context.scene.frame_set(7)
    assert bpy.ops.heft.aim_add() == {"FINISHED"}
    (row,) = obj.heft.aims
    assert (row.bone, row.target, row.frame, row.own_frame) == ("Hand.L", target, 7, False)
    assert bpy.ops.heft.aim_remove() == {"FINISHED"} and not obj.heft.aims
    assert not bpy.ops.heft.aim_remove.poll()


def test_targets_are_read_in_metres_where_they_are_at_the_frame() -> None:
    bpy.context.scene.unit_settings.scale_length = 0.5
    obj, parent = boxer(), empty("Parent", np.array([0.0, 0.0, 1.0]))
    target = empty("Pad", np.array([1.0, 0.0, 0.0]))
    target.parent = parent
    for frame, x in ((1, 0.0), (LAST, 3.5)):
        parent.location.x = x
        parent.keyframe_insert("location", frame=frame)
    strike(obj, "Hand.L", target)
    strike(obj, "Hand.R", target, frame=None)
    before = bpy.context.scene.frame_current
    at_frame, searched = aims_of(obj)
    assert bpy.context.scene.frame_current == before
    bpy.context.scene.frame_set(CONTACT)
    now = 0.5 * np.array(target.matrix_world.translation)
    assert at_frame.time == pytest.approx(CONTACT / FPS) and at_frame.at[0] == pytest.approx(now)
    assert searched.time is None and len(searched.at_time) == LAST
    assert searched.target(CONTACT / FPS) == pytest.approx(now)


def test_a_weapon_strikes_with_its_tip() -> None:
    obj = boxer()
    bpy.ops.object.mode_set(mode="EDIT")
    sword, hand = obj.data.edit_bones.new("Sword"), obj.data.edit_bones["Hand.L"]
    sword.head, sword.tail, sword.parent = hand.head, hand.head + 8.0 * hand.vector, hand
    length = sword.length
    bpy.ops.object.mode_set(mode="OBJECT")
    obj.scale = (2.0, 2.0, 2.0)
    bpy.context.view_layer.update()
    strike(obj, "Sword", empty("Pad", np.ones(3)))
    (aim,) = aims_of(obj)
    assert aim.point == pytest.approx([0.0, 2.0 * length, 0.0])


def test_the_baked_hand_is_at_the_target_and_the_panel_says_so() -> None:
    obj = boxer()
    target = empty("Pad", hand_at(obj, CONTACT) + [0.0, -0.08, 0.06])
    strike(obj, "Hand.L", target)
    prepared = prepare(bpy.context, obj, BakeSettings(find_assist=False))
    result = bake(prepared.job)
    (report,) = finish_bakes(bpy.context, [prepared], [result])
    (landed,) = result.meta.strikes
    assert landed.miss_m < 0.02
    assert any(note.startswith(f"Frame {CONTACT}: The left hand comes within") for note in report.notes)
    skeleton = prepared.sampled.skeleton
    position, _ = read_world_poses(bpy.context, obj, np.array([CONTACT]), skeleton)
    # The middle of the hand strikes; its bone begins at the wrist, half a hand away.
    wrist = position[0, skeleton.index["Hand.L"]]
    assert np.linalg.norm(wrist - np.array(target.location)) < 0.12


@pytest.mark.parametrize(("bone", "words"), [("", "Strike 1 cannot be carried out: no bone is chosen")])
def test_a_strike_without_bone_or_target_is_refused(bone: str, words: str) -> None:
    obj = boxer()
    strike(obj, bone, empty("Pad", np.ones(3)))
    with pytest.raises(InputError, match=words):
        aims_of(obj)
    obj.heft.aims[0].bone, obj.heft.aims[0].target = "Hand.L", None
    with pytest.raises(InputError, match="Strike 1 has no target"):
        aims_of(obj)
    obj.heft.aims[0].bone = "Tail"
    with pytest.raises(InputError, match="has no bone 'Tail'"):
        aims_of(obj)
