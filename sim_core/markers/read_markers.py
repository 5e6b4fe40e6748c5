"""Reader of marker files (C3D, TRC) and of keypoints from video (TRC, CSV, npy, folders of sessions).

Takes are in metres, Z up, with gaps as NaN and labels without prefixes.
"""

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
from .keypoint_file import UNKNOWN_RATE, read_keypoints, refuse_picture
from .marker_take import ForcePlate, MarkerFile, MarkerTake
from .raw_points import RawPlate, RawPoints
from .session_folder import KEYPOINT_SUFFIXES, find_recordings, is_session
from .trc_file import read_trc

SUBJECT_MARKERS = 3
"""Least number of markers with a prefix that make a subject."""
UNLABELLED = re.compile(r"^(\*\d*|\d*|u_?\d+|unlabell?ed.*|uname\*?\d*|unknown.*)$", re.IGNORECASE)


@names_its_file
def read_markers(path: Path, unit: float | None = None, fps: float | None = None) -> MarkerFile:
    """Read all takes of a file or of a session's folder.

    unit: metres per file unit; fps: frames per second; None trusts the file
    """
    path = Path(path)
    if not is_session(path):
        return _read_file(path, unit, fps)
    found = find_recordings(path)
    files = {name: _read_file(file, unit, fps) for name, file in found.files.items()}
    takes = tuple(
        replace(take, name=f"{name} {take.name}".strip())
        for name, file in files.items()
        for take in file.takes
    )
    notes = dict.fromkeys([*found.notes, *_notes(list(takes)), *(n for f in files.values() for n in f.notes)])
    return MarkerFile(_named(list(takes)), next(iter(files.values())).unit_m, tuple(notes))


def _read_file(path: Path, unit: float | None, fps: float | None) -> MarkerFile:
    parts = [_at_rate(part, fps, path) for part in _parts(path, unit)]
    parts = [part for part in parts if len(part.position) > 1] or parts[:1]
    if len(parts[0].position) < 2:
        raise InputError(f"'{path.name}' has one frame only; a motion needs at least two.")
    axes = _file_axes(parts, unit, path)
    takes = [take for part in parts for take in _takes(part, axes)]
    notes = (*parts[0].notes, *axes.notes, *_notes(takes), *_doubles_note(parts[0].labels))
    return MarkerFile(_named(takes), axes.unit_m, notes, axes.turn)


def _parts(path: Path, unit: float | None) -> list[RawPoints]:
    suffix = path.suffix.lower()
    if suffix == ".c3d":
        return [read_c3d(path)]
    if suffix == ".trc":
        return read_trc(path)
    if suffix in KEYPOINT_SUFFIXES:
        points = read_keypoints(path)
        if unit is None:
            refuse_picture(points, path)
        return [points]
    raise InputError(
        f"'{path.name}' is no marker file; Heft reads C3D and TRC, keypoints as CSV or npy, and folders of "
        "Pose2Sim and FreeMoCap."
    )


def _at_rate(part: RawPoints, fps: float | None, path: Path) -> RawPoints:
    """Return points at the given frame rate, else at the file's own."""
    if fps is None and part.rate_hz == UNKNOWN_RATE and path.suffix.lower() in KEYPOINT_SUFFIXES:
        raise InputError(
            f"'{path.name}' has no times, and no file beside it tells the frame rate; give that of the video "
            "(--fps 30; in Blender, Frame Rate)."
        )
    rate = part.rate_hz if fps is None else fps
    if not 0.0 < rate < np.inf:
        raise InputError(f"The frame rate of '{path.name}' is {rate:g}; it must be a number above zero.")
    faster = rate / part.rate_hz if part.rate_hz > 0.0 else 1.0
    plates = tuple(replace(plate, rate_hz=plate.rate_hz * faster) for plate in part.plates)
    return replace(part, rate_hz=rate, plates=plates)


def _file_axes(parts: list[RawPoints], unit: float | None, path: Path) -> FileAxes:
    longest = max(parts, key=lambda part: len(part.position))
    if not np.isfinite(longest.position).any():
        raise InputError(f"No marker of '{path.name}' is ever seen; export the markers again.")
    plates = [plate.corners for plate in longest.plates]
    # The size of one person tells the unit; several may be far apart.
    columns = next(iter(_subjects(longest.labels).values()))
    labels = tuple(longest.labels[i] for i in columns)
    return find_file_axes(labels, longest.position[:, columns], longest.unit, longest.up, unit, plates)


def _takes(part: RawPoints, axes: FileAxes) -> list[MarkerTake]:
    return [_take(part, name, columns, axes) for name, columns in _subjects(part.labels).items()]


def _subjects(labels: tuple[str, ...]) -> dict[str, list[int]]:
    """Return the points of each subject; points without a subject belong to all of them."""
    prefixes = [label.rpartition(":")[0] for label in labels]
    subjects = [name for name in dict.fromkeys(prefixes) if name and prefixes.count(name) >= SUBJECT_MARKERS]
    if len(subjects) < 2:
        return {subjects[0] if subjects else "": list(range(len(labels)))}
    shared = [i for i, prefix in enumerate(prefixes) if prefix not in subjects]
    return {name: [i for i, prefix in enumerate(prefixes) if prefix == name] + shared for name in subjects}


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
