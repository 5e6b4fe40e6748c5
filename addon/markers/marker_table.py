"""The table of a take: which marker is on which part of the body, and marker sets saved as files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy
import numpy as np
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

from ...sim_core.base.errors import InputError
from ...sim_core.markers.marker_sets import (
    MARKER_PARTS,
    UNKNOWN_SIGMA_M,
    MarkerPlacement,
    MarkerSet,
    known_sets,
    preset_set,
    read_set,
    save_set,
)
from ..blender.property_groups import HeftNote, is_armature
from ..presets.user_files import USER_PREFIX, UserFiles

if TYPE_CHECKING:
    from .take_object import TakeObject

NOT_USED = "NONE"
PARTS = [(NOT_USED, "Not Used", "The fit ignores this marker")] + [
    (part, part.replace("_", " ").replace(".", " ").title(), "") for part in MARKER_PARTS
]


QUALITIES = (
    ("PREVIEW", "Preview", "Each frame on its own; fast"),
    ("FINAL", "Final", "All frames at once, smooth over time"),
)
TARGETS = (
    ("NEW", "New Armature", "A new skeleton, sized to the subject"),
    ("OWN", "Existing Armature", "An armature of your own; its bones keep their lengths"),
)


def _forget_place(row: Any, _context: Context) -> None:
    """Reset a marker's offset when the user assigns it to another part."""
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
    has_offset: BoolProperty(description="Whether its position on the part is known")
    offset: FloatVectorProperty(description="Its position on the part of a body of 1.75 m [m]")
    sigma: FloatProperty(description="Standard deviation of that position [m]", default=UNKNOWN_SIGMA_M)
    fitted: BoolProperty()
    rms_cm: FloatProperty(description="Root mean square distance from the fitted body [cm]")
    worst_cm: FloatProperty(description="Largest distance from the fitted body [cm]")
    worst_frame: IntProperty(description="The frame of the largest distance")


def _show_chosen(take: Any, _context: Context) -> None:
    """Highlight the marker of the selected row."""
    from .take_object import has_modifier, set_input

    if has_modifier(take.id_data):
        set_input(take.id_data, "Chosen", take.row_index)


def _is_other_take(take: Any, obj: Any) -> bool:
    return obj.heft_take.present and obj != take.id_data


class HeftTake(PropertyGroup):
    """Table, options and results of a take, on the object that shows its markers."""

    present: BoolProperty()
    file_name: StringProperty()
    subject: StringProperty()
    rows: CollectionProperty(type=HeftMarkerRow)
    row_index: IntProperty(name="Chosen Marker", default=-1, update=_show_chosen)
    set_name: StringProperty(name="Marker Set")
    quality: EnumProperty(
        name="Quality", description="How long the fit may take", items=QUALITIES, default="FINAL"
    )
    target: EnumProperty(name="Fit To", description="Which armature is posed", items=TARGETS, default="NEW")
    own_armature: PointerProperty(
        type=Object, name="Armature", description="The armature that is posed", poll=is_armature
    )
    static: PointerProperty(
        type=Object,
        name="Static Trial",
        description="A take of the same subject standing still, used to measure its bones",
        poll=_is_other_take,
    )
    armature: PointerProperty(type=Object, name="Fitted Armature")
    fitted: BoolProperty()
    rms_cm: FloatProperty(description="Root mean square distance of the used markers from the body [cm]")
    used: StringProperty(description="How many of the file's markers were used")
    fit_warnings: CollectionProperty(type=HeftNote)
    fit_notes: CollectionProperty(type=HeftNote)
    faults: CollectionProperty(type=HeftNote)
    plates: IntProperty()
    forces: PointerProperty(type=Object)
    notes: CollectionProperty(type=HeftNote)


def fill_marker_table(obj: TakeObject, table: MarkerSet) -> int:
    """Fill every row from a marker set, and return how many markers it contains."""
    take = obj.heft_take
    take.set_name = table.name
    for row in take.rows:
        placement = table.rows.get(row.label)
        row.part = NOT_USED if placement is None else placement.part
        # After setting the part, which resets the offset.
        if placement is not None:
            row.has_offset = placement.offset is not None
            row.offset = (0.0, 0.0, 0.0) if placement.offset is None else placement.offset.tolist()
            row.sigma = placement.sigma
    return sum(row.part != NOT_USED for row in take.rows)


def table_of(obj: TakeObject) -> MarkerSet:
    """Return the table as a marker set; an empty table is refused."""
    rows = {}
    for row in obj.heft_take.rows:
        if row.part == NOT_USED:
            continue
        if row.has_offset:
            rows[row.label] = MarkerPlacement(row.part, np.array(row.offset, dtype=np.float64), row.sigma)
        else:
            rows[row.label] = MarkerPlacement(row.part)
    if not rows:
        raise InputError(f"No marker of '{obj.name}' has a body part; recognise the set or fill the table.")
    return MarkerSet(obj.heft_take.set_name or "By hand", rows)


def fill_by_labels(obj: TakeObject) -> None:
    """Fill the table from the known set with these labels; without one it stays empty."""
    from ...sim_core.markers.recognise_set import find_set

    table = find_set(tuple(row.label for row in obj.heft_take.rows))
    if table is not None:
        fill_marker_table(obj, table)


def recognise_set(obj: TakeObject, unit_m: float) -> MarkerSet:
    """Fill the table by the markers' labels, or else by how they move; return the set."""
    from ...sim_core.markers.fit_pipeline import choose_set
    from .take_object import read_take

    table = choose_set(read_take(obj, unit_m))
    fill_marker_table(obj, table)
    return table


FILES = UserFiles("marker_sets", "marker set")


def set_keys() -> list[tuple[str, str]]:
    """Return keys and names of all sets, the user's last."""
    own = [(key, key.removeprefix(USER_PREFIX)) for key in FILES.all_keys()]
    return [*((name, preset_set(name).name) for name in known_sets()), *own]


def load_set(key: str) -> MarkerSet:
    """Return the set of a key; a broken or missing file raises an InputError."""
    return read_set(FILES.file(key)) if key.startswith(USER_PREFIX) else preset_set(key)


def save_user_set(table: MarkerSet, name: str) -> str:
    """Save a table as a new file of the user; return its key."""
    key = FILES.new_key(name)
    save_set(MarkerSet(name.strip(), table.rows), FILES.file(key))
    return key


CLASSES = (
    HeftMarkerRow,
    HeftTake,
)

GROUPS = ((bpy.types.Object, "heft_take", HeftTake),)
