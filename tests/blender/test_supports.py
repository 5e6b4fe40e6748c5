"""Find Supports adds what a motion was captured on as objects that the next simulation stands on."""

from __future__ import annotations

import bpy
import pytest
from bpy.types import Object
from heft.addon.blender import compat
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
    reading = sample_scene(bpy.context, 1, LAST, bpy.context.scene.render.fps)
    while True:
        try:
            next(reading)
        except StopIteration as done:
            return done.value


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
