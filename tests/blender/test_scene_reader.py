"""Objects of the scene reach the job: roles, shapes, positions and motions, at any scale and with parents."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import bmesh
import bpy
import numpy as np
import pytest
from bpy.types import Object
from heft.addon.blender.steps import run_all
from heft.addon.reading.scene_reader import sample_scene, surroundings
from heft.sim_core.bake.pipeline import bake
from heft.sim_core.base import rotations
from heft.sim_core.base.errors import InputError
from heft.sim_core.scenario.settings import BakeSettings
from heft.sim_core.scene.scene import Passing, Role, Scene, SceneObject
from heft.sim_core.scene.shapes import Box, HeightField, Hull, Sphere
from mathutils import Vector

from tests.blender.at_once import finish_bakes
from tests.blender.rigs import animate, humanoid, prepare

pytestmark = pytest.mark.usefixtures("heft_registered")


def cube(name: str = "Cube", role: str = "NONE") -> Object:
    """Of 2 units, at the origin."""
    mesh = bpy.data.meshes.new(name)
    made = bmesh.new()
    bmesh.ops.create_cube(made, size=2.0)
    made.to_mesh(mesh)
    made.free()
    return linked(name, mesh, role)


def linked(name: str, mesh: bpy.types.Mesh, role: str) -> Object:
    obj = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(obj)
    obj.heft_object.role = role
    return obj


def read(first: int = 1, last: int = 10) -> Scene:
    bpy.context.view_layer.update()
    return run_all(sample_scene(bpy.context, first, last, bpy.context.scene.render.fps))


def only() -> SceneObject:
    (read_object,) = read().objects
    return read_object


def test_a_scene_without_roles_is_flat() -> None:
    cube()
    assert read().objects == ()


@pytest.mark.parametrize(("chosen", "floor"), [("AUTO", None), ("ON", True), ("OFF", False)])
@pytest.mark.parametrize("role", ["GROUND", "NONE"])
def test_the_floor_is_the_users_choice(chosen: str, floor: bool | None, role: str) -> None:
    cube("Stage", role)
    bpy.context.scene.heft_surroundings.floor = chosen
    assert read().floor is floor


def test_a_scaled_and_turned_box_under_a_parent_keeps_its_place_in_metres() -> None:
    bpy.context.scene.unit_settings.scale_length = 0.5
    obj, parent = cube("Step", "OBSTACLE"), bpy.data.objects.new("Parent", None)
    bpy.context.scene.collection.objects.link(parent)
    parent.location, parent.scale = (1.0, 2.0, 3.0), (2.0, 2.0, 2.0)
    parent.rotation_euler = (0.0, 0.0, math.pi / 2)
    obj.parent, obj.location, obj.scale = parent, (1.0, 0.0, 0.0), (1.0, 0.5, 0.25)
    read_object = only()
    assert read_object.role is Role.OBSTACLE
    assert isinstance(read_object.shape, Box)
    assert read_object.shape.half_size == pytest.approx([1.0, 0.5, 0.25], abs=1e-6)
    assert read_object.position == pytest.approx([0.5, 2.0, 1.5], abs=1e-6)
    assert read_object.quaternion == pytest.approx([math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5)], abs=1e-6)


def test_a_bar_to_hold_on_to_is_read_with_its_role() -> None:
    obj = cube("Bar", "HOLD")
    obj.scale = (0.02, 0.5, 0.02)
    assert only().role is Role.HOLD and isinstance(only().shape, Box) and not only().captured


def test_how_a_walk_passes_an_object_is_the_users_choice() -> None:
    obj = cube("Box", "OBSTACLE")
    assert (only().passing, only().comes_back) == (Passing.AUTO, True)
    obj.heft_object.passing, obj.heft_object.comes_back = "AROUND", False
    assert (only().passing, only().comes_back) == (Passing.AROUND, False)


def test_modifiers_count() -> None:
    obj = cube("Wall", "OBSTACLE")
    array = obj.modifiers.new("Array", "ARRAY")
    array.count, array.relative_offset_displace = 3, (1.0, 0.0, 0.0)
    obj.heft_object.shape = "BOX"
    read_object = only()
    assert isinstance(read_object.shape, Box)
    assert read_object.shape.half_size == pytest.approx([3.0, 1.0, 1.0], abs=1e-6)
    assert read_object.position == pytest.approx([2.0, 0.0, 0.0], abs=1e-6)


def test_balls_sheets_and_hills_get_shapes_of_their_own() -> None:
    ball, sheet, hill = (bpy.data.meshes.new(n) for n in ("Ball", "Sheet", "Hill"))
    fills: tuple[tuple[Any, Callable[[Any], object]], ...] = (
        (ball, lambda m: bmesh.ops.create_icosphere(m, subdivisions=3, radius=0.5)),
        (sheet, lambda m: bmesh.ops.create_grid(m, x_segments=4, y_segments=4, size=2.0)),
        (hill, lambda m: bmesh.ops.create_grid(m, x_segments=20, y_segments=20, size=2.0)),
    )
    for mesh, fill in fills:
        made = bmesh.new()
        fill(made)
        if mesh is hill:
            for vertex in made.verts:
                vertex.co.z = 0.2 * math.sin(vertex.co.x)
        made.to_mesh(mesh)
        made.free()
        linked(mesh.name, mesh, "GROUND")
    shapes = {read_object.name: read_object for read_object in read().objects}
    assert isinstance(shapes["Ball"].shape, Sphere) and shapes["Ball"].shape.radius == pytest.approx(
        0.5, rel=0.01
    )
    slab = shapes["Sheet"].shape
    assert isinstance(slab, Hull)
    assert slab.vertices[:, 2].max() == pytest.approx(0.0) and slab.vertices[:, 2].min() < -0.1
    field = shapes["Hill"].shape
    assert isinstance(field, HeightField)
    x = np.linspace(-2.0, 2.0, field.heights.shape[1])
    assert field.heights == pytest.approx(np.tile(0.2 * np.sin(x), (len(field.heights), 1)), abs=0.01)


def test_an_animated_object_brings_its_motion_on_the_characters_own_time() -> None:
    obj = cube("Platform", "MOVING")
    obj.location = (0.0, 0.0, 0.0)
    obj.keyframe_insert("location", frame=1)
    obj.location = (2.0, 0.0, 0.0)
    obj.keyframe_insert("location", frame=11)
    bpy.context.scene.render.fps = 25
    before = bpy.context.scene.frame_current
    (read_object,) = read(3, 9).objects
    assert read_object.keys is not None
    assert read_object.keys.time == pytest.approx(np.arange(3, 10) / 25.0)
    bpy.context.scene.frame_set(6)
    assert read_object.keys.position[3] == pytest.approx(np.array(obj.matrix_world.translation), abs=1e-6)
    bpy.context.scene.frame_set(before)


def test_a_seesaw_turns_about_its_own_axis() -> None:
    obj = cube("Board", "HINGE")
    obj.scale, obj.location = (1.5, 0.3, 0.02), (0.0, 0.0, 0.2)
    chosen = obj.heft_object
    chosen.hinge_axis, chosen.mass = "Y", 25.0
    chosen.hinge_low, chosen.hinge_high, chosen.hinge_damping = -0.05, 0.15, 40.0
    read_object = only()
    assert read_object.hinge is not None
    assert read_object.hinge.axis == pytest.approx([0.0, 1.0, 0.0])
    assert (read_object.mass, read_object.hinge.damping) == (25.0, 40.0)
    assert (read_object.hinge.low, read_object.hinge.high) == pytest.approx((-0.05, 0.15))


def test_rigid_bodies_need_no_second_set_up() -> None:
    floor, stone, loose = cube("Floor"), cube("Stone"), cube("Loose")
    floor.scale, stone.scale = (5.0, 5.0, 0.1), (0.2, 0.2, 0.2)
    bpy.context.view_layer.update()
    for obj, kind in ((floor, "PASSIVE"), (stone, "PASSIVE"), (loose, "ACTIVE")):
        with bpy.context.temp_override(object=obj, active_object=obj, selected_objects=[obj]):
            bpy.ops.rigidbody.object_add(type=kind)
    stone.rigid_body.friction, stone.rigid_body.collision_shape = 0.3, "SPHERE"
    found = {read_object.name: read_object for read_object in read().objects}
    assert found["Loose"].role is Role.PROP
    assert (found["Floor"].role, found["Stone"].role) == (Role.GROUND, Role.OBSTACLE)
    assert isinstance(found["Stone"].shape, Sphere)
    assert found["Stone"].friction == pytest.approx(0.3)


def test_hidden_objects_are_left_out_and_broken_ones_are_named() -> None:
    hidden = cube("Hidden", "GROUND")
    hidden.hide_set(True)
    assert surroundings(bpy.context) == []
    flat = cube("Broken", "GROUND")
    flat.scale = (0.0, 1.0, 1.0)
    with pytest.raises(InputError, match="'Broken' is scaled to zero"):
        read()


def test_roles_are_set_on_the_selection_and_reach_the_job() -> None:
    figure = humanoid()
    animate(figure)
    ground = cube("Ground")
    ground.scale, ground.location = (20.0, 20.0, 0.5), (0.0, 0.0, -0.5)
    bpy.ops.object.select_all(action="DESELECT")
    assert not bpy.ops.heft.set_role.poll()
    ground.select_set(True)
    assert bpy.ops.heft.set_role(role="GROUND") == {"FINISHED"}
    assert ground.heft_object.role == "GROUND"
    job = prepare(bpy.context, figure, BakeSettings(), last=6).job
    assert [(read_object.name, read_object.role) for read_object in job.scene.objects] == [
        ("Ground", Role.GROUND)
    ]
    assert Vector(job.scene.objects[0].position) == Vector((0.0, 0.0, -0.5))


def test_what_the_character_tips_comes_back_as_keys_of_its_own() -> None:
    """The board turns by 0.2 rad about its axis; it has a parent, a scale and old keys."""
    figure, board, parent = humanoid(), cube("Board", "HINGE"), bpy.data.objects.new("Parent", None)
    animate(figure)
    bpy.context.scene.collection.objects.link(parent)
    parent.location, parent.rotation_euler = (0.5, 0.0, 0.0), (0.0, 0.0, math.pi / 2)
    board.parent, board.scale, board.location = parent, (1.5, 0.3, 0.02), (0.0, 0.0, 0.4)
    board.heft_object.hinge_axis = "Y"
    board.keyframe_insert("location", frame=1)
    before = board.animation_data.action
    prepared = prepare(bpy.context, figure, BakeSettings(simulate=False), last=6)
    (read_object,) = prepared.job.scene.objects
    result = bake(prepared.job)
    share = np.linspace(0.0, 1.0, len(result.time))
    turn = rotations.from_vector(np.outer(0.2 * share, read_object.hinge.axis))
    result = replace(
        result,
        prop_name=np.array(["Board"]),
        prop_position=np.tile(read_object.position, (len(share), 1, 1)),
        prop_quaternion=rotations.multiply(read_object.quaternion, turn)[:, None],
    )
    scene, start = bpy.context.scene, board.matrix_world.copy()
    finish_bakes(bpy.context, [prepared], [result])
    assert board.animation_data.action is not before and before.use_fake_user
    scene.frame_set(1)
    assert np.array(board.matrix_world) == pytest.approx(np.array(start), abs=1e-5)
    scene.frame_set(6)
    last = np.array(board.matrix_world)
    own = np.array(start)[:3, :3]
    wanted = rotations.to_matrix(rotations.from_vector(0.2 * own[:, 1] / np.linalg.norm(own[:, 1]))) @ own
    assert last[:3, :3] == pytest.approx(wanted, abs=1e-4)
    assert last[:3, 3] == pytest.approx(np.array(start)[:3, 3], abs=1e-5)
