"""What users and their scripts do while a job works: edits, undo, other files and scenes, broken keys."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial

import bpy
from bpy.types import FCurve, Object
from heft.addon.blender import compat
from heft.sim_core.base.errors import HeftError

from tests.blender import user_edits
from tests.blender.user_edits import factory_settings, new_file, open_file

from .trial import Fault, Trial

STORM = 12
"""Undo steps, forward and back."""


def edited(edit: Callable[[Object], None], trial: Trial) -> None:
    """Do something to the object of the job, or to another armature of its file."""
    own = trial.obj
    armatures = [obj for obj in bpy.context.view_layer.objects if obj.name.startswith(("Figure", "Double"))]
    chosen = own if trial.rng.random() < 0.5 and own in armatures else trial.rng.choice(armatures)
    bpy.context.view_layer.objects.active = chosen
    edit(chosen)


def delete_the_object(trial: Trial) -> None:
    """Delete what the job is about."""
    user_edits.delete_the_object(trial.obj)


def delete_the_data(obj: Object) -> None:
    """Delete the bones, and with them the object."""
    bpy.data.armatures.remove(obj.data)


def delete_the_action(obj: Object) -> None:
    """Delete the keys."""
    bpy.data.actions.remove(obj.animation_data.action)


def break_keys(value: float, obj: Object) -> None:
    """Give some keys a value that is no number."""
    for curve in _curves(obj)[::7]:
        curve.keyframe_points[0].co[1] = value


def remove_curves(obj: Object) -> None:
    """Remove all keys of the action, which stays."""
    for curve in _curves(obj):
        curve.keyframe_points.clear()


def _curves(obj: Object) -> list[FCurve]:
    found = compat.action_of(obj)
    return [] if found is None else list(compat.curves_of(found))


def storm_of_undo(trial: Trial) -> None:
    """Undo and redo many times, with changes between them."""
    for _ in range(STORM):
        step = trial.rng.choice((bpy.ops.ed.undo, bpy.ops.ed.redo, _change))
        with suppress(RuntimeError):  # nothing to undo
            step()


def _change() -> None:
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("Empty", None))
    bpy.ops.ed.undo_push(message="Added")


def replaced(replace: Callable[[], None], trial: Trial) -> None:
    """Open another file."""
    trial.replaced = True
    replace()


def save_as(trial: Trial) -> None:
    """Save the file under another name."""
    bpy.ops.wm.save_as_mainfile(filepath=str(trial.folder / "saved.blend"))


def switch_the_scene(_trial: Trial) -> None:
    """Go to a new scene."""
    bpy.context.window_manager.windows[0].scene = bpy.data.scenes.new("Elsewhere")


def delete_the_scene(_trial: Trial) -> None:
    """Delete the scene, and go to a new one."""
    window = bpy.context.window_manager.windows[0]
    old, window.scene = window.scene, bpy.data.scenes.new("Instead")
    bpy.data.scenes.remove(old)


def change_frames(trial: Trial) -> None:
    """Go through the timeline, as a pointer does that is dragged over it."""
    for _ in range(10):
        bpy.context.scene.frame_set(trial.rng.randrange(-50, 300), subframe=trial.rng.random())


def second_heft(trial: Trial) -> None:
    """Let the same work be done at the same time, as by a second Heft: it is not in the same queue."""
    trial.obj.select_set(True)
    session = trial.work.begin(trial.obj, trial.folder)
    with suppress(HeftError):  # what the other one is told is not counted
        session.wait(bpy.context)


EDITS: dict[str, Callable[[Object], None]] = {
    "object renamed": user_edits.rename_the_object,
    "action renamed": user_edits.rename_the_action,
    "pose mode": user_edits.go_to_pose_mode,
    "nothing selected": user_edits.select_nothing,
    "objects added": user_edits.add_objects,
    "copy saved": user_edits.save_the_file,
    "deleted in the view": user_edits.delete_it_in_the_view,
    "bone deleted": user_edits.delete_a_bone,
    "bone moved": user_edits.move_a_bone,
    "key changed": user_edits.change_a_key,
    "key added": user_edits.add_a_key,
    "armature deleted": delete_the_data,
    "action deleted": delete_the_action,
    "keys removed": remove_curves,
    "NaN keys": partial(break_keys, float("nan")),
    "infinite keys": partial(break_keys, float("inf")),
}

USER_FAULTS: dict[str, Fault] = {
    **{name: partial(edited, edit) for name, edit in EDITS.items()},
    "object deleted": delete_the_object,
    "undo and redo": storm_of_undo,
    "new file": partial(replaced, new_file),
    "factory settings": partial(replaced, factory_settings),
    "file opened": partial(replaced, open_file),
    "saved as": save_as,
    "another scene": switch_the_scene,
    "scene deleted": delete_the_scene,
    "frame changes": change_frames,
    "second Heft": second_heft,
}
