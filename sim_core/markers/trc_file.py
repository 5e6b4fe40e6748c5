"""Reader of TRC files: tab-separated text with a header of five lines, used by OpenSim and others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from ..base.conventions import FloatArray
from ..base.errors import SHOWN, InputError
from ..base.files import read_text
from ..motion.text_file import is_number
from .raw_points import RawPoints, with_gaps

HEADER_LINES = 5


def read_trc(path: Path) -> list[RawPoints]:
    """Read the sections of consecutive frames of a file."""
    lines, complete = _lines(path)
    header = _header(lines, path)
    rows = [_row_cells(line) for line in lines[HEADER_LINES:] if line.strip()]
    if not rows:
        raise InputError(f"'{path.name}' has no frames; export the markers again.")
    points = -(-(max(map(len, rows)) - 2) // 3)
    labels, notes = _labels(lines[3], points, header, path)
    notes += _frames_note(rows, complete, header, path)
    table = _table(rows, 2 + 3 * len(labels), path)
    whole = RawPoints(
        labels=labels,
        rate_hz=_rate(header, path),
        start_s=float(table[0, 1]),
        first_frame=int(table[0, 0]),
        position=with_gaps(table[:, 2:].reshape(len(table), -1, 3)),
        residual=np.full((len(table), len(labels)), np.nan),
        unit=header.get("units", ""),
        notes=notes,
    )
    return _sections(whole, table[:, 0], table[:, 1])


def _lines(path: Path) -> tuple[list[str], bool]:
    """Return the lines, and whether the last one ends as a line does."""
    refusal = f"'{path.name}' is not a TRC file: its first line must begin with PathFileType."
    text = read_text(path, refusal)
    if not text.strip():
        raise InputError(f"'{path.name}' is empty; export the markers again.")
    lines = text.splitlines()
    if not lines[0].lower().startswith("pathfiletype"):
        raise InputError(refusal)
    if len(lines) < HEADER_LINES:
        raise InputError(f"'{path.name}' ends in its header; it is cut off, export it again.")
    return lines, text.endswith(("\n", "\r"))


def _header(lines: list[str], path: Path) -> dict[str, str]:
    """Return the values of line 3 by the names of line 2, in lower case."""
    names, values = _cells(lines[1]), _cells(lines[2])
    if len(values) < len(names):
        raise InputError(
            f"'{path.name}' line 3 has {len(values)} values for {len(names)} names of line 2; export the "
            "markers again."
        )
    return {name.strip().lower(): value.strip().lower() for name, value in zip(names, values, strict=False)}


def _cells(line: str) -> list[str]:
    return line.rstrip("\t\r\n ").split("\t") if "\t" in line else line.split()


def _row_cells(line: str) -> list[str]:
    """Return the cells of a frame without the empty ones after the last tab."""
    cells = line.rstrip("\r\n").split("\t") if "\t" in line else line.split()
    while cells and not cells[-1].strip():
        cells.pop()
    return cells


def _labels(
    line: str, points: int, header: dict[str, str], path: Path
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return one label for each point, and notes.

    A label stands above the first of its three columns, but some programs put fewer or more tabs between two.
    points: number of points in the widest frame
    """
    cells = [cell.strip() for cell in _cells(line)[2:]]
    named = [cell for cell in cells if cell]
    labels = cells[::3] if len(named) in (len([cell for cell in cells[::3] if cell]), 3 * points) else named
    if not named:
        raise InputError(f"'{path.name}' line 4 names no markers; export the markers again.")
    declared = _number(header, "nummarkers")
    if len(labels) == points or (len(labels) > points and declared in (None, len(labels))):
        if declared in (None, len(labels)):
            return tuple(labels), ()
        note = f"The file says it has {declared:g} markers, but {len(labels)} are named and were read."
        return tuple(labels), (note,)
    if len(labels) < points == declared:
        note = (
            f"Line 4 names {len(labels)} of {points} markers; the last {points - len(labels)} have no names."
        )
        return (*labels, *[""] * (points - len(labels))), (note,)
    told = "" if declared is None else f", and NumMarkers says {declared:g}"
    raise InputError(
        f"'{path.name}' line 4 names {len(labels)} markers, but the frames hold {points}{told}; which name "
        "belongs to which marker cannot be told, export the markers again."
    )


def _number(header: dict[str, str], name: str) -> float | None:
    try:
        return float(header[name])
    except (KeyError, ValueError):
        return None


def _rate(header: dict[str, str], path: Path) -> float:
    rate = _number(header, "datarate")
    if rate is None or not 0.0 < rate < np.inf:
        found = header.get("datarate", "missing")
        raise InputError(f"The frame rate of '{path.name}' is {found}; DataRate must be a number above zero.")
    return rate


def _frames_note(
    rows: list[list[str]], complete: bool, header: dict[str, str], path: Path
) -> tuple[str, ...]:
    """Return a note where the header counts other frames than there are; refuse a file that is cut off.

    NumFrames is often left as it was when a part of a recording is saved, so only a last line that is
    incomplete proves that frames are missing.
    """
    declared = _number(header, "numframes")
    if declared is None or declared == len(rows):
        return ()
    if len(rows) < declared and not (complete and len(rows[-1]) >= min(map(len, rows))):
        raise InputError(
            f"'{path.name}' says it has {declared:g} frames, but {len(rows)} are there and the last is "
            "incomplete; it is cut off, export it again."
        )
    return (f"The file says it has {declared:g} frames, but {len(rows)} are there; all of them were read.",)


def _table(rows: list[list[str]], columns: int, path: Path) -> FloatArray:
    """Return numbers (T, columns); empty cells are NaN."""
    table = np.full((len(rows), columns), np.nan)
    for i, cells in enumerate(rows):
        try:
            values = [float(cell) if cell.strip() else np.nan for cell in cells[:columns]]
        except ValueError:
            bad = next(cell for cell in cells if cell.strip() and not is_number(cell))
            raise InputError(
                f"'{path.name}' frame {i + 1} holds '{bad[:SHOWN]}' where a number was expected; export the "
                "markers again."
            ) from None
        table[i, : len(values)] = values
    if not np.isfinite(table[:, :2]).all():
        raise InputError(f"'{path.name}' has frames without a number or a time; export the markers again.")
    return table


def _sections(whole: RawPoints, frame: FloatArray, time: FloatArray) -> list[RawPoints]:
    """Return the file cut where frame numbers or times jump."""
    step = np.diff(time)
    jumps = (np.diff(frame) != 1) | (step <= 0.0) | (step > 2.5 / whole.rate_hz)
    edges = [0, *(np.flatnonzero(jumps) + 1).tolist(), len(frame)]
    return [
        replace(
            whole,
            start_s=float(time[start]),
            first_frame=int(frame[start]),
            position=whole.position[start:end],
            residual=whole.residual[start:end],
        )
        for start, end in zip(edges, edges[1:], strict=False)
    ]
