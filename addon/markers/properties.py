"""What Heft keeps in the file about markers."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    FloatProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)
from bpy.types import Context, Object, PropertyGroup

from .. import compat
from ..properties import HeftNote

TAKE = "heft_take"
"""Of the property on objects."""


class HeftMarkerRow(PropertyGroup):
    """One marker of a take, in the order of its samples."""

    label: StringProperty(name="Marker")
    labelled: BoolProperty(description="Whether the file names it")
    seen_share: FloatProperty(description="Share of the frames in which it was seen")


def _show_chosen(take: Any, _context: Context) -> None:
    """The marker of the chosen row is painted in its own colour."""
    compat.set_modifier_input(take.id_data, "Chosen", take.row_index)


class HeftTake(PropertyGroup):
    """On the object that shows a take's markers; all other objects have none."""

    present: BoolProperty()
    file_name: StringProperty()
    subject: StringProperty()
    rows: CollectionProperty(type=HeftMarkerRow)
    row_index: IntProperty(name="Chosen Marker", default=-1, update=_show_chosen)
    plates: IntProperty()
    forces: PointerProperty(type=Object)
    notes: CollectionProperty(type=HeftNote)


CLASSES = (HeftMarkerRow, HeftTake)
GROUPS = ((bpy.types.Object, TAKE, HeftTake),)
