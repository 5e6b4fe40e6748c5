"""Reader of marker files (C3D, TRC): takes in metres, Z up, gaps as NaN, labels without prefixes."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np

from ..base.conventions import FloatArray
from ..base.errors import InputError
from ..base.files import names_its_file
from .c3d_file import read_c3d
from .file_axes import FileAxes, find_file_axes
from .marker_take import ForcePlate, MarkerFile, MarkerTake
from .raw_points import RawPlate, RawPoints
from .trc_file import read_trc

SUFFIXES = (".c3d", ".trc")
SUBJECT_MARKERS = 3
"""Least number of markers with a prefix that make a subject."""
UNLABELLED = re.compile(r"^(\*\d*|\d*|u_?\d+|unlabell?ed.*|uname\*?\d*|unknown.*)$", re.IGNORECASE)


def is_marker_file(path: Path) -> bool:
    """Return whether a file is a marker file, by its suffix."""
    return path.suffix.lower() in SUFFIXES


@names_its_file
def read_markers(path: Path, unit: float | None = None) -> MarkerFile:
    """Read all takes of a C3D or TRC file; `unit` is metres per file unit, None trusts the file."""
    path = Path(path)
    if not is_marker_file(path):
        raise InputError(f"'{path.name}' is no marker file; Heft reads C3D and TRC.")
    parts = [read_c3d(path)] if path.suffix.lower() == ".c3d" else read_trc(path)
    for part in parts:
        if not 0.0 < part.rate_hz < np.inf:
            raise InputError(
                f"The frame rate of '{path.name}' is {part.rate_hz:g}; it must be a number above zero."
            )
    parts = [part for part in parts if len(part.position) > 1] or parts[:1]
    if len(parts[0].position) < 2:
        raise InputError(f"'{path.name}' has one frame only; a motion needs at least two.")
    axes = _file_axes(parts, unit, path)
    takes = [take for part in parts for take in _takes(part, axes)]
    notes = (*parts[0].notes, *axes.notes, *_notes(takes), *_doubles_note(parts[0].labels))
    return MarkerFile(_named(takes), axes.unit_m, notes, axes.turn)


def _file_axes(parts: list[RawPoints], unit: float | None, path: Path) -> FileAxes:
    longest = max(parts, key=lambda part: len(part.position))
    if not np.isfinite(longest.position).any():
        raise InputError(f"No marker of '{path.name}' is ever seen; export the markers again.")
    plates = [plate.corners for plate in longest.plates]
    return find_file_axes(longest.labels, longest.position, longest.unit, longest.up, unit, plates)


def _takes(part: RawPoints, axes: FileAxes) -> list[MarkerTake]:
    """Return one take for each subject; points without a subject belong to all of them."""
    prefixes = [label.rpartition(":")[0] for label in part.labels]
    subjects = [name for name in dict.fromkeys(prefixes) if name and prefixes.count(name) >= SUBJECT_MARKERS]
    if len(subjects) < 2:
        return [_take(part, subjects[0] if subjects else "", list(range(len(part.labels))), axes)]
    shared = [i for i, prefix in enumerate(prefixes) if prefix not in subjects]
    return [
        _take(part, name, [i for i, prefix in enumerate(prefixes) if prefix == name] + shared, axes)
        for name in subjects
    ]


def _take(part: RawPoints, name: str, columns: list[int], axes: FileAxes) -> MarkerTake:
    labels = [part.labels[i].rpartition(":")[2].strip() for i in columns]
    labelled = [not UNLABELLED.match(label) for label in labels]
    labels = [
        label if named else f"point {i + 1}"
        for i, label, named in zip(columns, labels, labelled, strict=True)
    ]
    position = part.position[:, columns]
    labels, labelled = _unique(labels, labelled, position)
    time = part.start_s + np.arange(len(position)) / part.rate_hz
    return MarkerTake(
        name=name,
        labels=tuple(labels),
        labelled=np.array(labelled, dtype=bool),
        time=time,
        position_world=axes.unit_m * position @ axes.turn.T,
        residual=axes.unit_m * part.residual[:, columns],
        first_frame=part.first_frame,
        plates=tuple(_plate(plate, axes, part.start_s) for plate in part.plates),
        outputs=part.outputs,
        parameters=part.parameters,
    )


def _unique(labels: list[str], labelled: list[bool], position: FloatArray) -> tuple[list[str], list[bool]]:
    """Return labels without doubles: the point that is seen most keeps a name, others become unlabelled."""
    seen = np.isfinite(position).all(axis=2).sum(axis=0)
    unique, named = list(labels), list(labelled)
    for label in {label for label in labels if labels.count(label) > 1}:
        own = [i for i, other in enumerate(labels) if other == label]
        kept = max(own, key=lambda i: (seen[i], -i))
        for number, i in enumerate((i for i in own if i != kept), start=2):
            unique[i], named[i] = f"{label} ({number})", False
    return unique, named


def _plate(plate: RawPlate, axes: FileAxes, start_s: float) -> ForcePlate:
    def turned(values: FloatArray) -> FloatArray:
        return np.asarray(values @ axes.turn.T)

    return ForcePlate(
        corners_world=axes.unit_m * turned(plate.corners),
        time=start_s + np.arange(len(plate.force)) / plate.rate_hz,
        force_world=turned(plate.force),
        moment_world=plate.moment_unit * turned(plate.moment),
        pressure_world=axes.unit_m * turned(plate.pressure),
    )


def _named(takes: list[MarkerTake]) -> tuple[MarkerTake, ...]:
    """Return takes with distinct names if there are several."""
    if len(takes) == 1:
        return tuple(takes)
    names = [take.name for take in takes]
    return tuple(
        replace(take, name=take.name)
        if take.name and names.count(take.name) == 1
        else replace(take, name=f"{take.name or 'take'} {number}")
        for number, take in enumerate(takes, start=1)
    )


def _notes(takes: list[MarkerTake]) -> list[str]:
    if len(takes) == 1:
        return []
    return [f"The file holds {len(takes)} takes: {', '.join(take.name for take in _named(takes))}."]


def _doubles_note(labels: tuple[str, ...]) -> list[str]:
    """Return a note about labels that several points have."""
    named = [label for label in labels if not UNLABELLED.match(label.rpartition(":")[2].strip())]
    doubled = sorted({label for label in named if named.count(label) > 1})
    if not doubled:
        return []
    shown = ", ".join(f"'{label}'" for label in doubled[:5]) + (", ..." if len(doubled) > 5 else "")
    return [
        f"Several points are called {shown}; the one that is seen most has the name, the others have none."
    ]
