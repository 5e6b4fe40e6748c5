"""A row of the list of actions that are baked as one."""

from __future__ import annotations

from typing import Any

from bpy.props import BoolProperty, FloatProperty, PointerProperty, StringProperty
from bpy.types import Action, Context, PropertyGroup


def _whole_action(row: Any, _context: Context) -> None:
    """A row whose action was chosen plays all of it."""
    if row.action is not None:
        row.slot = ""
        row.frame_start, row.frame_end = row.action.frame_range


class HeftActionClip(PropertyGroup):
    """A row of the list of actions: a part of an action, as an NLA strip plays it."""

    action: PointerProperty(type=Action, name="Action", update=_whole_action)
    slot: StringProperty()
    frame_start: FloatProperty(name="Start", description="First frame of the action that is used")
    frame_end: FloatProperty(name="End", description="Last frame of the action that is used")
    repeat: FloatProperty(name="Repeat", description="How often it is played", default=1.0, min=0.1)
    scale: FloatProperty(name="Scale", description="2 plays it half as fast", default=1.0, min=0.01)
    reverse: BoolProperty(name="Reverse", description="Play it backwards")


CLASSES = (HeftActionClip,)
