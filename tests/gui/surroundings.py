"""What is put into the scene around the character, as a user does it: add a box, set its role, simulate."""

from __future__ import annotations

import bpy
from mathutils import Vector

from .controls import click_simulate
from .figure import RIG, build_scene, progress, rig, select_alone
from .window import Steps, Window, picture, wait_until

LIMIT_S = 300.0
BOX_M = 0.3
"""Width of the box that stands in the way [m]; its height is twice that, so that nobody steps over it."""
NEAREST_M = 0.05
"""The hips' path passes a box that is walked around at least this far from its side [m]."""


def a_box_in_the_way_is_walked_around(window: Window) -> Steps:
    """With default settings and one role; the walk goes to its end, and the box stays untouched."""
    build_scene(window)
    scene = bpy.context.scene
    scene.frame_set((scene.frame_start + scene.frame_end) // 2)
    hips = rig().matrix_world @ rig().pose.bones[0].head
    with window.context():
        bpy.ops.mesh.primitive_cube_add(size=BOX_M, location=(hips.x, hips.y, BOX_M), scale=(1.0, 1.0, 2.0))
        assert bpy.ops.heft.set_role(role="OBSTACLE") == {"FINISHED"}
    box = bpy.context.object.name
    select_alone(RIG)
    yield from window.open_sidebar("Heft")
    yield 0.5
    yield from click_simulate(window)
    yield from wait_until(lambda: not progress().running, LIMIT_S, "the end of the walk")
    outcome = rig().heft.outcome
    assert outcome.present and not outcome.fell, f"it fell at frame {outcome.fell_frame}: {outcome.cause}"
    told = next((note.text for note in outcome.notes if box in note.text), "")
    assert "around" in told, f"no note says how '{box}' was passed: {[note.text for note in outcome.notes]}"
    nearest_m = min(_beside(box, frame) for frame in range(scene.frame_start, scene.frame_end + 1))
    assert nearest_m > NEAREST_M, f"the hips come within {nearest_m:.2f} m of the box"
    scene.frame_set((scene.frame_start + scene.frame_end) // 2)
    with window.context():
        bpy.ops.view3d.view_all()
    yield from picture("14_around")
    return told


def _beside(box: str, frame: int) -> float:
    """Return how far the hips are from the sides of the box [m], seen from above."""
    bpy.context.scene.frame_set(frame)
    hips: Vector = rig().matrix_world @ rig().pose.bones[0].head
    gap = hips - bpy.data.objects[box].location
    return float(max(abs(gap.x), abs(gap.y)) - 0.5 * BOX_M)
