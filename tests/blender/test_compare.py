"""Source against result: nothing that the user made is lost, and nothing of Heft's is left lying about."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Action, Object
from heft.addon.blender import compat
from heft.addon.blender.channels import rotation_channels
from heft.addon.reading.source_action import result_of_another_action
from heft.sim_core.keys.channel import own_rotation

from tests.blender.rigs import animate, fingerprint, humanoid, pass_through

pytestmark = pytest.mark.usefixtures("heft_registered")

SOURCE, RESULT = "FigureAction", "FigureAction_heft"


def baked() -> Object:
    obj = humanoid()
    animate(obj)
    pass_through(bpy.context, obj)
    return obj


def shown(obj: Object) -> str:
    return obj.animation_data.action.name


def edit(action: Action) -> None:
    curve = compat.curves_of(compat.all_slots(action)[0])[0]
    curve.keyframe_points[0].co[1] += 0.125


def tilt(obj: Object, by: float) -> None:
    """Change a result so that it differs from its source: the hips are higher."""
    source = compat.all_slots(obj.heft.baked_action)[0]
    for curve in compat.curves_of(source):
        if curve.data_path == 'pose.bones["Hips"].location' and curve.array_index == 1:
            for key in curve.keyframe_points:
                key.co[1] += by
            curve.update()


def test_one_button_shows_source_and_result_in_turn() -> None:
    obj = baked()
    before = fingerprint(obj)
    for name in (SOURCE, RESULT, SOURCE, RESULT):
        assert bpy.ops.heft.toggle_source() == {"FINISHED"}
        assert shown(obj) == name
    assert fingerprint(obj) == before


def test_another_bake_starts_from_the_source_and_replaces_its_own_result() -> None:
    obj = baked()
    pass_through(bpy.context, obj)
    assert obj.heft.source_action.name == SOURCE
    assert sorted(action.name for action in bpy.data.actions) == [SOURCE, RESULT]


def test_a_result_that_was_changed_is_kept_and_told() -> None:
    obj = baked()
    edit(obj.heft.baked_action)
    changed = obj.heft.baked_action
    pass_through(bpy.context, obj)
    assert changed.use_fake_user and obj.heft.baked_action != changed
    assert obj.heft.source_action.name == SOURCE
    assert any("was changed after it was baked" in note.text for note in obj.heft.outcome.notes)


def test_a_result_that_is_used_elsewhere_stays() -> None:
    obj = baked()
    used = obj.heft.baked_action
    other = humanoid()
    other.animation_data_create().action = used
    bpy.context.view_layer.objects.active = obj
    pass_through(bpy.context, obj)
    assert other.animation_data.action == used and not used.use_fake_user


def test_discard_goes_back_and_removes_the_result(tmp_path: Path) -> None:
    obj = baked()
    assert bpy.ops.heft.discard_result() == {"FINISHED"}
    assert shown(obj) == SOURCE
    assert [action.name for action in bpy.data.actions] == [SOURCE]
    assert obj.heft_overlay.data is None and not obj.heft.outcome.present
    assert not bpy.ops.heft.toggle_source.poll()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "x.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "x.blend"))
    assert [action.name for action in bpy.data.actions] == [SOURCE]


def test_discard_keeps_a_result_that_was_changed() -> None:
    obj = baked()
    edit(obj.heft.baked_action)
    assert bpy.ops.heft.discard_result() == {"FINISHED"}
    assert shown(obj) == SOURCE and bpy.data.actions[RESULT].use_fake_user


def test_apply_keeps_the_result_and_the_source(tmp_path: Path) -> None:
    obj = baked()
    bpy.ops.heft.toggle_source()
    assert bpy.ops.heft.apply_result() == {"FINISHED"}
    assert shown(obj) == RESULT and obj.heft.baked_action is None
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "x.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "x.blend"))
    assert sorted(action.name for action in bpy.data.actions) == [SOURCE, RESULT]
    obj = bpy.data.objects["Figure"]
    bpy.context.view_layer.objects.active = obj
    pass_through(bpy.context, obj)
    assert obj.heft.source_action.name == RESULT, "an applied result is a source like any other"


def height(obj: Object) -> float:
    bpy.context.view_layer.update()
    bpy.context.scene.frame_set(7)
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return float((evaluated.matrix_world @ evaluated.pose.bones["Hips"].head).z)


def test_the_slider_mixes_source_and_result_and_leaves_nothing_behind() -> None:
    obj = baked()
    tilt(obj, 0.4)
    bpy.ops.heft.toggle_source()
    source, found = height(obj), []
    bpy.ops.heft.toggle_source()
    whole, before = height(obj), fingerprint(obj)
    for share in (0.0, 0.25, 0.5):
        obj.heft_compare.share = share
        found.append(height(obj))
    assert np.array(found) == pytest.approx(source + (whole - source) * np.array([0.0, 0.25, 0.5]), abs=1e-4)
    assert len(obj.animation_data.nla_tracks) == 1
    obj.heft_compare.share = 1.0
    assert height(obj) == pytest.approx(whole, abs=1e-6)
    assert fingerprint(obj) == before


def pose_at(frame: int) -> np.ndarray:
    bpy.context.scene.frame_set(frame)
    return np.array([bone.matrix for bone in bpy.context.object.pose.bones])


def turned_over(values: np.ndarray) -> np.ndarray:
    """The other quaternion, or angle and axis, of the same rotations."""
    return -values


def turns_more(values: np.ndarray) -> np.ndarray:
    return values + [2.0 * np.pi, -4.0 * np.pi, 0.0]


def other_angles(values: np.ndarray) -> np.ndarray:
    """The second triple of XYZ angles of the same rotations."""
    return np.array([1.0, -1.0, 1.0]) * values + np.pi


def more_about_the_axis(values: np.ndarray) -> np.ndarray:
    return turned_over(values) + [4.0 * np.pi, 0.0, 0.0, 0.0]


def rewrite(obj: Object, how: Callable[[np.ndarray], np.ndarray]) -> None:
    """Let the keys of all rotations say the same with other channels, on straight lines."""
    curves: dict[str, list[Any]] = {}
    for curve in compat.curves_of(compat.action_of(obj)):
        if "rotation" in curve.data_path:
            curves.setdefault(curve.data_path, []).append(curve)
    for own in curves.values():
        own.sort(key=lambda curve: curve.array_index)
        values = how(np.array([[key.co[1] for key in curve.keyframe_points] for curve in own]).T)
        for curve, column in zip(own, values.T, strict=True):
            for key, value in zip(curve.keyframe_points, column, strict=True):
                key.co[1] = value
                key.interpolation = "LINEAR"
            curve.update()


@pytest.mark.parametrize(
    ("mode", "how", "keys"),
    [
        ("QUATERNION", turned_over, "EVERY"),
        ("QUATERNION", turned_over, "FEW"),
        ("XYZ", turns_more, "EVERY"),
        ("XYZ", other_angles, "EVERY"),
        ("ZXY", turns_more, "EVERY"),
        ("AXIS_ANGLE", turned_over, "EVERY"),
        ("AXIS_ANGLE", more_about_the_axis, "EVERY"),
    ],
)
def test_a_result_mixes_with_its_source_however_that_writes_its_rotations(
    mode: str, how: Callable[[np.ndarray], np.ndarray], keys: str
) -> None:
    """A result that is its source, mixed with it, is what it was; few keys may be off by 0.5 degrees."""
    obj = humanoid()
    animate(obj, mode=mode)
    rewrite(obj, lambda values: values)
    before = pose_at(9)
    rewrite(obj, how)
    assert pose_at(9) == pytest.approx(before, abs=1e-4), "only the channels are others"
    obj.heft_keys.mode = keys
    pass_through(bpy.context, obj)
    obj.heft_compare.share = 0.5
    tolerance = 2e-3 if keys == "EVERY" else 1e-2
    for frame in (1, 9, 20):
        mixed = pose_at(frame)
        obj.heft_compare.share = 0.0
        assert mixed == pytest.approx(pose_at(frame), abs=tolerance), frame
        obj.heft_compare.share = 0.5


def test_a_source_that_jumps_is_followed_on_the_whole_and_not_into_the_jump() -> None:
    wave = 0.3 * np.sin(0.3 * np.arange(20.0))
    angles = np.column_stack([wave, 0.5 * wave, 0.1 - wave])
    turns = own_rotation(angles, "XYZ")
    source = angles + np.where(np.arange(20) < 15, 4.0 * np.pi, 0.0)[:, None]
    for given in (source, source[::-1]):
        property_name, found = rotation_channels(turns[:: 1 if given is source else -1], "XYZ", given)
        assert property_name == "rotation_euler"
        wanted = angles[:: 1 if given is source else -1] + 4.0 * np.pi
        assert found == pytest.approx(wanted, abs=1e-5)


def test_simulating_a_mix_starts_from_the_source_alone() -> None:
    obj = baked()
    tilt(obj, 0.4)
    bpy.ops.heft.toggle_source()
    wanted = height(obj)
    bpy.ops.heft.toggle_source()
    obj.heft_compare.share = 0.5
    pass_through(bpy.context, obj)
    assert height(obj) == pytest.approx(wanted, abs=1e-3)
    assert len(obj.animation_data.nla_tracks) == 0


def test_the_nla_can_be_a_source_to_go_back_to() -> None:
    obj = humanoid()
    animate(obj)
    action = obj.animation_data.action
    strip = obj.animation_data.nla_tracks.new().strips.new("walk", 1, action)
    if compat.has_slots():
        strip.action_slot = action.slots[0]
    obj.animation_data.action = None
    pass_through(bpy.context, obj)
    bpy.ops.heft.toggle_source()
    assert obj.animation_data.action is None
    bpy.ops.heft.toggle_source()
    assert obj.animation_data.action is not None


def test_a_result_is_told_as_that_of_another_action_while_another_one_is_shown() -> None:
    obj = baked()
    assert result_of_another_action(obj) == ""
    assert bpy.ops.heft.toggle_source() == {"FINISHED"}
    assert result_of_another_action(obj) == ""
    obj.animation_data.action = bpy.data.actions.new("other")
    animate(obj)
    assert result_of_another_action(obj) == SOURCE
