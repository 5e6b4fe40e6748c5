"""Reader of TRC files: tab-separated text with a header of five lines, used by OpenSim and others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from ..base.conventions import FloatArray
from ..base.errors import InputError
from .raw_points import RawPoints, with_gaps

HEADER_LINES = 5


def read_trc(path: Path) -> list[RawPoints]:
    """Read the sections of consecutive frames of a file."""
    lines = _lines(path)
    header = _header(lines, path)
    labels = _labels(lines[3], path)
    rows = [line for line in lines[HEADER_LINES:] if line.strip()]
    if not rows:
        raise InputError(f"'{path.name}' has no frames; export the markers again.")
    _refuse_cut_off(rows, header, path)
    table = _table(rows, 2 + 3 * len(labels), path)
    whole = RawPoints(
        labels=labels,
        rate_hz=_rate(header, path),
        start_s=float(table[0, 1]),
        first_frame=int(table[0, 0]),
        position=with_gaps(table[:, 2:].reshape(len(table), -1, 3)),
        residual=np.full((len(table), len(labels)), np.nan),
        unit=header.get("units", ""),
    )
    return _sections(whole, table[:, 0], table[:, 1])


def _lines(path: Path) -> list[str]:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"'{path.name}' cannot be read: {error.strerror or error}.") from error
    if not data.strip():
        raise InputError(f"'{path.name}' is empty; export the markers again.")
    lines = data.decode("utf-8", errors="replace").lstrip("\ufeff").splitlines()
    if b"\0" in data[:4096] or not lines[0].lower().startswith("pathfiletype"):
        raise InputError(f"'{path.name}' is not a TRC file: its first line must begin with PathFileType.")
    if len(lines) < HEADER_LINES:
        raise InputError(f"'{path.name}' ends in its header; it is cut off, export it again.")
    return lines


def _header(lines: list[str], path: Path) -> dict[str, str]:
    """Return the values of line 3 by the names of line 2, in lower case."""
    names, values = _cells(lines[1]), _cells(lines[2])
    if len(values) < len(names):
        raise InputError(f"'{path.name}' line 3 has {len(values)} values for {len(names)} names of line 2.")
    return {name.strip().lower(): value.strip().lower() for name, value in zip(names, values, strict=False)}


def _cells(line: str) -> list[str]:
    return line.rstrip("\t\r\n ").split("\t") if "\t" in line else line.split()


def _labels(line: str, path: Path) -> tuple[str, ...]:
    """Return the labels, each of which is written above the first of its three columns."""
    labels = [cell.strip() for cell in _cells(line)[2:]]
    labels = labels[::3] if "\t" in line else labels
    if not labels:
        raise InputError(f"'{path.name}' line 4 names no markers; export the markers again.")
    return tuple(labels)


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


def _refuse_cut_off(rows: list[str], header: dict[str, str], path: Path) -> None:
    declared = _number(header, "numframes")
    if declared is not None and len(rows) < declared:
        raise InputError(
            f"'{path.name}' says it has {declared:g} frames, but {len(rows)} are there; "
            "it is cut off, export it again."
        )


def _table(rows: list[str], columns: int, path: Path) -> FloatArray:
    """Return numbers (T, columns); empty cells are NaN."""
    table = np.full((len(rows), columns), np.nan)
    for i, row in enumerate(rows):
        cells = row.rstrip("\r\n").split("\t") if "\t" in row else row.split()
        try:
            values = [float(cell) if cell.strip() else np.nan for cell in cells[:columns]]
        except ValueError:
            raise InputError(f"'{path.name}' frame {i + 1} holds something that is no number.") from None
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
