"""Source -> character -> action with simulation off gives the source back."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import bpy
import pytest
from bpy.types import Object
from heft.sim_core.bake.pipeline import bake
from heft.sim_core.scenario.settings import BakeSettings

from tests.blender.at_once import finish_bakes
from tests.blender.rigs import (
    LAST_FRAME,
    animate,
    fingerprint,
    humanoid,
    import_bvh,
    import_gltf,
    pass_through,
    prepare,
    scaled,
    swing_bones,
    worst_difference,
)

MAX_DEG = 0.1
MAX_M = 1e-3

pytestmark = pytest.mark.usefixtures("heft_registered")

CHARACTERS = ("CesiumMan", "RiggedFigure", "KayKit_Knight", "RobotExpressive")
CAPTURES = (
    ("cmu/02_01", 0.056444, "NATIVE"),
    ("cmu/13_11", 0.056444, "QUATERNION"),
    ("cmu/05_02", 0.056444, "XYZ"),
    ("makehuman/walk1", 0.1, "NATIVE"),
    ("misc/pirouette", 0.01, "ZYX"),
)


def assert_returns_to_source(obj: Object, last: int | None = None) -> None:
    before = fingerprint(obj)
    prepared, report = pass_through(bpy.context, obj, last)
    angle, distance = worst_difference(bpy.context, obj, prepared)
    assert angle < MAX_DEG
    assert distance < MAX_M
    assert not any("hold" in note for note in report.notes)
    assert obj.animation_data.action.name == report.action_name
    assert fingerprint(obj, skip_actions=(report.action_name,)) == before


@pytest.mark.parametrize("name", CHARACTERS)
def test_characters(name: str, shared_data: Path) -> None:
    assert_returns_to_source(import_gltf(shared_data / "characters" / f"{name}.glb"), last=40)


@pytest.mark.parametrize(("name", "unit", "mode"), CAPTURES)
def test_captures(name: str, unit: float, mode: str, shared_data: Path) -> None:
    assert_returns_to_source(import_bvh(shared_data / "bvh" / f"{name}.bvh", unit, mode), last=150)


@pytest.mark.parametrize("kind", ["human", "basic"])
@pytest.mark.skipif(bpy.app.version < (5, 0), reason="the file was saved by Blender 5.0")
def test_rigify_metarigs(kind: str, shared_data: Path) -> None:
    bpy.ops.wm.open_mainfile(filepath=str(shared_data / "characters" / "rigify_metarigs.blend"))
    armatures = sorted(
        (o for o in bpy.context.view_layer.objects if o.type == "ARMATURE"), key=lambda o: len(o.data.bones)
    )
    obj = armatures[0] if kind == "basic" else armatures[-1]
    swing_bones(obj)
    assert_returns_to_source(obj)


def turned(obj: Object) -> None:
    obj.rotation_euler = (0.0, 0.0, 0.7)
    obj.location = (3.0, -2.0, 0.1)


def parented(obj: Object) -> None:
    parent = bpy.data.objects.new("Parent", None)
    bpy.context.scene.collection.objects.link(parent)
    parent.location, parent.rotation_euler, parent.scale = (1.0, 2.0, 0.0), (0.0, 0.0, -1.1), (0.5, 0.5, 0.5)
    obj.parent = parent
    obj.scale = (2.0, 2.0, 2.0)


def in_centimetres(obj: Object) -> None:
    bpy.context.scene.unit_settings.scale_length = 0.01
    obj.scale = (100.0, 100.0, 100.0)


@pytest.mark.parametrize("place", [scaled, turned, parented, in_centimetres])
@pytest.mark.parametrize("carrier", ["Hips", "Root", "object"])
def test_any_placement_and_carrier(place: Callable[[Object], None], carrier: str) -> None:
    obj = humanoid(root_bone=carrier == "Root")
    animate(obj, carrier)
    place(obj)
    bpy.context.view_layer.update()
    assert_returns_to_source(obj)


@pytest.mark.parametrize("mode", ["XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX", "AXIS_ANGLE"])
def test_rotation_modes_stay(mode: str) -> None:
    obj = humanoid()
    animate(obj, "Hips", mode)
    assert_returns_to_source(obj)
    assert {bone.rotation_mode for bone in obj.pose.bones} == {mode}


@pytest.mark.parametrize("scale_mode", ["FULL", "FIX_SHEAR", "ALIGNED", "AVERAGE", "NONE", "NONE_LEGACY"])
@pytest.mark.parametrize("inherit_rotation", [True, False])
def test_inheritance_settings(scale_mode: str, inherit_rotation: bool) -> None:
    obj = humanoid(root_bone=True)
    animate(obj, "Root")
    for name in ("Chest", "UpperArm.L", "Head"):
        obj.data.bones[name].inherit_scale = scale_mode
        obj.data.bones[name].use_inherit_rotation = inherit_rotation
    obj.data.bones["Hips"].use_local_location = False
    obj.pose.bones["Root"].scale = (1.2, 1.2, 1.2)
    obj.pose.bones["Spine"].scale = (1.0, 1.1, 1.0)
    assert_returns_to_source(obj)


def test_nla_source_gets_an_action_of_the_simulated_bones() -> None:
    obj = humanoid()
    animate(obj)
    action = obj.animation_data.action
    track = obj.animation_data.nla_tracks.new()
    track.strips.new("walk", 1, action)
    obj.animation_data.action = None
    assert_returns_to_source(obj)
    assert math.isclose(obj.animation_data.action.frame_range[1], LAST_FRAME, abs_tol=1.0)


def test_a_longer_result_becomes_a_longer_action() -> None:
    """As that of a character that got up: its first half was read, and all of it comes back."""
    obj = humanoid()
    animate(obj, "Hips")
    settings = BakeSettings(simulate=False)
    whole = prepare(bpy.context, obj, settings)
    half = prepare(bpy.context, obj, settings, LAST_FRAME // 2)
    report = finish_bakes(bpy.context, [half], [bake(whole.job)])[0]
    angle, distance = worst_difference(bpy.context, obj, whole)
    assert angle < MAX_DEG
    assert distance < MAX_M
    assert bpy.data.actions[report.action_name].frame_range[1] == whole.sampled.frame[-1]
