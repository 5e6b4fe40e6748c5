"""The tutorial, carried out with mouse and keys: the panels say what the page quotes."""

from __future__ import annotations

import json
import re
from importlib import import_module
from typing import Any

import bpy
from mathutils import Vector

from .controls import (
    choose_in_menu,
    click_choice,
    click_control,
    click_header,
    click_simulate,
    find_control,
    step_to,
    type_number,
)
from .figure import MODULE, progress, select_alone
from .first_opening import in_sidebar
from .tutorial_page import differences
from .window import OPTIONS, SHARED, Steps, Window, picture, wait_until

CMU_UNIT_M = 0.0564
FIRST, LAST, LAUNCH = 240, 600, 400
BAKE_LIMIT_S = 240.0
QUOTED = SHARED / "tutorial.json"
"""What was said, for the page."""


def the_tutorial_says_what_it_quotes(window: Window) -> Steps:
    """Every step of the page in a new file; Blender's own menus are called as operators."""
    if OPTIONS["capture"] is None:
        yield 0.0
        return "the shared capture 02_05 is not here, so it was not carried out"
    said: dict[str, list[str]] = {}
    yield from import_boxer(window)
    boxer = bpy.context.object.name
    yield from choose_frames(window, boxer)
    yield from simulated(window, boxer)
    yield from picture("14_tutorial_simulated")
    said["simulate"] = result_lines(window, boxer)
    yield from show_source_and_result(window, boxer)
    yield from throw_ball(window, boxer)
    yield from picture("15_tutorial_ball")
    yield from simulated(window, boxer)
    said["ball"] = [hit(window, boxer), *result_lines(window, boxer)]
    said["firm"] = prepared_line(window, boxer)
    yield from choose_soft(window, boxer)
    yield from simulated(window, boxer)
    said["soft"] = prepared_line(window, boxer)
    yield from check(window, boxer)
    yield from choose_few_keys(window, boxer)
    yield from simulated(window, boxer)
    said["keys"] = [note for note in notes(window, boxer) if " keys in place of " in note][:1]
    yield from picture("16_tutorial_keys")
    yield from click_control(window, "heft.apply_result", lambda: settings(boxer).baked_action is None)
    version = ".".join(map(str, bpy.app.version[:2]))
    QUOTED.write_text(json.dumps({"said": said, "blender": version}), "utf-8")
    wrong = differences(said)
    assert not wrong, "; ".join(wrong)
    return f"{len(said)} quotations"


def settings(boxer: str) -> Any:
    """Return Heft's settings on the armature, which is looked up anew because bakes are undo steps."""
    return bpy.data.objects[boxer].heft


def import_boxer(window: Window) -> Steps:
    """Do step 2: a new file without the cube, and the capture in metres at its own rate."""
    bpy.ops.wm.read_homefile()
    yield 1.0
    for obj in list(bpy.data.objects):
        bpy.data.objects.remove(obj)
    chosen = {"global_scale": CMU_UNIT_M, "update_scene_fps": True, "update_scene_duration": True}
    with window.context():
        assert bpy.ops.import_anim.bvh("EXEC_DEFAULT", filepath=OPTIONS["capture"], **chosen) == {"FINISHED"}
        bpy.ops.view3d.view_selected()
    yield from window.open_sidebar("Heft")
    yield 0.5


def choose_frames(window: Window, boxer: str) -> Steps:
    """Do step 3: Source > Frames."""
    header = yield from click_header(window, bpy.types.HEFT_PT_source, "heft.quality")
    yield from step_to(window, "heft.range_mode", lambda: settings(boxer).range_mode == "CUSTOM")
    yield from type_number(window, "heft.frame_start", FIRST, lambda: settings(boxer).frame_start == FIRST)
    yield from type_number(window, "heft.frame_end", LAST, lambda: settings(boxer).frame_end == LAST)
    yield from window.click(*header)
    yield 0.6


def simulated(window: Window, boxer: str) -> Steps:
    """Click the armature and press Simulate."""
    select_alone(boxer)
    yield 0.6
    yield from click_simulate(window)
    yield from wait_until(lambda: not progress().running, BAKE_LIMIT_S, "the end of the simulation")
    yield 1.0
    assert settings(boxer).outcome.present, "there is no result"


def show_source_and_result(window: Window, boxer: str) -> Steps:
    """Do step 6."""
    animation, result = bpy.data.objects[boxer].animation_data, settings(boxer).baked_action
    yield from click_control(window, "heft.toggle_source", lambda: animation.action != result)
    yield 1.0
    yield from click_control(window, "heft.toggle_source", lambda: animation.action == result)


def throw_ball(window: Window, boxer: str) -> Steps:
    """Do steps 7 and 8: put the ball three metres in front of the chest, and aim it there."""
    bpy.context.scene.frame_set(LAUNCH)
    rig = bpy.data.objects[boxer]
    place = {name: rig.matrix_world @ rig.pose.bones[name].head for name in ("Spine1", "LeftArm", "RightArm")}
    forward = (place["LeftArm"] - place["RightArm"]).cross(Vector((0.0, 0.0, 1.0))).normalized()
    with window.context():
        bpy.ops.mesh.primitive_uv_sphere_add(radius=0.12, location=place["Spine1"] + 3.0 * forward)
    bpy.context.object.name = "Ball"
    yield 1.0
    ball = bpy.data.objects["Ball"].heft_object
    yield from step_to(window, "heft_object.role", lambda: ball.role == "PROJECTILE")
    yield 0.5
    yield from type_number(window, "heft_object.mass", 3.0, lambda: ball.mass == 3.0)
    yield from type_number(window, "heft_object.launch_frame", LAUNCH, lambda: ball.launch_frame == LAUNCH)
    yield from type_number(window, "heft_object.launch_speed", 8.0, lambda: ball.launch_speed == 8.0)
    assert (ball.aim, ball.target_rig, ball.target_bone) == ("BONE", rig, "Spine1"), "it is aimed elsewhere"


def choose_soft(window: Window, boxer: str) -> Steps:
    """Do step 10: Options > Dials > the reaction preset Soft."""
    options = yield from click_header(window, bpy.types.HEFT_PT_options, "heft.discard_result", 3)
    dials = yield from click_header(window, bpy.types.HEFT_PT_dials, "heft.search_seconds")
    x, y = yield from find_control(window, "heft.save_preset(group='reactions'")
    rows = import_module(f"{MODULE}.addon.presets.setting_presets").preset_rows("reactions")
    down = [row.key for row in rows].index("soft") + 1
    yield from choose_in_menu(window, window.region("UI").x + window.region("UI").width // 3, y, down)
    loaded = import_module(f"{MODULE}.addon.presets.setting_presets").loaded_preset
    assert loaded(bpy.data.objects[boxer], "reactions") == "soft", "the preset is not loaded"
    yield from picture("15_tutorial_soft")
    for header in (dials, options):
        yield from window.click(*header)
        yield 0.6


def check(window: Window, boxer: str) -> Steps:
    """Do step 12: Report > Check."""
    header = yield from click_header(window, bpy.types.HEFT_PT_report, "heft.discard_result", 6)
    yield from click_control(window, "heft.check", lambda: progress().running)
    yield from wait_until(lambda: not progress().running, BAKE_LIMIT_S, "the end of the check")
    yield 1.0
    assert bpy.data.objects[boxer].heft_report.present, "there is no report"
    yield from picture("16_tutorial_report")
    yield from window.click(*header)
    yield 0.6


def choose_few_keys(window: Window, boxer: str) -> Steps:
    """Do step 13: Keys > Few."""
    header = yield from click_header(window, bpy.types.HEFT_PT_keys, "heft.discard_result", 5)
    keys = bpy.data.objects[boxer].heft_keys
    yield from click_choice(window, "heft_keys.mode", lambda: keys.mode == "FEW")
    yield from window.click(*header)
    yield 0.6


def result_lines(window: Window, boxer: str) -> list[str]:
    """Return the lines of the panel Result."""
    summary = import_module(f"{MODULE}.addon.bake.bake_summary")
    return drawn(
        window,
        bpy.types.HEFT_PT_result,
        [line.text for line in summary.summary_lines(settings(boxer).outcome)],
    )


def prepared_line(window: Window, boxer: str) -> list[str]:
    """Return how far the body gave way."""
    summary = import_module(f"{MODULE}.addon.bake.bake_summary")
    lines = [
        line for line in summary.detail_lines(settings(boxer).outcome) if line.startswith("From the prepared")
    ]
    return drawn(window, bpy.types.HEFT_PT_details, lines)


def notes(window: Window, boxer: str) -> list[str]:
    """Return the notes of the last bake."""
    return [note.text for note in settings(boxer).outcome.notes]


def hit(window: Window, boxer: str) -> str:
    """Return what hit the boxer first."""
    return next(note for note in notes(window, boxer) if re.match(r"Frame \d+: 'Ball' hits", note))


def drawn(window: Window, panel: Any, lines: list[str]) -> list[str]:
    """Return lines that a panel draws now; it draws nothing else in their place."""
    text = " ".join(in_sidebar(window, panel).texts())
    missing = [line for line in lines if line not in text]
    assert not missing, f"'{panel.bl_label}' shows '{text}' and not {missing}"
    return lines
