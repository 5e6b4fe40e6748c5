"""Things that fall and fly: from Blender's objects to the job, and back as keys of their own."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import bmesh
import bpy
import numpy as np
import pytest
from bpy.types import Object
from heft.addon.bake.bake_options import options_of
from heft.addon.blender import compat
from heft.panels.scene import HEFT_PT_scene_object
from heft.sim_core.bake.pipeline import bake
from heft.sim_core.base import rotations
from heft.sim_core.base.conventions import GRAVITY
from heft.sim_core.base.errors import InputError
from heft.sim_core.scenario.settings import BakeSettings
from heft.sim_core.scene.scene import Role
from heft.sim_core.scene.shapes import Box, Capsule, Compound, Cylinder, Hull, Sphere
from mathutils import Vector

from tests.blender.at_once import finish_bakes
from tests.blender.rigs import animate, humanoid, prepare
from tests.blender.test_scene_reader import cube, linked, only

pytestmark = pytest.mark.usefixtures("heft_registered")

STRAIGHT_M = 4e-4
"""How far a straight line between two samples is from a fall, g dt^2 / 8 at 60 Hz; and from the bounce."""


def make_rigid(obj: Object, kind: str = "ACTIVE") -> None:
    with bpy.context.temp_override(object=obj, active_object=obj, selected_objects=[obj]):
        bpy.ops.rigidbody.object_add(type=kind)


def test_a_prop_has_a_mass_or_a_density() -> None:
    obj = cube("Crate", "PROP")
    obj.scale, obj.location = (0.2, 0.3, 0.4), (1.0, 2.0, 0.4)
    obj.heft_object.mass, obj.heft_object.bounce, obj.heft_object.friction = 7.0, 0.25, 0.5
    read_object = only()
    assert (read_object.role, read_object.mass, read_object.density) == (Role.PROP, 7.0, 0.0)
    assert (read_object.bounce, read_object.friction) == (0.25, 0.5)
    assert isinstance(read_object.shape, Box) and read_object.shape.half_size == pytest.approx(
        [0.2, 0.3, 0.4]
    )
    obj.heft_object.weight, obj.heft_object.density = "DENSITY", 300.0
    read_object = only()
    assert (read_object.mass, read_object.density) == (0.0, 300.0)


def test_an_active_rigid_body_is_a_prop_with_blenders_own_settings() -> None:
    bpy.context.scene.unit_settings.scale_length = 0.5
    obj = cube("Crate")
    make_rigid(obj)
    body = obj.rigid_body
    body.mass, body.friction, body.restitution, body.collision_shape = 4.0, 0.3, 0.6, "SPHERE"
    body.use_margin, body.collision_margin = True, 0.02
    read_object = only()
    assert read_object.role is Role.PROP and isinstance(read_object.shape, Sphere)
    found = (read_object.mass, read_object.friction, read_object.bounce, read_object.margin)
    assert found == pytest.approx((4.0, 0.3, 0.6, 0.01))
    body.kinematic = True
    assert only().role is Role.MOVING


@pytest.mark.parametrize(
    ("chosen", "wanted"),
    [
        ("BOX", Box),
        ("SPHERE", Sphere),
        ("CAPSULE", Capsule),
        ("CYLINDER", Cylinder),
        ("CONE", Hull),
        ("CONVEX_HULL", Hull),
        ("MESH", Compound),
    ],
)
def test_every_collision_shape_of_blenders_is_understood(chosen: str, wanted: type) -> None:
    """On a mesh that would else be a hull: the cube with a corner pulled in."""
    obj = cube("Crate")
    obj.data.vertices[0].co *= 0.2
    make_rigid(obj)
    obj.rigid_body.collision_shape = chosen
    assert isinstance(only().shape, wanted)


def test_the_margin_counts_only_where_it_is_switched_on_and_heft_goes_first() -> None:
    obj = cube("Crate")
    make_rigid(obj)
    body = obj.rigid_body
    body.use_margin, body.collision_margin, body.restitution = False, 0.02, 1.0
    assert only().margin == 0.0
    assert only().bounce == pytest.approx(0.99), "Blender's 1 would never come to rest"
    obj.heft_object.role, obj.heft_object.mass, obj.heft_object.friction = "PROP", 3.0, 0.2
    body.mass, body.friction = 9.0, 0.9
    assert (only().mass, only().friction) == pytest.approx((3.0, 0.2))


def test_a_mesh_reaches_the_job_whole_and_is_not_taken_apart_in_blender() -> None:
    obj = cube("Crate", "PROP")
    obj.data.vertices[0].co *= 0.2
    assert isinstance(only().shape, Hull), "by itself it is a hull"
    obj.heft_object.shape = "MESH"
    shape = only().shape
    assert isinstance(shape, Compound) and shape.triangles.shape == (12, 3)
    assert "parts" not in vars(shape)


def test_a_projectile_has_a_launch() -> None:
    bpy.context.scene.render.fps = 25
    obj = cube("Ball", "PROJECTILE")
    obj.rotation_euler = (0.0, 0.0, np.pi / 2)
    chosen = obj.heft_object
    chosen.launch_frame, chosen.launch_speed, chosen.target_bone = 50, 12.0, "Head"
    launch = only().launch
    assert launch is not None and (launch.time, launch.speed, launch.target) == (2.0, 12.0, "Head")
    chosen.aim, chosen.launch_axis = "AXIS", "-X"
    launch = only().launch
    assert launch is not None and launch.target == ""
    assert launch.direction == pytest.approx([0.0, -1.0, 0.0], abs=1e-6)
    chosen.aim, chosen.target_bone = "BONE", ""
    with pytest.raises(InputError, match="'Ball' cannot be used: It is aimed at no bone"):
        only()


def test_sheets_and_collapsed_things_cannot_fall() -> None:
    obj = cube("Paper", "PROP")
    obj.scale = (1.0, 1.0, 0.0)
    with pytest.raises(InputError, match="'Paper' is scaled to zero"):
        only()
    bpy.data.objects.remove(obj)
    mesh, made = bpy.data.meshes.new("Sheet"), bmesh.new()
    bmesh.ops.create_grid(made, x_segments=4, y_segments=4, size=1.0)
    made.to_mesh(mesh)
    made.free()
    sheet = linked("Sheet", mesh, "PROP")
    with pytest.raises(InputError, match="'Sheet' cannot be used: It is a flat sheet"):
        only()
    sheet.modifiers.new("Solidify", "SOLIDIFY").thickness = 0.05
    assert isinstance(only().shape, (Box, Hull))


def test_a_mesh_that_is_no_solid_falls_as_its_hull() -> None:
    """Three faces on one edge, a hole and a loose vertex."""
    mesh = bpy.data.meshes.new("Fan")
    points = [(0, 0, 0), (0, 0, 1), (1, 0, 0), (-1, 0.5, 0), (0, -1, 0.3), (0.2, 0.4, 0.9)]
    mesh.from_pydata(points, [], [(0, 1, 2), (0, 1, 3), (0, 1, 4)])
    linked("Fan", mesh, "PROP")
    read_object = only()
    assert isinstance(read_object.shape, Hull)
    assert read_object.shape.vertices == pytest.approx(np.array(points))


def test_what_happens_to_props_comes_back_as_keys_with_the_old_actions_kept() -> None:
    """The crate flies off and tumbles; it is a rigid body, whose own simulation must not win."""
    figure, crate, ball = humanoid(), cube("Crate"), cube("Ball", "PROJECTILE")
    animate(figure)
    crate.scale, crate.location, ball.location = (0.2, 0.2, 0.2), (3.0, 0.0, 0.2), (-30.0, 0.0, 50.0)
    crate.rotation_mode = "QUATERNION"
    make_rigid(crate)
    crate.keyframe_insert("location", frame=1)
    before = crate.animation_data.action
    ball.heft_object.aim, ball.heft_object.launch_frame = "AXIS", 2
    prepared = prepare(bpy.context, figure, BakeSettings(simulate=False), last=6)
    result = bake(prepared.job)
    share = np.linspace(0.0, 1.0, len(result.time))[:, None]
    read_objects = {o.name: o for o in prepared.job.scene.objects}
    names = ["Crate", "Ball"]
    start = np.array([read_objects[name].position for name in names])
    displacement, turn = np.array([1.0, 2.0, 0.5]), rotations.from_vector(share * [0.3, 0.4, 1.2])
    result = replace(
        result,
        prop_name=np.array(names),
        prop_position=start + share[:, None] * displacement,
        prop_quaternion=np.stack(
            [rotations.multiply(turn, read_objects[n].quaternion) for n in names], axis=1
        ),
    )
    (report,) = finish_bakes(bpy.context, [prepared], [result])
    assert crate.animation_data.action is not before and before.use_fake_user
    assert ball.animation_data.action is not None
    assert crate.rigid_body.kinematic and any("'Crate'" in note for note in report.notes)
    bpy.context.scene.frame_set(6)
    assert np.array(crate.matrix_world.translation) == pytest.approx(start[0] + displacement, abs=1e-4)
    assert np.array(ball.matrix_world.translation) == pytest.approx(start[1] + displacement, abs=1e-4)
    wanted = rotations.to_matrix(rotations.from_vector(np.array([0.3, 0.4, 1.2])))
    assert np.array(crate.matrix_world)[:3, :3] / 0.2 == pytest.approx(wanted, abs=1e-4)
    bpy.context.scene.frame_set(1)
    again = prepare(bpy.context, figure, BakeSettings(simulate=False), last=6).job.scene.objects
    assert {o.name: o.role for o in again} == {"Crate": Role.PROP, "Ball": Role.PROJECTILE}
    assert next(o for o in again if o.name == "Crate").position == pytest.approx(start[0], abs=1e-5)


def bounced(time: np.ndarray, bounce_at: float) -> tuple[np.ndarray, np.ndarray]:
    """A fall from 1.2 m that tumbles, with half of its speed back at a time (T, 3) [m], (T, 4)."""
    before, after = np.minimum(time, bounce_at), np.maximum(time - bounce_at, 0.0)
    speed = GRAVITY * bounce_at
    height = 1.2 - 0.5 * GRAVITY * before**2 + 0.5 * speed * after - 0.5 * GRAVITY * after**2
    path = np.column_stack([0.8 * time, 0.1 * time, height])
    return path, rotations.from_vector(np.outer(2.0 * before - 3.0 * after, [0.6, 0.0, 0.8]))


def test_few_keys_of_props_stay_within_limits_to_their_corners_and_keep_the_bounce() -> None:
    figure, crate = humanoid(), cube("Crate", "PROP")
    animate(figure)
    crate.scale, crate.rotation_mode = (0.4, 0.2, 0.1), "QUATERNION"
    figure.heft_keys.mode, figure.heft_keys.degrees, figure.heft_keys.millimetres = "FEW", 0.5, 3.0
    prepared = prepare(bpy.context, figure, BakeSettings(simulate=False))
    result = bake(prepared.job)
    read_object, elapsed = only(), result.time - result.time[0]
    path, turn = bounced(elapsed, 0.31)
    spin = rotations.multiply(turn, read_object.quaternion)
    moved = {
        "prop_position": (read_object.position + path - path[0])[:, None],
        "prop_quaternion": spin[:, None],
    }
    result = replace(result, prop_name=np.array(["Crate"]), **moved)
    (report,) = finish_bakes(bpy.context, [prepared], [result])
    (note,) = [note for note in report.notes if note.startswith("Props: ")]
    curves = compat.curves_of(compat.action_of(crate))
    count, every = sum(len(curve.keyframe_points) for curve in curves), 7 * len(prepared.sampled.frame)
    assert f"{count} keys in place of {every}" in note and count < 0.5 * every
    fps = bpy.context.scene.render.fps
    about = {1 + int(np.floor(0.31 * fps)), 1 + int(np.ceil(0.31 * fps))}
    for curve in curves:
        keyed = {round(key.co.x) for key in curve.keyframe_points}
        assert len(keyed) == 1 or about <= keyed, curve.data_path
    corners, worst = np.array(crate.bound_box), 0.0
    for frame in prepared.sampled.frame.tolist():
        bpy.context.scene.frame_set(frame)
        position, own = bounced(np.array([(frame - 1) / fps]), 0.31)
        # Between the samples of a result, paths are straight lines.
        wanted = rotations.rotate(own, corners * crate.scale) + read_object.position + position - path[0]
        found = np.array([crate.matrix_world @ Vector(corner) for corner in corners])
        worst = max(worst, float(np.linalg.norm(found - wanted, axis=1).max()))
    assert worst < 0.003 + STRAIGHT_M


def test_back_to_source_gives_props_back_what_they_had() -> None:
    """Also after two bakes: the crate its action, the ball its place, the rigid body its freedom."""
    figure, crate, ball = humanoid(), cube("Crate"), cube("Ball", "PROP")
    animate(figure)
    crate.location, ball.location = (3.0, 0.0, 1.0), (6.0, 0.0, 1.0)
    make_rigid(crate)
    crate.keyframe_insert("location", frame=1)
    before = crate.animation_data.action
    for displacement in (1.0, 2.0):
        prepared = prepare(bpy.context, figure, BakeSettings(simulate=False), last=6)
        result = bake(prepared.job)
        read_objects = {o.name: o for o in prepared.job.scene.objects}
        share = np.linspace(0.0, displacement, len(result.time))[:, None, None]
        start = np.array([read_objects[name].position for name in ("Crate", "Ball")])
        turns = np.tile([1.0, 0.0, 0.0, 0.0], (len(share), 2, 1))
        moved = replace(
            result,
            prop_name=np.array(["Crate", "Ball"]),
            prop_position=start + share,
            prop_quaternion=turns,
        )
        finish_bakes(bpy.context, [prepared], [moved])
    bpy.context.scene.frame_set(6)
    assert ball.location.x > 7.0 and crate.rigid_body.kinematic
    bpy.context.view_layer.objects.active = figure
    assert bpy.ops.heft.toggle_source() == {"FINISHED"}
    assert crate.animation_data.action is before and not crate.rigid_body.kinematic
    assert ball.animation_data.action is None
    bpy.context.scene.frame_set(6)
    assert tuple(ball.matrix_world.translation) == pytest.approx((6.0, 0.0, 1.0), abs=1e-5)
    assert tuple(crate.location) == pytest.approx((3.0, 0.0, 1.0), abs=1e-5)
    assert len([a for a in bpy.data.actions if a.name.startswith(before.name)]) > 1, (
        "the bakes stay in the file"
    )


class Drawn:
    """A layout that remembers the properties drawn on it, and refuses those that do not exist."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def column(self, align: bool = False) -> Drawn:
        return self

    def prop(self, data: object, name: str) -> None:
        assert name in data.bl_rna.properties  # type: ignore[attr-defined]
        self.names.append(name)

    def prop_search(self, data: object, name: str, where: object, what: str) -> None:
        assert what in where.bl_rna.properties  # type: ignore[attr-defined]
        self.prop(data, name)


def test_the_panel_shows_what_the_role_needs() -> None:
    figure, obj = humanoid(), cube("Ball", "PROP")
    bpy.context.view_layer.objects.active = obj

    def drawn() -> list[str]:
        layout = Drawn()
        panel: Any = SimpleNamespace(layout=layout)
        HEFT_PT_scene_object.draw(panel, bpy.context)
        return layout.names

    surface = ["role", "shape", "friction", "bounce"]
    assert drawn() == [*surface, "weight", "mass"]
    obj.heft_object.weight = "DENSITY"
    assert drawn() == [*surface, "weight", "density"]
    obj.heft_object.role = "PROJECTILE"
    throw = ["weight", "density", "launch_frame", "launch_speed", "aim"]
    assert obj.heft_object.target_rig == figure, "the only character is aimed at"
    assert drawn() == [*surface, *throw, "target_rig", "target_bone"]
    obj.heft_object.target_rig = None
    assert drawn() == [*surface, *throw, "target_rig"]
    obj.heft_object.aim = "AXIS"
    assert drawn() == [*surface, *throw, "launch_axis"]
    obj.heft_object.role = "OBSTACLE"
    assert drawn()[-2:] == ["passing", "comes_back"]
    obj.heft_object.passing = "OVER"
    assert drawn()[-1] == "passing"


def test_only_frames_around_a_hit_are_changed_and_the_report_names_them() -> None:
    figure, ball = humanoid(), cube("Ball", "PROJECTILE")
    animate(figure)
    assert not options_of(bpy.context, figure).settings.only_around_hits
    figure.heft.only_around_hits = True
    assert options_of(bpy.context, figure).settings.only_around_hits
    ball.scale, ball.location = (0.05, 0.05, 0.05), (0.0, -30.0, 1.4)
    chosen = ball.heft_object
    chosen.aim, chosen.launch_axis, chosen.launch_frame, chosen.mass = "AXIS", "-Y", 2, 0.2
    prepared = prepare(bpy.context, figure, BakeSettings(quality="draft", only_around_hits=True), last=20)
    (report,) = finish_bakes(bpy.context, [prepared], [bake(prepared.job)])
    assert any("Nothing hits the character" in note for note in report.notes)


def test_a_simulated_bake_brings_a_ball_to_the_bone_it_is_aimed_at() -> None:
    figure, ball = humanoid(), cube("Ball", "PROJECTILE")
    animate(figure)
    ball.scale, ball.location = (0.05, 0.05, 0.05), (0.0, -3.0, 1.4)
    chosen = ball.heft_object
    chosen.mass, chosen.launch_frame, chosen.launch_speed, chosen.target_bone = 0.2, 2, 12.0, "Head"
    prepared = prepare(bpy.context, figure, BakeSettings(quality="draft"), last=20)
    result = bake(prepared.job)
    finish_bakes(bpy.context, [prepared], [result])
    assert result.prop_name.tolist() == ["Ball"]
    head = result.body_name.tolist().index("head")
    struck = np.linalg.norm(result.contact_force, axis=-1) * (result.contact_body == head)
    assert struck.max() > 10.0
    bpy.context.scene.frame_set(20)
    assert np.array(ball.matrix_world.translation) == pytest.approx(result.prop_position[-1, 0], abs=0.05)
