"""Every panel alone in a tab of its own, with its picture, and every button that does no harm."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import bpy

from .figure import MODULE, SOURCE, progress, rig
from .first_opening import faults_of, panels
from .window import OPTIONS, Steps, Window, picture, wait_until

TAB = "Heft Panel"
OTHER = "turn"
"""Name of an action that a list is filled with."""
TARGET = "Target"
"""Name of an Empty that is struck and reached."""
FIGURES = ("skate_cm_s", "penetration_max_cm", "upper_deg", "legs_deg")
NOTE = (
    "The left hand stays up to 4 cm away from the chest, which it touches in the source: no pose there comes "
    "nearer than 3 cm."
)
"""What a retargeting may say."""
retargeted: dict[str, float] = {}
"""Figures of the retargeting that an earlier test has made and undone, for the picture of its panel."""
BUTTONS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("recognise", {}),
    ("clear_mapping", {}),
    ("recognise", {}),
    ("add_bone", {"row": 0}),
    ("load_preset", {"group": "motions", "key": "walk"}),
    ("save_preset", {"group": "motions", "name": "Mine"}),
    ("remove_preset", {"group": "motions"}),
    ("clip_add", {}),
    ("clip_move", {"direction": "UP"}),
    ("clip_remove", {}),
    ("aim_add", {}),
    ("aim_remove", {}),
    ("reach_add", {}),
    ("reach_remove", {}),
    ("mark_worst_frames", {}),
    ("clear_marks", {}),
    ("jump_to_frame", {"frame": 30}),
)
"""Buttons that end at once, in an order in which each can be pressed."""


def every_panel_is_drawn(window: Window) -> Steps:
    """What goes wrong while drawing stands in Blender's log, which is looked at in the end."""
    drawn, hidden = [], []
    faults: list[str] = []
    fill(window)
    for panel in panels():
        holder = next((obj for obj in bpy.data.objects if _shows(window, panel, obj)), None)
        if holder is None:
            hidden.append(panel.bl_label)
            continue
        with alone(panel) as calls:
            yield from window.open_sidebar(TAB)
            what = f"the drawing of '{panel.bl_label}'"
            yield from wait_until(partial(bool, calls), 5.0, what)
            faults += faults_of(window, panel)
            if OPTIONS["pictures"]:
                name = panel.__name__.removeprefix("HEFT_PT_")
                yield from picture(f"panel_{name}", window.sidebar_without_tabs())
        drawn.append(panel.bl_label)
    empty(window)
    yield from window.open_sidebar("Heft")
    assert not faults, "; ".join(faults)
    assert not hidden, f"nothing shows the panels {', '.join(hidden)}"
    return f"{len(drawn)} panels"


def fill(window: Window) -> None:
    """Show the result, give the lists a row and choose what shows more, so that more is drawn."""
    _activate(rig())
    with window.context():
        bpy.ops.heft.toggle_source("EXEC_DEFAULT")
        bpy.ops.heft.aim_add("EXEC_DEFAULT")
        bpy.ops.heft.reach_add("EXEC_DEFAULT")
    other = bpy.data.actions[SOURCE].copy()
    other.name = OTHER
    for own in _lists():  # another action to go over into
        own.sequence[-1].action, own.sequence_index = other, 0
    rig().heft_keys.mode = "FEW"
    target = bpy.data.objects.new(TARGET, None)
    hand = next(bone.name for bone in rig().pose.bones if "hand" in bone.name.lower())
    aim = rig().heft.aims[-1]
    aim.bone, aim.target = hand, target
    outcome = rig().heft_retarget
    outcome.reaches[-1].target = target
    outcome.present, outcome.leg_ratio = True, retargeted.get("leg_ratio", 1.0)
    for name in FIGURES:
        setattr(outcome.kinematic_figures, name, retargeted.get(name, 0.0))
    outcome.notes.add().text = NOTE
    rig().pose.bones[0].constraints.new("LIMIT_ROTATION")  # of nothing: only for the panel of control rigs
    figure = rig().children[0].heft_object
    figure.role, figure.target_rig = "PROJECTILE", rig()


def note_retargeting(outcome: Any) -> None:
    """Keep the figures of a retargeting for the picture of its panel."""
    retargeted["leg_ratio"] = outcome.leg_ratio
    retargeted.update({name: getattr(outcome.kinematic_figures, name) for name in FIGURES})


def _lists() -> list[Any]:
    """The settings of all armatures with a list of actions."""
    return [obj.heft for obj in bpy.data.objects if obj.type == "ARMATURE" and len(obj.heft.sequence)]


def empty(window: Window) -> None:
    """Take back what `fill` did."""
    _activate(rig())
    with window.context():
        bpy.ops.heft.toggle_source("EXEC_DEFAULT")
        bpy.ops.heft.aim_remove("EXEC_DEFAULT")
        bpy.ops.heft.reach_remove("EXEC_DEFAULT")
    for own in _lists():
        own.sequence[-1].action = bpy.data.actions[SOURCE]
    bpy.data.actions.remove(bpy.data.actions[OTHER])
    rig().heft_keys.mode = "EVERY"
    rig().heft_retarget.present = False
    rig().heft_retarget.notes.clear()
    bpy.data.objects.remove(bpy.data.objects[TARGET])
    constraints = rig().pose.bones[0].constraints
    constraints.remove(constraints[-1])
    rig().children[0].heft_object.role = "NONE"


def every_safe_button_is_pressed(window: Window) -> Steps:
    _activate(rig())
    for name, values in BUTTONS:
        with window.context():
            answer = getattr(bpy.ops.heft, name)("EXEC_DEFAULT", **values)
        assert answer == {"FINISHED"}, f"{name}: {answer}"
        yield 0.1
    return f"{len(BUTTONS)} buttons"


def a_motion_is_made_plausible(window: Window) -> Steps:
    _activate(rig())
    rig().heft.range_mode, rig().heft.frame_start, rig().heft.frame_end = "CUSTOM", 1, 30
    with window.context():
        assert bpy.ops.heft.make_plausible("INVOKE_DEFAULT") == {"RUNNING_MODAL"}
    yield from ended("Make Plausible")
    rig().heft.property_unset("range_mode")  # later tests bake the whole action
    with window.context():
        assert bpy.ops.heft.discard_result("EXEC_DEFAULT") == {"FINISHED"}
    assert rig().animation_data.action.name == SOURCE, "the rig does not play the source"


def the_preferences_check_the_installation(window: Window) -> Steps:
    with window.context():
        bpy.ops.heft.check_installation("INVOKE_DEFAULT")
    yield from ended("the check")
    area = window.view
    area.type = "PREFERENCES"
    bpy.context.preferences.active_section = "ADDONS"
    bpy.context.window_manager.addon_search = "Heft"
    bpy.ops.preferences.addon_expand(module=MODULE)
    yield from picture("preferences")
    area.type = "VIEW_3D"
    yield 0.3


def ended(work: str) -> Steps:
    """Until what was started is over."""
    yield from wait_until(lambda: progress().running, 10.0, f"the start of {work}")
    yield from wait_until(lambda: not progress().running, 120.0, f"the end of {work}")
    yield 0.3


@contextmanager
def alone(panel: Any) -> Iterator[list[str]]:
    """The same panel in its own tab; the list grows with each time that it was drawn to its end.

    A class of its own: Blender loses a panel whose subclass is taken away again.
    """
    calls: list[str] = []

    def draw(self: Any, context: Any) -> None:
        panel.draw(self, context)
        calls.append(panel.bl_label)

    identity = {"bl_idname": "HEFT_PT_alone", "bl_parent_id": "", "bl_category": TAB, "bl_options": set()}
    own = {name: value for name, value in vars(panel).items() if name.startswith("bl_") or callable(value)}
    own.pop("bl_rna")
    copy = type("HEFT_PT_alone", panel.__bases__, {**own, **identity, "draw": draw})
    bpy.utils.register_class(copy)
    try:
        yield calls
    finally:
        bpy.utils.unregister_class(copy)


def _activate(obj: Any) -> None:
    for other in bpy.context.view_layer.objects:
        other.select_set(other == obj)
    bpy.context.view_layer.objects.active = obj


def _shows(window: Window, panel: Any, obj: Any) -> bool:
    """Whether the panel is there for an object, which is then the active one."""
    if obj.name not in bpy.context.view_layer.objects:
        return False
    _activate(obj)
    with window.context():
        return not hasattr(panel, "poll") or bool(panel.poll(bpy.context))
