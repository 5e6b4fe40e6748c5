"""What a job has begun to write, marked in the file until the job is done.

A script may make an undo step, or save the file, between two steps of writing. Blender then keeps the half of
a result, and shows it again on undo, redo or opening, long after the job has ended. By its mark it is known
and taken back there.
"""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import BoolProperty, StringProperty
from bpy.types import PropertyGroup

from . import compat
from .blender_types import ArmatureObject


class HeftPart(PropertyGroup):
    """The mark of an action or a new armature, and what an action's object had before it.

    The source is known by its name: Blender 5.0 does not clear an action's pointer to a deleted one.
    """

    unfinished: BoolProperty()
    source: StringProperty()
    source_slot: StringProperty()
    source_got_fake_user: BoolProperty()


def mark_action(action: Any, source: compat.SlottedAction | None, source_got_fake_user: bool) -> None:
    """Mark a new action as half written; source: the one that its object has until then."""
    part = action.heft_part
    part.unfinished, part.source_got_fake_user = True, source_got_fake_user
    part.source = "" if source is None else source.action.name
    part.source_slot = "" if source is None else compat.slot_name(source)


def mark_armature(obj: Any) -> None:
    """Mark a new armature, which goes away with its half-written action."""
    obj.heft_part.unfinished = True


def settle_parts() -> None:
    """Remove all marks: the job is done, and what it wrote is the user's."""
    for own in (*_unfinished(bpy.data.actions), *_unfinished(bpy.data.objects)):
        own.heft_part.unfinished = False


def remove_armature(obj: ArmatureObject) -> None:
    """Remove an armature and its object."""
    armature = obj.data
    bpy.data.objects.remove(obj)
    bpy.data.armatures.remove(armature)


def _take_back(*_: object) -> None:
    """Take back what is half written in the state that is shown now; jobs that write have ended before."""
    halves = _unfinished(bpy.data.actions)
    if halves:
        for obj in bpy.data.objects:
            _show_source(obj)
    for action in halves:
        source = _source(action)
        if source is not None and action.heft_part.source_got_fake_user and source.users > 1:
            source.use_fake_user = False
        bpy.data.actions.remove(action)
    for obj in _unfinished(bpy.data.objects):
        remove_armature(obj)


def _show_source(obj: Any) -> None:
    """Assign the source again; that of a second result is a first one, which may be half written as well."""
    animation, slot_name = obj.animation_data, ""
    found = before = None if animation is None else animation.action
    while found is not None and found.heft_part.unfinished:
        found, slot_name = _source(found), found.heft_part.source_slot
    if found is None:
        return  # an action without a source leaves its object when it is removed
    if found != before:
        compat.assign_action(animation, compat.slotted(found, obj, slot_name))


def _source(action: Any) -> Any:
    """Return the action before this one, or None; a script may have exchanged names."""
    found: Any = bpy.data.actions.get(action.heft_part.source)
    return None if found == action else found


def _unfinished(owners: Any) -> list[Any]:
    """Return what is marked; the data of other files is not ours to change."""
    return [own for own in owners if own.library is None and own.heft_part.unfinished]


CLASSES = (HeftPart,)
GROUPS = ((bpy.types.Action, "heft_part", HeftPart), (bpy.types.Object, "heft_part", HeftPart))
HANDLERS = dict.fromkeys(("undo_post", "redo_post", "load_post"), _take_back)
