"""Find Supports adds what a motion was captured on as objects that the next simulation stands on."""

from __future__ import annotations

import bpy
import pytest
from bpy.types import Object
from heft.addon.blender import compat
from heft.addon.blender.steps import run_all
from heft.addon.reading.scene_reader import sample_scene
from heft.sim_core.scene.scene import Role, Scene
from heft.sim_core.scene.shapes import Box

from tests.blender.rigs import humanoid

pytestmark = pytest.mark.usefixtures("heft_registered")
LAST = 60


def hopping(rise: float, ahead: float = 0.5) -> Object:
    """A figure that stands, is moved up by so much and stands again; its hips have keys, too."""
    obj = humanoid()
    for frame, share in ((1, 0.0), (20, 0.0), (32, 1.0), (LAST, 1.0)):
        obj.location = (0.0, -ahead * share, rise * share)
        obj.keyframe_insert("location", frame=frame)
        obj.pose.bones["Hips"].keyframe_insert("location", frame=frame)
    return obj


def read_scene() -> Scene:
    bpy.context.view_layer.update()
    return run_all(sample_scene(bpy.context, 1, LAST, bpy.context.scene.render.fps))


@pytest.mark.parametrize("scale_length", [1.0, 0.5])
def test_supports_are_objects_of_a_collection_with_their_role(scale_length: float) -> None:
    bpy.context.scene.unit_settings.scale_length = scale_length
    obj = hopping(0.25 / scale_length, 0.5 / scale_length)
    if scale_length != 1.0:
        obj.scale = [1.0 / scale_length] * 3
    keys = len(compat.curves_of(compat.action_of(obj)))
    assert bpy.ops.heft.find_supports() == {"FINISHED"}
    (step,) = bpy.data.collections["Supports of Figure"].objects
    assert step.heft_object.role == "GROUND" and step.heft_object.captured
    assert len(compat.curves_of(compat.action_of(obj))) == keys
    (read,) = read_scene().objects
    assert read.role is Role.GROUND and read.captured and isinstance(read.shape, Box)
    assert 2.0 * read.shape.half_size[2] == pytest.approx(0.25, abs=0.01)


def test_nothing_is_added_where_the_floor_carries() -> None:
    hopping(0.0)
    assert bpy.ops.heft.find_supports() == {"FINISHED"}
    assert not bpy.data.collections and not read_scene().objects


def test_supports_are_not_added_twice() -> None:
    hopping(0.25)
    bpy.ops.heft.find_supports()
    with pytest.raises(RuntimeError, match="already has supports"):
        bpy.ops.heft.find_supports()
    assert len(bpy.data.collections) == 1


def test_a_floor_of_its_own_height_reaches_the_job() -> None:
    bpy.context.scene.unit_settings.scale_length = 0.5
    around = bpy.context.scene.heft_surroundings
    around.floor_height = -0.4
    assert read_scene().floor_height is None
    around.own_floor = True
    assert read_scene().floor_height == pytest.approx(-0.2)


def test_a_fall_on_nothing_offers_the_support() -> None:
    obj = hopping(0.6)
    obj.heft.quality = "draft"
    assert bpy.ops.heft.simulate() == {"FINISHED"}
    outcome = obj.heft.outcome
    assert outcome.fell and outcome.misses_support
    assert outcome.cause.startswith("From frame ") and outcome.cause.endswith("above the floor: add a step?")


def block(name: str, centre: tuple[float, float, float], half: float, role: str = "NONE") -> Object:
    """A cube in the scene, with or without a role."""
    mesh = bpy.data.meshes.new(name)
    corners = [(x, y, z) for x in (-half, half) for y in (-half, half) for z in (-half, half)]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    mesh.from_pydata(corners, [], faces)
    obj = bpy.data.objects.new(name, mesh)
    obj.location = centre
    obj.heft_object.role = role
    bpy.context.scene.collection.objects.link(obj)
    bpy.context.view_layer.update()
    return obj


@pytest.mark.parametrize("role", ["NONE", "OBSTACLE"])
def test_an_object_of_the_scene_is_used_and_met(role: str) -> None:
    """A box of 50 cm stands where the figure lands, 2 cm lower; it ends 11 cm before the captured one."""
    obj = hopping(0.27)
    bpy.ops.heft.find_supports()
    (found,) = bpy.data.collections["Supports of Figure"].objects
    middle, half = found.location.copy(), found.dimensions / 2.0
    bpy.data.objects.remove(found)
    start = obj.matrix_world.translation.copy()
    box = block("Crate", (middle.x, middle.y + 0.25 - half.y + 0.11, 0.0), 0.25, role)
    far = block("Far", (9.0, 9.0, 0.0), 0.25)
    bpy.context.view_layer.objects.active = obj
    assert bpy.ops.heft.find_supports() == {"FINISHED"}
    assert len(bpy.data.meshes) == 2 + 1, "no object is added; the removed one's mesh is left"
    assert box.heft_object.captured and not far.heft_object.captured
    assert box.heft_object.role == ("GROUND" if role == "NONE" else role) and far.heft_object.role == "NONE"
    bpy.context.view_layer.update()
    moved = obj.matrix_world.translation - start
    assert 0.01 < moved.length <= 0.1 and abs(moved.z) < 1e-6
    assert tuple(obj.delta_location) == pytest.approx(tuple(moved), abs=1e-5)


def test_parts_of_characters_and_animated_objects_are_no_supports() -> None:
    obj = hopping(0.25)
    skin = block("Skin", (0.0, -0.5, 0.0), 0.25)
    skin.parent = obj
    cart = block("Cart", (0.0, -0.5, 0.0), 0.25)
    cart.keyframe_insert("location", frame=1)
    bpy.context.view_layer.objects.active = obj
    assert bpy.ops.heft.find_supports() == {"FINISHED"}
    assert not skin.heft_object.captured and not cart.heft_object.captured
    assert len(bpy.data.collections["Supports of Figure"].objects) == 1
