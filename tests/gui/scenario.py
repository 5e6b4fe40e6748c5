"""What a user does with Heft, in order; each test stands on those before it."""

from __future__ import annotations

import os
import time
from importlib import import_module

import bpy

from tools.installed_zip.markers import write_walk
from tools.installed_zip.registered import registered

from .controls import click_control, click_simulate
from .figure import (
    MODULE,
    RIG,
    SOURCE,
    StepTimes,
    build_scene,
    children,
    differences,
    progress,
    rig,
    select_alone,
    state,
)
from .first_import import imported_walks_work_at_the_first_press
from .first_opening import what_one_sees_first
from .live import a_character_is_played_live, a_disturbed_live_play_loses_nothing
from .pace import a_window_makes_a_bake_hardly_longer
from .panels import (
    a_motion_is_made_plausible,
    every_panel_is_drawn,
    every_safe_button_is_pressed,
    note_retargeting,
    the_preferences_check_the_installation,
)
from .steering import a_character_walks_along_a_curve, arrow_keys_steer_a_character
from .surroundings import a_box_in_the_way_is_walked_around
from .tutorial import the_tutorial_says_what_it_quotes
from .window import OPTIONS, SHARED, Gaps, Steps, Window, picture, wait_until

ESC_LIMIT_S = 0.5
GAP_LIMIT_S = 0.2
BAKE_LIMIT_S = 180.0

seen: dict[str, dict] = {}
"""States of the file that later tests compare with."""


def the_add_on_is_enabled(window: Window) -> Steps:
    yield 0.0
    assert MODULE in bpy.context.preferences.addons, "it is not among the enabled add-ons"
    assert hasattr(bpy.types, "HEFT_PT_main"), "its panel is not registered"
    version = ".".join(str(part) for part in bpy.app.version)
    return f"Blender {version}"


def the_tab_shows_the_character(window: Window) -> Steps:
    build_scene(window)
    yield from window.open_sidebar("Heft")
    with window.context():
        assert bpy.ops.heft.recognise("INVOKE_DEFAULT") == {"FINISHED"}
    yield 0.3
    yield from picture("1_ready")
    seen["source"] = state()


def a_click_on_the_mesh_leads_to_the_armature(window: Window) -> Steps:
    select_alone(rig().children[0].name)
    yield 0.5
    yield from picture("1_mesh")
    objects = bpy.context.view_layer.objects
    yield from click_control(window, "heft.select_armature", lambda: objects.active == rig())
    assert rig().select_get() and not rig().children[0].select_get(), "the mesh is still selected"


def a_process_is_ready_before_the_click(window: Window) -> Steps:
    """It is started because the tab is shown, and goes when nobody wants it."""
    module = import_module(f"{MODULE}.addon.jobs.ready_worker")
    took = yield from wait_until(lambda: module.READY._starting is not None, 30.0, "a process that is ready")
    assert module.READY._starting.result().is_waiting, "it has ended already"
    assert not children(), "it is still there"
    return f"{took:.1f} s"


def escape_stops_a_running_simulation(window: Window) -> Steps:
    yield from click_simulate(window)
    fractions: set[float] = set()
    start = time.monotonic()
    while len(fractions) < 5 or progress().fraction < 0.2:
        fractions.add(progress().fraction)
        assert progress().running, "the simulation ended before it could be stopped"
        assert time.monotonic() - start < BAKE_LIMIT_S, f"no progress beyond {max(fractions):.0%}"
        yield 0.05
    yield from picture("2_running")
    took = yield from escape(window)
    yield from picture("3_stopped")
    return took


def escape_stops_the_reading_of_a_motion(window: Window) -> Steps:
    yield from click_simulate(window)
    assert "Reading" in progress().stage, f"the stage is already '{progress().stage}'"
    return (yield from escape(window))


def the_window_stays_alive_to_the_end(window: Window) -> Steps:
    """Drawing is Blender's own work and slow in software: a gap may hold one redraw and `GAP_LIMIT_S`."""
    redraw_s = window.redraw_s()
    with StepTimes() as steps:
        yield from click_simulate(window)
        with Gaps() as gaps:
            took = yield from wait_until(lambda: not progress().running, BAKE_LIMIT_S, "the end of the bake")
    redraw_s = max(redraw_s, window.redraw_s())
    shown = bpy.context.scene.frame_current
    assert steps.frames == {shown}, f"while reading, the window showed the frames {sorted(steps.frames)}"
    found = (
        f"longest gap {1000 * gaps.longest_s:.0f} ms in a bake of {took:.1f} s, Heft's longest step "
        f"{1000 * steps.longest_s:.0f} ms ({steps.stage}), one redraw {1000 * redraw_s:.0f} ms, "
        f"machine load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors"
    )
    if not OPTIONS["timing"]:
        return found
    assert steps.longest_s < GAP_LIMIT_S, found
    assert gaps.longest_s < GAP_LIMIT_S + redraw_s, found
    return found


def the_result_is_there(window: Window) -> Steps:
    yield from picture("4_result")
    action = rig().animation_data.action
    assert action.name != SOURCE, "the rig still plays the source"
    assert rig().heft.outcome.present, "the panel has no result"
    assert SOURCE in bpy.data.actions, "the source action is gone"
    assert not children(), "the simulation's process still runs"
    seen["baked"] = state()
    assert seen["baked"]["keys"][SOURCE] == seen["source"]["keys"][SOURCE], "the source action was changed"
    return f"'{action.name}' with {seen['baked']['keys'][action.name][0]} keys"


def one_undo_takes_it_back_and_redo_brings_it(window: Window) -> Steps:
    window.press("Z", ctrl=True)
    yield 1.0
    changed = differences(seen["source"], state())
    assert not changed, f"after one undo these are not as before: {', '.join(changed)}"
    window.press("Z", ctrl=True, shift=True)
    yield 1.0
    changed = differences(seen["baked"], state())
    assert not changed, f"after redo these are not as baked: {', '.join(changed)}"


def it_is_kept_in_the_file(window: Window) -> Steps:
    path = str(SHARED / "kept.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    yield 0.2
    bpy.ops.wm.open_mainfile(filepath=path)
    yield 1.0
    bpy.context.view_layer.objects.active = bpy.data.objects[RIG]
    yield from window.open_sidebar("Heft")
    changed = differences(seen["baked"], state())
    assert not changed, f"after loading these are not as saved: {', '.join(changed)}"
    yield from picture("5_reloaded")


def the_way_back_to_the_source(window: Window) -> Steps:
    with window.context():
        assert bpy.ops.heft.toggle_source("INVOKE_DEFAULT") == {"FINISHED"}
    yield 0.3
    assert rig().animation_data.action.name == SOURCE, "the rig does not play the source"


def the_list_of_actions_is_drawn(window: Window) -> Steps:
    """What goes wrong while drawing stands in Blender's log, which is looked at in the end."""
    rig().heft.source_mode = "SEQUENCE"
    with window.context():
        for _ in range(2):
            assert bpy.ops.heft.clip_add("INVOKE_DEFAULT") == {"FINISHED"}
    yield 0.5
    yield from picture("6_sequence")
    assert [row.action.name for row in rig().heft.sequence] == [SOURCE, SOURCE]


def markers_are_imported_and_fitted(window: Window) -> Steps:
    """From the file to an armature with an action, which one undo takes back."""
    path = str(write_walk(SHARED / "walk.trc"))
    with window.context():
        assert bpy.ops.heft.import_markers("EXEC_DEFAULT", filepath=path, set_range=True) == {"FINISHED"}
        bpy.ops.view3d.view_selected()
        bpy.ops.ed.undo_push(message="Import markers")
    take = bpy.context.object.name
    yield 0.5
    yield from picture("7_markers")
    before = sorted(bpy.data.objects.keys())
    with window.context():
        assert bpy.ops.heft.fit_markers("INVOKE_DEFAULT") == {"RUNNING_MODAL"}
    took = yield from wait_until(lambda: bpy.data.objects[take].heft_take.fitted, BAKE_LIMIT_S, "the fit")
    yield 0.5
    yield from picture("8_fitted")
    assert bpy.context.object.type == "ARMATURE", "the fitted armature is not active"
    window.press("Z", ctrl=True)
    yield 1.0
    assert sorted(bpy.data.objects.keys()) == before, "one undo did not take the fit back"
    assert not bpy.data.objects[take].heft_take.fitted, "the report of the fit is still there"
    return f"{took:.1f} s"


def a_motion_goes_over_to_another_armature(window: Window) -> Steps:
    """Into a new action, which one undo takes back; the panel is drawn with its figures."""
    source = rig()
    target = source.copy()
    target.name, target.data, target.scale = "Small", source.data.copy(), (0.7, 0.7, 0.7)
    target.animation_data_clear()
    bpy.context.scene.collection.objects.link(target)
    bpy.context.view_layer.objects.active = target
    target.heft_retarget.source = source
    with window.context():
        bpy.ops.ed.undo_push(message="Another armature")
        assert bpy.ops.heft.retarget("INVOKE_DEFAULT") == {"RUNNING_MODAL"}

    def is_there() -> bool:
        return bool(bpy.data.objects["Small"].heft_retarget.present)

    took = yield from wait_until(is_there, BAKE_LIMIT_S, "the retargeting")
    note_retargeting(bpy.data.objects["Small"].heft_retarget)
    with window.context():
        bpy.ops.wm.call_panel(name="HEFT_PT_retarget")
    yield 0.5
    yield from picture("10_retarget")
    window.press("ESC")
    yield 0.3
    window.press("Z", ctrl=True)
    yield 1.0
    assert not bpy.data.objects["Small"].heft_retarget.present, "one undo did not take the motion back"
    return f"{took:.1f} s"


def control_markers_are_drawn(window: Window) -> Steps:
    """What goes wrong while drawing stands in Blender's log, which is looked at in the end."""
    bpy.context.view_layer.objects.active = rig()
    with window.context():
        assert bpy.ops.heft.add_control_marker(bone=rig().pose.bones[0].name) == {"FINISHED"}
        bpy.ops.wm.call_panel(name="HEFT_PT_controls")
    yield 0.5
    yield from picture("9_controls")
    window.press("ESC")
    yield 0.3


def an_action_is_checked_and_its_report_saved(window: Window) -> Steps:
    """What goes wrong while drawing stands in Blender's log, which is looked at in the end."""
    bpy.context.view_layer.objects.active = rig()
    rig().heft.source_mode = "ACTION"
    page = SHARED / "report.html"
    with window.context():
        assert bpy.ops.heft.check("INVOKE_DEFAULT") == {"RUNNING_MODAL"}
    yield from wait_until(lambda: not progress().running, 60.0, "the check")
    assert rig().heft_report.compared, "the figure of the result is gone"
    with window.context():
        assert bpy.ops.heft.plot_report() == {"FINISHED"}
        assert bpy.ops.heft.save_report("EXEC_DEFAULT", filepath=str(page)) == {"RUNNING_MODAL"}
    yield from wait_until(page.is_file, 60.0, "the page")
    with window.context():
        bpy.ops.wm.call_panel(name="HEFT_PT_report")
    yield 0.5
    yield from picture("10_report")
    window.press("ESC")
    yield 0.3
    return f"score {rig().heft_report.before:.0f}"


def several_bakes_queue(window: Window) -> Steps:
    """The second waits, Esc stops the first, and the second survives undo and a new name."""
    rig().heft.source_mode = "ACTION"
    show_source_again(window)
    second = rig().copy()
    second.name, second.data, second.location.x = "Second", rig().data.copy(), 1.5
    bpy.context.scene.collection.objects.link(second)
    with window.context():
        for name in (RIG, "Second"):
            select_alone(name)
            bpy.ops.ed.undo_push(message=f"Choose {name}")
            assert bpy.ops.heft.simulate("INVOKE_DEFAULT") == {"RUNNING_MODAL"}
    assert [job.name for job in progress().jobs] == [f"Simulate {RIG}", "Simulate Second"]
    yield from simulating("the first simulation")
    yield from picture("11_queue")
    window.press("ESC")
    yield from wait_until(lambda: len(progress().jobs) == 1, 10.0, "the stop of the first")
    yield from simulating("the second simulation")
    with window.context():
        bpy.data.objects["Second"].location.x = 3.0
        bpy.ops.ed.undo_push(message="Move it")
    window.press("Z", ctrl=True)
    yield 0.5
    assert bpy.data.objects["Second"].location.x == 1.5, "the undo meanwhile did nothing"
    bpy.data.objects["Second"].name = "Renamed"
    yield from wait_until(lambda: not progress().running, BAKE_LIMIT_S, "the end of the second")
    yield 0.5
    assert rig().animation_data.action.name == SOURCE, "the stopped one has another action"
    made = bpy.data.objects["Renamed"].animation_data.action.name
    assert made != SOURCE, "the second one has no result"
    return f"'{made}'"


def opening_a_file_stops_all(window: Window) -> Steps:
    select_alone(RIG)
    with window.context():
        assert bpy.ops.heft.simulate("INVOKE_DEFAULT") == {"RUNNING_MODAL"}
    yield from wait_until(lambda: bool(children()), 30.0, "the start of the child")
    bpy.ops.wm.open_mainfile(filepath=str(SHARED / "kept.blend"))
    yield 1.0
    assert not children(), "the simulation's process still runs"
    assert not progress().running, "the panel says that it runs"


def show_source_again(window: Window) -> None:
    """Whatever the tests before have left."""
    if rig().animation_data.action.name != SOURCE:
        select_alone(RIG)
        with window.context():
            assert bpy.ops.heft.toggle_source() == {"FINISHED"}


def disabling_leaves_nothing(window: Window) -> Steps:
    bpy.ops.preferences.addon_disable(module=MODULE)
    yield 0.5
    left = sorted(line for line in registered() if "heft" in line.lower())
    assert not left, f"still registered: {left[:10]}"
    yield from picture("11_disabled")


def simulating(what: str) -> Steps:
    """Until it is; one that was refused or is over already would never come."""

    def is_there() -> bool:
        assert progress().running, f"nothing runs, and {what} was awaited"
        return bool(progress().stage == "Simulating")

    yield from wait_until(is_there, BAKE_LIMIT_S, what)


def escape(window: Window) -> Steps:
    """Press Esc in a running bake; it stops in time and nothing has changed."""
    assert progress().running, "nothing runs"
    window.press("ESC")
    took = yield from wait_until(lambda: not progress().running, 10.0, "the stop after Esc")
    left = children()
    yield 0.3
    changed = differences(seen["source"], state())
    assert not changed, f"after Esc these are not as before: {', '.join(changed)}"
    assert not left, f"processes {left} still run"
    assert took < ESC_LIMIT_S or not OPTIONS["timing"], f"it took {took:.2f} s, allowed are {ESC_LIMIT_S} s"
    return f"{took:.2f} s"


TESTS = (
    the_add_on_is_enabled,
    the_tab_shows_the_character,
    what_one_sees_first,
    a_click_on_the_mesh_leads_to_the_armature,
    a_process_is_ready_before_the_click,
    escape_stops_a_running_simulation,
    escape_stops_the_reading_of_a_motion,
    the_window_stays_alive_to_the_end,
    the_result_is_there,
    what_one_sees_first,
    one_undo_takes_it_back_and_redo_brings_it,
    it_is_kept_in_the_file,
    the_way_back_to_the_source,
    the_list_of_actions_is_drawn,
    markers_are_imported_and_fitted,
    a_motion_goes_over_to_another_armature,
    control_markers_are_drawn,
    an_action_is_checked_and_its_report_saved,
    every_panel_is_drawn,
    every_safe_button_is_pressed,
    a_motion_is_made_plausible,
    the_preferences_check_the_installation,
    several_bakes_queue,
    opening_a_file_stops_all,
    a_window_makes_a_bake_hardly_longer,
    a_character_is_played_live,
    a_disturbed_live_play_loses_nothing,
    a_character_walks_along_a_curve,
    arrow_keys_steer_a_character,
    a_box_in_the_way_is_walked_around,
    imported_walks_work_at_the_first_press,
    the_tutorial_says_what_it_quotes,
    disabling_leaves_nothing,
)
