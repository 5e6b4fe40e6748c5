"""The buttons: one bake is one new action, bad input is one sentence, and nothing stays registered."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

import bpy
import pytest
from bpy.types import Object
from heft.addon.jobs import job_runner
from heft.sim_core.recognition.mapping import REQUIRED_SLOTS
from heft.sim_core.scenario.settings import BakeSettings

from tests.blender.rigs import animate, fingerprint, humanoid, import_gltf, prepare, worst_difference

pytestmark = pytest.mark.usefixtures("heft_registered")


def walking() -> Object:
    obj = humanoid()
    animate(obj, "Hips")
    return obj


def test_recognise_fills_the_table_and_clear_empties_it() -> None:
    obj = walking()
    assert bpy.ops.heft.recognise() == {"FINISHED"}
    rows = obj.data.heft.rows
    assert {row.slot for row in rows if row.bone} >= set(REQUIRED_SLOTS)
    assert next(row.bone for row in rows if row.slot == "thigh.L") == "UpperLeg.L"
    bpy.ops.heft.add_bone(row=0)
    assert [row.slot for row in rows][:2] == ["hips", "hips"]
    bpy.ops.heft.clear_mapping()
    assert len(rows) == 0


def test_the_table_survives_saving(tmp_path: Path) -> None:
    walking()
    bpy.ops.heft.recognise()
    bpy.data.objects["Figure"].data.heft.mass = 63.0
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "x.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "x.blend"))
    character = bpy.data.objects["Figure"].data.heft
    assert len(character.rows) >= 20
    assert character.mass == 63.0


def test_from_a_clicked_mesh_to_the_armature_that_moves_it() -> None:
    figure = humanoid()
    skin, hat, stone = (bpy.data.objects.new(n, bpy.data.meshes.new(n)) for n in ("Skin", "Hat", "Stone"))
    skin.modifiers.new("Armature", "ARMATURE").object = figure
    hat.parent, hat.parent_type, hat.parent_bone = figure, "BONE", "Head"
    for obj in (skin, hat, stone):
        bpy.context.scene.collection.objects.link(obj)
    for obj in (skin, hat):
        bpy.context.view_layer.objects.active = obj
        obj.select_set(True)
        assert bpy.ops.heft.select_armature() == {"FINISHED"}
        assert bpy.context.object == figure and bpy.context.selected_objects == [figure]
    bpy.context.view_layer.objects.active = stone
    assert not bpy.ops.heft.select_armature.poll()
    bpy.context.view_layer.objects.active = skin
    figure.hide_set(True)
    assert not bpy.ops.heft.select_armature.poll()


def test_pass_through_by_operator_equals_the_source() -> None:
    obj = walking()
    prepared = prepare(bpy.context, obj, BakeSettings(simulate=False))
    before = fingerprint(obj)
    assert bpy.ops.heft.simulate(simulate=False) == {"FINISHED"}
    angle, distance = worst_difference(bpy.context, obj, prepared)
    assert angle < 0.1
    assert distance < 1e-3
    baked = obj.animation_data.action.name
    assert baked == "FigureAction_heft"
    assert fingerprint(obj, skip_actions=(baked,)) == before
    bpy.ops.heft.toggle_source()
    assert obj.animation_data.action.name == "FigureAction"


def test_a_simulation_is_reported() -> None:
    obj = walking()
    obj.heft.quality = "draft"
    obj.heft.range_mode, obj.heft.frame_start, obj.heft.frame_end = "CUSTOM", 1, 8
    assert bpy.ops.heft.simulate() == {"FINISHED"}
    assert obj.heft.outcome.present
    assert obj.heft.outcome.simulated
    assert tuple(obj.animation_data.action.frame_range)[1] >= 8
    assert list(Path(bpy.app.tempdir).glob("heft_*")) == []


def test_made_plausible_without_a_simulation() -> None:
    obj = walking()
    obj.heft.range_mode, obj.heft.frame_start, obj.heft.frame_end = "CUSTOM", 1, 8
    before = fingerprint(obj)
    assert bpy.ops.heft.make_plausible() == {"FINISHED"}
    baked = obj.animation_data.action.name
    assert baked != "FigureAction" and fingerprint(obj, skip_actions=(baked,)) == before
    assert obj.heft.outcome.present and not obj.heft.outcome.simulated
    assert any("of the weight before" in note.text for note in obj.heft.outcome.notes)
    report = obj.heft_report
    assert report.present and report.compared and report.after > 0.0 and not report.not_judged
    assert all(part.before >= 0.0 and part.after >= 0.0 for part in report.parts)
    for shown in ("FigureAction", baked):
        assert bpy.ops.heft.toggle_source() == {"FINISHED"}
        assert obj.animation_data.action.name == shown


def one_frame(obj: Object) -> None:
    obj.heft.range_mode, obj.heft.frame_start, obj.heft.frame_end = "CUSTOM", 4, 4


def empty_range(obj: Object) -> None:
    obj.heft.range_mode, obj.heft.frame_start, obj.heft.frame_end = "CUSTOM", 9, 2


def uneven_scale(obj: Object) -> None:
    obj.scale = (1.0, 1.0, -2.0)


def missing_leg(obj: Object) -> None:
    bpy.ops.object.mode_set(mode="EDIT")
    for name in ("UpperLeg.L", "LowerLeg.L", "Foot.L", "Toes.L"):
        obj.data.edit_bones.remove(obj.data.edit_bones[name])
    bpy.ops.object.mode_set(mode="OBJECT")


def wrong_bone_by_hand(obj: Object) -> None:
    bpy.ops.heft.recognise()
    next(row for row in obj.data.heft.rows if row.slot == "shin.R").bone = "Nobody"


def collapsed_bone(obj: Object) -> None:
    obj.pose.bones["LowerLeg.R"].scale = (0.0, 0.0, 0.0)


def hidden(obj: Object) -> None:
    obj.hide_viewport = True


@pytest.mark.parametrize(
    "spoil",
    [one_frame, empty_range, uneven_scale, missing_leg, wrong_bone_by_hand, collapsed_bone, hidden],
)
def test_bad_input_is_one_sentence_and_changes_nothing(spoil: Callable[[Object], None]) -> None:
    obj = walking()
    spoil(obj)
    bpy.context.view_layer.update()
    before, actions = fingerprint(obj), len(bpy.data.actions)
    with pytest.raises(RuntimeError) as caught:
        bpy.ops.heft.simulate(simulate=False)
    assert_one_sentence(str(caught.value))
    assert fingerprint(obj) == before
    assert len(bpy.data.actions) == actions
    assert list(Path(bpy.app.tempdir).glob("heft_*")) == []


def assert_one_sentence(text: str) -> None:
    """Blender puts 'Error: ' before a report; a sentence ends once, with a full stop."""
    sentence = text.removeprefix("Error: ").strip()
    assert sentence.endswith(".")
    assert "\n" not in sentence
    assert "Traceback" not in sentence
    assert len(re.findall(r"\.\s+[A-Z]", sentence)) <= 2


def test_buttons_are_grey_without_an_armature_or_animation() -> None:
    assert not bpy.ops.heft.simulate.poll()
    assert not bpy.ops.heft.recognise.poll()
    humanoid()
    assert not bpy.ops.heft.simulate.poll()
    assert bpy.ops.heft.recognise.poll()


def test_an_action_with_keys_on_one_frame_is_said_to_be_a_pose() -> None:
    obj = humanoid()
    for bone in obj.pose.bones:
        bone.keyframe_insert("rotation_quaternion", frame=4)
    with pytest.raises(RuntimeError, match="single pose"):
        bpy.ops.heft.simulate()
    obj.heft.range_mode, obj.heft.frame_start, obj.heft.frame_end = "CUSTOM", 1, 10
    assert len(prepare(bpy.context, obj, BakeSettings()).sampled.frame) == 10, "held for ten frames"


def test_a_quadruped_is_refused(shared_data: Path) -> None:
    import_gltf(shared_data / "characters" / "Fox.glb")
    with pytest.raises(RuntimeError) as caught:
        bpy.ops.heft.recognise()
    assert_one_sentence(str(caught.value))


def test_a_dying_child_leaves_the_file_unharmed(monkeypatch: pytest.MonkeyPatch) -> None:
    obj = walking()
    before = fingerprint(obj)
    dying = [sys.executable, "-c", "import os; os.abort()"]
    monkeypatch.setattr(job_runner, "worker_command", lambda _module: dying)
    with pytest.raises(RuntimeError, match="process of the .* died"):
        bpy.ops.heft.simulate()
    assert fingerprint(obj) == before
    assert list(Path(bpy.app.tempdir).glob("heft_*")) == []
