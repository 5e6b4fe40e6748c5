"""Walk Along: a curve or a keyed empty becomes a simulated walk in a new action, and all else stays."""

from __future__ import annotations

from importlib import import_module

import bpy
import numpy as np
import pytest
from bpy.types import Object
from heft.addon.reading.ground_path import path_points
from heft.sim_core.base.errors import InputError

from tests.blender.rigs import animate, fingerprint, humanoid
from tools.demo.body import Body
from tools.demo.mannequin import FPS, build_mannequin, write_action
from tools.demo.motions import make

pytestmark = pytest.mark.usefixtures("heft_registered")
AWAY_M = 0.35
"""How far the hips may be from the way, on average [m]: a clip that walks straight is bent onto it."""


def curve_through(points: list[tuple[float, float, float]]) -> Object:
    data = bpy.data.curves.new("Way", "CURVE")
    data.dimensions, data.bevel_depth = "3D", 0.05
    spline = data.splines.new("POLY")
    spline.points.add(len(points) - 1)
    for own, place in zip(spline.points, points, strict=True):
        own.co = (*place, 1.0)
    obj = bpy.data.objects.new("Way", data)
    bpy.context.scene.collection.objects.link(obj)
    return obj


def select(path: Object | None, rig: Object) -> None:
    bpy.context.view_layer.update()
    for obj in bpy.context.view_layer.objects:
        obj.select_set(obj in (path, rig))
    bpy.context.view_layer.objects.active = rig
    bpy.context.view_layer.update()


@pytest.fixture
def walker() -> Object:
    body = Body()
    rig = build_mannequin("Walker", body, "source")
    write_action(rig, "walk", make("walk", body), import_module("heft.addon.blender.compat"))
    bpy.context.scene.render.fps = FPS
    rig.heft.source_mode, rig.heft.quality = "SEQUENCE", "draft"
    bpy.context.view_layer.objects.active = rig
    assert bpy.ops.heft.clip_add(action="walk") == {"FINISHED"}
    return rig


def test_a_character_walks_along_a_curve(walker: Object) -> None:
    way = curve_through([(2.0, 0.0, 0.0), (2.0, -2.5, 0.0)])
    select(way, walker)
    before, curves = fingerprint(walker), len(bpy.data.curves)
    assert bpy.ops.heft.walk_along() == {"FINISHED"}
    made = walker.animation_data.action
    assert made.name == "Walker_along_Way_heft"
    assert fingerprint(walker, skip_actions=(made.name,)) == before
    assert len(bpy.data.curves) == curves
    assert any("along the curve" in note.text for note in walker.heft.outcome.notes)
    start, end = (int(frame) for frame in made.frame_range)
    hips = [walked_to(walker, frame) for frame in range(start, end + 1, 5)]
    assert np.abs(np.array(hips)[:, 0] - 2.0).mean() < AWAY_M
    assert hips[0][1] - hips[-1][1] > 1.0, "it walks on along the curve"


def walked_to(rig: Object, frame: int) -> tuple[float, float, float]:
    bpy.context.scene.frame_set(frame)
    bpy.context.view_layer.update()
    return tuple(rig.matrix_world @ rig.pose.bones["hips"].head)


def test_a_way_is_read_from_splines_and_from_keys() -> None:
    way = curve_through([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (1.0, 1.0, 0.0)])
    way.location = (0.0, 3.0, 0.0)
    bpy.context.view_layer.update()
    expected = [(0.0, 3.0, 0.0), (1.0, 3.0, 0.0), (1.0, 4.0, 0.0)]
    np.testing.assert_allclose(path_points(bpy.context, way), expected, atol=1e-6)
    empty = bpy.data.objects.new("Guide", None)
    bpy.context.scene.collection.objects.link(empty)
    with pytest.raises(InputError, match="has no keys"):
        path_points(bpy.context, empty)
    for frame, x in ((1, 0.0), (11, 2.0)):
        empty.location = (x, 0.5, 0.0)
        empty.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_set(4)
    points = path_points(bpy.context, empty)
    assert bpy.context.scene.frame_current == 4
    assert len(points) == 11
    np.testing.assert_allclose(points[[0, -1]], [(0.0, 0.5, 0.0), (2.0, 0.5, 0.0)], atol=1e-6)


def test_what_cannot_be_walked_is_refused(walker: Object) -> None:
    select(None, walker)
    with pytest.raises(RuntimeError, match="select one curve"):
        bpy.ops.heft.walk_along()
    short = curve_through([(0.0, 0.0, 0.0), (0.1, 0.0, 0.0)])
    select(short, walker)
    before = fingerprint(walker)
    with pytest.raises(RuntimeError, match="draw one of at least"):
        bpy.ops.heft.walk_along()
    assert fingerprint(walker) == before
    walker.heft.sequence.clear()
    with pytest.raises(RuntimeError, match="list of actions is empty"):
        bpy.ops.heft.walk_along()


def test_actions_that_do_not_walk_are_refused() -> None:
    rig = humanoid()
    animate(rig, None)
    rig.heft.quality = "draft"
    select(curve_through([(0.0, 0.0, 0.0), (3.0, 0.0, 0.0)]), rig)
    before = fingerprint(rig)
    with pytest.raises(RuntimeError, match="add (clips|actions) that"):
        bpy.ops.heft.walk_along()
    assert fingerprint(rig) == before
