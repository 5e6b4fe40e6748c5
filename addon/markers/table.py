"""The table of a take: which marker sits on which part of the body, to and from the core's marker set."""

from __future__ import annotations

import numpy as np

from ...sim_core.base.errors import InputError
from ...sim_core.markers.marker_sets import MarkerSet, Placement, find_set
from ...sim_core.markers.pipeline import choose_set
from .properties import NOT_USED
from .take_object import TakeObject, read_take


def fill_table(obj: TakeObject, table: MarkerSet) -> int:
    """Set every row by a marker set; markers that it does not know are not used. How many are."""
    take = obj.heft_take
    take.set_name = table.name
    for row in take.rows:
        placement = table.rows.get(row.label)
        row.part = NOT_USED if placement is None else placement.part
        # After the part, which forgets the place of the part before.
        if placement is not None:
            row.has_offset = placement.offset is not None
            row.offset = (0.0, 0.0, 0.0) if placement.offset is None else placement.offset.tolist()
            row.sigma = placement.sigma
    return sum(row.part != NOT_USED for row in take.rows)


def table_of(obj: TakeObject) -> MarkerSet:
    """What the table says; refused when it says nothing."""
    rows = {}
    for row in obj.heft_take.rows:
        if row.part == NOT_USED:
            continue
        if row.has_offset:
            rows[row.label] = Placement(row.part, np.array(row.offset, dtype=np.float64), row.sigma)
        else:
            rows[row.label] = Placement(row.part)
    if not rows:
        raise InputError(f"No marker of '{obj.name}' has a body part; recognise the set or fill the table.")
    return MarkerSet(obj.heft_take.set_name or "By hand", rows)


def fill_by_labels(obj: TakeObject) -> None:
    """Write the known set that the labels belong to into the table; where none does it stays empty."""
    table = find_set(tuple(row.label for row in obj.heft_take.rows))
    if table is not None:
        fill_table(obj, table)


def recognise_set(obj: TakeObject, unit_m: float) -> MarkerSet:
    """The known set that the labels belong to, or else one by how the markers move, in the table."""
    table = choose_set(read_take(obj, unit_m))
    fill_table(obj, table)
    return table
