"""Marker sets: which marker sits on which part of the body, and approximately where.

A table (MarkerSet) is found by labels among presets, proposed from the motion (propose.py), or edited by the
user; it can be saved as JSON and read again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..base.conventions import FloatArray
from ..base.errors import InputError
from ..base.files import names_its_file, write_text_atomically
from ..base.json_files import preset_names, read_json_file, read_preset, to_json
from ..recognition.mapping import SIDE_SLOTS, SIDES, SLOTS

GROUP = "markers"
MARKER_PARTS = ("hips", "spine", "chest", "neck", "head", *(s for s in SLOTS if "." in s))
"""Parts that a marker can sit on; "chest" is the last bone of the spine."""
SIGMA_M = {"joint": 0.005, "bone": 0.02, "skin": 0.04}
"""Standard deviation of a marker from its position in the set [m]; near a bone it is found by touch. A
keypoint that names a joint is its centre: what differs from it is noise or length."""
UNKNOWN_SIGMA_M = 0.15
"""The same for a marker without a known position [m]."""
MIRROR = np.array([1.0, -1.0, 1.0])
MIN_KNOWN = 5
"""Least number of known labels that identify a set."""


@dataclass(frozen=True, eq=False)
class MarkerPlacement:
    """One marker's row of the table.

    part: one of MARKER_PARTS; offset (3): in the part's frame on a body of 1.75 m [m]; None when unknown
    sigma [m]: standard deviation of the offset
    """

    part: str
    offset: FloatArray | None = None
    sigma: float = UNKNOWN_SIGMA_M

    def __post_init__(self) -> None:
        if self.part not in MARKER_PARTS:
            raise InputError(
                f"'{self.part}' is no part of the body; choose one of {', '.join(MARKER_PARTS)}."
            )


@dataclass(frozen=True, eq=False)
class MarkerSet:
    """The table: label -> placement."""

    name: str
    rows: Mapping[str, MarkerPlacement]
    notes: tuple[str, ...] = ()

    def joined(self, other: MarkerSet) -> MarkerSet:
        """Return this table with all rows of another one, which take precedence."""
        return replace(self, rows={**self.rows, **other.rows})

    def of(self, labels: tuple[str, ...]) -> MarkerSet:
        """Return the rows of these markers only."""
        return replace(self, rows={label: self.rows[label] for label in labels if label in self.rows})


def known_sets() -> tuple[str, ...]:
    """Return the names of the presets."""
    return preset_names(GROUP)


def preset_set(name: str) -> MarkerSet:
    """Return a preset by its name."""
    return set_from_dict(read_preset(GROUP, name), f"The marker set '{name}'")


def find_preset(labels: tuple[str, ...]) -> MarkerSet | None:
    """Return the preset that knows most of the labels, with the file's spelling.

    None if none knows enough
    """
    best: MarkerSet | None = None
    for name in known_sets():
        preset = preset_set(name)
        keys = {_key(label): row for label, row in preset.rows.items()}
        rows = {label: keys[_key(label)] for label in labels if _key(label) in keys}
        if len(rows) >= MIN_KNOWN and (best is None or len(rows) > len(best.rows)):
            best = MarkerSet(preset.name, rows)
    return best


@names_its_file
def read_set(path: Path) -> MarkerSet:
    """Read a table that was saved."""
    return set_from_dict(read_json_file(path, "marker set"), f"The marker set '{Path(path).name}'")


def save_set(table: MarkerSet, path: Path) -> None:
    """Write a table to a file."""
    write_text_atomically(path, to_json(set_to_dict(table)) + "\n")


def set_to_dict(table: MarkerSet) -> dict[str, Any]:
    """Return the table as it is stored in a file."""
    rows = {
        label: [row.part, None if row.offset is None else np.asarray(row.offset).tolist(), row.sigma]
        for label, row in table.rows.items()
    }
    return {"name": table.name, "centre": rows}


def _key(label: str) -> str:
    return re.sub(r"[\s._-]", "", label).lower()


def set_from_dict(data: Mapping[str, Any], owner: str) -> MarkerSet:
    """Return a table from JSON values; rows under "sided" are given for the left and hold for both sides."""
    for key in ("centre", "sided"):
        if not isinstance(data.get(key, {}), Mapping):
            raise InputError(f"{owner} is broken: '{key}' must list markers by name, in braces.")
    rows: dict[str, MarkerPlacement] = {}
    for label, row in data.get("centre", {}).items():
        rows[label] = MarkerPlacement(*_cells(row, label, owner))
    for pattern, row in data.get("sided", {}).items():
        part, offset, sigma = _cells(row, pattern, owner)
        for side, letter in zip(SIDES, data.get("sides", SIDES), strict=True):
            own_part = f"{part}.{side}" if part in SIDE_SLOTS else part
            own_offset = offset if side == SIDES[0] or offset is None else offset * MIRROR
            rows[pattern.replace("{}", letter)] = MarkerPlacement(own_part, own_offset, sigma)
    if not rows:
        raise InputError(f"{owner} is broken: it lists no markers.")
    return MarkerSet(str(data.get("name", "")), rows)


def _cells(row: Any, label: str, owner: str) -> tuple[str, FloatArray | None, float]:
    """Return part, offset or None, and standard deviation of a row, which may be "bone", "skin" or metres."""
    try:
        part, offset, kind = row
        if part not in MARKER_PARTS and part not in SIDE_SLOTS:
            raise InputError(f"{owner} is broken: '{label}' sits on '{part}', which is no part of the body.")
        position = None if offset is None else np.array(offset, dtype=np.float64).reshape(3)
        return str(part), position, SIGMA_M[kind] if isinstance(kind, str) else float(kind)
    except (TypeError, ValueError, KeyError) as problem:
        raise InputError(
            f"{owner} is broken: the row of '{label}' must be a part, three numbers, and 'bone' or 'skin'."
        ) from problem
