"""What Heft keeps in the file about markers."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)
from bpy.types import Context, Object, PropertyGroup

from ...sim_core.markers.marker_sets import PLACES, UNKNOWN_SIGMA_M
from ..properties.attach import is_armature
from ..properties.outcome import HeftNote
from .sample_modifier import has_modifier, set_input

NOT_USED = "NONE"
PARTS = [(NOT_USED, "Not Used", "The fit leaves this marker alone")] + [
    (part, part.replace("_", " ").replace(".", " ").title(), "") for part in PLACES
]


QUALITIES = (
    ("PREVIEW", "Preview", "Frame by frame"),
    ("FINAL", "Final", "All frames at once, smooth over time"),
)
TARGETS = (
    ("NEW", "New Armature", "A skeleton of Heft's, sized to the subject"),
    ("OWN", "Own Armature", "An armature of yours; its bones keep their lengths"),
)


def _forget_place(row: Any, _context: Context) -> None:
    """A marker that was put on another part by hand can be anywhere on it."""
    row.has_offset, row.sigma = False, UNKNOWN_SIGMA_M


class HeftMarkerRow(PropertyGroup):
    """One marker of a take, in the order of its samples."""

    label: StringProperty(name="Marker")
    labelled: BoolProperty(description="Whether the file names it")
    seen_share: FloatProperty(description="Share of the frames in which it was seen")
    part: EnumProperty(
        name="Body Part",
        description="The part of the body that carries the marker",
        items=PARTS,
        default=NOT_USED,
        update=_forget_place,
    )
    has_offset: BoolProperty(description="Whether its place on the part is known")
    offset: FloatVectorProperty(description="Its place on the part of a body of 1.75 m [m]")
    sigma: FloatProperty(description="How far off that place may be [m]", default=UNKNOWN_SIGMA_M)
    fitted: BoolProperty()
    rms_cm: FloatProperty(description="Root mean square distance from the fitted body [cm]")
    worst_cm: FloatProperty(description="Largest distance from the fitted body [cm]")
    worst_frame: IntProperty(description="The frame of the largest distance")


def _show_chosen(take: Any, _context: Context) -> None:
    """The marker of the chosen row is painted in its own colour."""
    if has_modifier(take.id_data):
        set_input(take.id_data, "Chosen", take.row_index)


def _is_other_take(take: Any, obj: Any) -> bool:
    return obj.heft_take.present and obj != take.id_data


class HeftTake(PropertyGroup):
    """On the object that shows a take's markers; all other objects have none."""

    present: BoolProperty()
    file_name: StringProperty()
    subject: StringProperty()
    rows: CollectionProperty(type=HeftMarkerRow)
    row_index: IntProperty(name="Chosen Marker", default=-1, update=_show_chosen)
    set_name: StringProperty(name="Marker Set")
    quality: EnumProperty(name="Quality", items=QUALITIES, default="FINAL")
    target: EnumProperty(name="Fit To", items=TARGETS, default="NEW")
    own_armature: PointerProperty(
        type=Object, name="Armature", description="The armature that is posed", poll=is_armature
    )
    static: PointerProperty(
        type=Object,
        name="Static Trial",
        description="A take of the same subject standing still, for finding its lengths",
        poll=_is_other_take,
    )
    armature: PointerProperty(type=Object, name="Fitted Armature")
    fitted: BoolProperty()
    rms_cm: FloatProperty(description="Root mean square distance of all markers from the body [cm]")
    fit_notes: CollectionProperty(type=HeftNote)
    faults: CollectionProperty(type=HeftNote)
    plates: IntProperty()
    forces: PointerProperty(type=Object)
    notes: CollectionProperty(type=HeftNote)


class HeftControl(PropertyGroup):
    """On an Empty that pulls a bone; all other objects have none."""

    present: BoolProperty()
    armature: PointerProperty(type=Object, name="Character", poll=is_armature)
    bone: StringProperty(name="Bone", description="The bone whose head is pulled")
    weight: FloatProperty(
        name="Weight",
        description="0 does not pull, 1 reaches the place if the body can",
        default=1.0,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
    )
    use_x: BoolProperty(name="X", description="Pull along the world's X axis", default=True)
    use_y: BoolProperty(name="Y", description="Pull along the world's Y axis", default=True)
    use_z: BoolProperty(name="Z", description="Pull along the world's Z axis", default=True)
    dead_zone_m: FloatProperty(
        name="Dead Zone [m]",
        description="Nearer than this is near enough",
        min=0.0,
        soft_max=0.5,
        max=100.0,
        precision=3,
    )


CLASSES = (HeftMarkerRow, HeftTake, HeftControl)
GROUPS = ((bpy.types.Object, "heft_take", HeftTake), (bpy.types.Object, "heft_control", HeftControl))
