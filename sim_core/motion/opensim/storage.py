"""Reads the tables of OpenSim, .mot and .sto files: a header, labels, and one row for each time."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...base.conventions import FloatArray
from ...base.errors import SHOWN, InputError
from ..text_file import error_at, numbers_at, read_lines

SUFFIXES, MODEL_SUFFIX = (".mot", ".sto"), ".osim"
END = "endheader"
TIME = "time"
MOST_HEADER_LINES = 1000


@dataclass(frozen=True, eq=False)
class Storage:
    """A table.

    columns: label -> values (T), without the time; time (T): increasing [s]
    in_degrees: whether angles are in degrees as the header says; None if it does not say
    """

    time: FloatArray
    columns: dict[str, FloatArray]
    in_degrees: bool | None
    notes: tuple[str, ...] = ()


def is_coordinate_file(path: Path) -> bool:
    """Return whether a file is a table of OpenSim, by its suffix."""
    return path.suffix.lower() in SUFFIXES


def read_storage(path: Path) -> Storage:
    """Read a table."""
    lines = read_lines(path, "an OpenSim")
    start = next((n for n, text in enumerate(lines[:MOST_HEADER_LINES]) if text.strip().lower() == END), None)
    if start is None:
        raise InputError(
            f"'{path.name}' has no line '{END}', so it is not a table of OpenSim, or is cut off in "
            "its header; export it again."
        )
    header = _header(lines[:start])
    rows = [number for number in range(start + 1, len(lines)) if lines[number].strip()]
    if len(rows) < 2:
        raise error_at(
            path, len(lines) - 1, f"no rows follow '{END}'", "the file is cut off, export it again"
        )
    labels = _labels(lines[rows[0]], path, rows[0])
    table = np.array([numbers_at(_cells(lines[row]), path, row, "this row", len(labels)) for row in rows[1:]])
    if not np.all(np.diff(table[:, 0]) > 0.0):
        bad = int(np.argmax(np.diff(table[:, 0]) <= 0.0)) + 2
        raise error_at(path, rows[bad], "the time does not increase here", "export the table again")
    columns = dict(zip(labels[1:], table[:, 1:].T, strict=True))
    return Storage(table[:, 0], columns, _in_degrees(header, path), _row_notes(header, len(table)))


def _cells(line: str) -> list[str]:
    return [cell for cell in re.split(r"[\s,]+", line) if cell]


def _header(lines: list[str]) -> dict[str, str]:
    pairs = (text.partition("=") for text in lines if "=" in text)
    return {name.strip().lower(): value.strip().lower() for name, _, value in pairs}


def _labels(line: str, path: Path, number: int) -> list[str]:
    labels = _cells(line)
    if labels[0].lower() != TIME or len(labels) < 2:
        what = f"the labels begin with '{labels[0][:SHOWN]}'"
        raise error_at(path, number, what, "the first must be 'time'")
    doubled = next((label for label in labels if labels.count(label) > 1), None)
    if doubled is not None:
        raise error_at(path, number, f"two columns are called '{doubled[:SHOWN]}'", "rename one of them")
    return labels


def _in_degrees(header: dict[str, str], path: Path) -> bool | None:
    if "indegrees" not in header:
        return None
    said = header["indegrees"]
    if said not in ("yes", "no", "true", "false", "1", "0"):
        raise InputError(f"The header of '{path.name}' says inDegrees={said[:SHOWN]}; it must be yes or no.")
    return said in ("yes", "true", "1")


def _row_notes(header: dict[str, str], rows: int) -> tuple[str, ...]:
    said = header.get("nrows", "")
    if not said.isdigit() or int(said) == rows:
        return ()
    return (f"The file says it has {said} rows, but {rows} are there; all of them were read.",)
