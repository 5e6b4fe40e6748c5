"""Names of new actions, and what a new projectile is like."""

from __future__ import annotations

import bpy
import pytest
from bpy.types import Object
from heft.addon.blender.result_actions import result_name

from tests.blender.rigs import animate, humanoid

pytestmark = pytest.mark.usefixtures("heft_registered")


def ball(radius: float) -> Object:
    """A sphere in front of the figure."""
    bpy.ops.mesh.primitive_uv_sphere_add(radius=radius, location=(0.0, -4.0, 1.2))
    obj = bpy.context.object
    obj.name = "Ball"
    return obj


def test_three_bakes_leave_one_result_of_each() -> None:
    thrown = ball(0.12)
    thrown.heft_object.role, thrown.heft_object.aim = "PROJECTILE", "AXIS"
    thrown.heft_object.launch_frame = 3
    figure = humanoid()
    animate(figure)
    figure.heft.quality = "draft"
    figure.heft.range_mode, figure.heft.frame_start, figure.heft.frame_end = "CUSTOM", 1, 8
    for _ in range(3):
        assert bpy.ops.heft.simulate() == {"FINISHED"}
    assert sorted(action.name for action in bpy.data.actions) == [
        "Ball_heft",
        "FigureAction",
        "FigureAction_heft",
    ]


@pytest.mark.parametrize(("source", "named"), [("walk", "walk_heft"), ("walk_heft.002", "walk_heft")])
def test_a_result_that_was_applied_is_not_named_twice(source: str, named: str) -> None:
    assert result_name(source) == named


def test_a_new_projectile_is_a_ball_that_flies_soon() -> None:
    bpy.context.scene.frame_set(400)
    thrown = ball(0.12).heft_object
    thrown.role = "PROJECTILE"
    assert 1.5 < thrown.mass < 3.0
    assert thrown.launch_frame == 410


def test_a_huge_projectile_weighs_no_ton_and_what_was_set_stays() -> None:
    huge = ball(2.0).heft_object
    huge.role = "PROJECTILE"
    assert huge.mass == 10.0
    own = ball(0.2).heft_object
    own.mass, own.launch_frame = 3.0, 7
    own.role = "PROJECTILE"
    assert (own.mass, own.launch_frame) == (3.0, 7)


def test_a_new_projectile_is_aimed_at_the_chest_of_the_only_character() -> None:
    figure = humanoid()
    thrown = ball(0.12).heft_object
    thrown.role = "PROJECTILE"
    assert (thrown.target_rig, thrown.target_bone) == (figure, "Chest")
    humanoid()
    undecided = ball(0.12).heft_object
    undecided.role = "PROJECTILE"
    assert undecided.target_rig is None and undecided.target_bone == "", "there are two characters"
    undecided.target_rig, undecided.target_bone = figure, "Head"
    undecided.target_rig = figure
    assert undecided.target_bone == "Head", "what was chosen stays"
