"""Empties pull bones into a new action; the source and what is not pulled stay as they were."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest
from bpy.types import Object

from tests.blender.rigs import LAST_FRAME, animate, fingerprint, humanoid
from tests.blender.test_operators import assert_one_sentence

pytestmark = pytest.mark.usefixtures("heft_registered")

REACHED_M = 0.006
"""A full weight leaves a millimetre or two, single precision and bones' channels hardly anything."""


@pytest.fixture
def rig() -> Object:
    obj = humanoid()
    animate(obj, "Hips")
    return obj


def add(bone: str) -> Object:
    before = set(bpy.data.objects)
    assert bpy.ops.heft.add_control_marker(bone=bone) == {"FINISHED"}
    (made,) = set(bpy.data.objects) - before
    return made


def head(obj: Object, bone: str, frame: int) -> np.ndarray:
    bpy.context.scene.frame_set(frame)
    return np.array(obj.matrix_world @ obj.pose.bones[bone].head)


def follow(empty: Object, obj: Object, shift: tuple[float, float, float]) -> None:
    """Key an Empty at every frame: a shift from where its bone is."""
    for frame in range(1, LAST_FRAME):
        empty.location = head(obj, empty.heft_control.bone, frame) + shift
        empty.keyframe_insert("location", frame=frame)


def test_a_hand_goes_where_its_empty_goes(rig: Object) -> None:
    source = rig.animation_data.action
    empty = add("Hand.L")
    shift = (0.05, -0.08, 0.04)
    frames = (1, 8, 15)
    wanted = [head(rig, "Hand.L", frame) + shift for frame in frames]
    feet = [head(rig, "Foot.R", frame) for frame in frames]
    follow(empty, rig, shift)
    assert bpy.ops.heft.pull() == {"FINISHED"}
    assert rig.animation_data.action != source
    assert rig.animation_data.action.name == f"{source.name}_pulled"
    for frame, position, foot in zip(frames, wanted, feet, strict=True):
        assert np.linalg.norm(head(rig, "Hand.L", frame) - position) < REACHED_M
        assert np.linalg.norm(head(rig, "Foot.R", frame) - foot) < 0.01
    bpy.ops.heft.toggle_source()
    assert rig.animation_data.action == source


def test_the_weight_can_be_keyed(rig: Object) -> None:
    empty = add("Hand.L")
    follow(empty, rig, (0.0, 0.0, 0.1))
    for frame, weight in ((1, 0.0), (9, 0.0), (10, 1.0), (LAST_FRAME, 1.0)):
        empty.heft_control.weight = weight
        empty.keyframe_insert("heft_control.weight", frame=frame)
    before = [head(rig, "Hand.L", frame) for frame in (5, 15)]
    bpy.ops.heft.pull()
    moved = [head(rig, "Hand.L", frame) - position for frame, position in zip((5, 15), before, strict=True)]
    assert np.linalg.norm(moved[0]) < 1e-4
    assert moved[1] == pytest.approx([0.0, 0.0, 0.1], abs=REACHED_M)


def test_height_only_and_a_dead_zone(rig: Object) -> None:
    empty = add("Hand.R")
    control = empty.heft_control
    control.use_x = control.use_y = False
    control.dead_zone_m = 0.03
    follow(empty, rig, (5.0, 5.0, 0.1))
    before = head(rig, "Hand.R", 10)
    bpy.ops.heft.pull()
    moved = head(rig, "Hand.R", 10) - before
    assert moved[2] == pytest.approx(0.07, abs=REACHED_M)
    assert np.abs(moved[:2]).max() < 0.2


def test_the_markers_survive_saving(rig: Object, tmp_path: Path) -> None:
    add("Hand.L").heft_control.weight = 0.25
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "x.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "x.blend"))
    control = bpy.data.objects["Pull Hand.L"].heft_control
    assert (control.bone, control.weight, control.armature.name) == ("Hand.L", 0.25, "Figure")


def test_bad_input_is_one_sentence_and_changes_nothing(rig: Object) -> None:
    assert not bpy.ops.heft.pull.poll()
    with pytest.raises(RuntimeError) as caught:
        bpy.ops.heft.add_control_marker(bone="Tail")
    assert_one_sentence(str(caught.value))
    empty = add("Hand.L")
    empty.heft_control.bone = "Gone"
    before = fingerprint(rig)
    with pytest.raises(RuntimeError) as caught:
        bpy.ops.heft.pull()
    assert_one_sentence(str(caught.value))
    assert fingerprint(rig) == before
    assert list(Path(bpy.app.tempdir).glob("heft_*")) == []
