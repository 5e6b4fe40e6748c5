"""How much of the result is shown, on the object; the mark of Heft's own results, on the action."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import BoolProperty, FloatProperty, StringProperty
from bpy.types import Context, PropertyGroup

from .show import mix


def _mix(compare: Any, _context: Context) -> None:
    mix(compare.id_data, compare.share)


class HeftCompare(PropertyGroup):
    """On the object: how its bake is looked at."""

    share: FloatProperty(
        name="Result",
        description="1 shows the result, 0 the source, in between a mix of both; no key is changed",
        default=1.0,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
        update=_mix,
    )
    had_action: BoolProperty(description="The last bake was made of an action, not of the NLA", default=True)


class HeftResultMark(PropertyGroup):
    """On the action: Heft made it."""

    checksum: StringProperty(description="Of its curves when it was made; empty for all other actions")


CLASSES = (HeftCompare, HeftResultMark)
GROUPS = ((bpy.types.Object, "heft_compare", HeftCompare), (bpy.types.Action, "heft_result", HeftResultMark))
