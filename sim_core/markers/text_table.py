"""Tables of comma-separated values as they are written: a header and rows of cells."""

from __future__ import annotations

import csv
from pathlib import Path

from ..base.errors import InputError

LARGEST_BYTES = 1_000_000_000
"""Larger tables are no take that anybody fits at once."""
DELIMITERS = ",;\t"


def read_table(path: Path) -> tuple[list[str], list[list[str]]]:
    """Return the header and the rows that are not empty, delimited by whatever the header has most of."""
    try:
        if path.stat().st_size > LARGEST_BYTES:
            raise InputError(
                f"'{path.name}' is larger than {LARGEST_BYTES / 1e9:g} GB; export a part of the take."
            )
        text = path.read_text(encoding="utf-8-sig", errors="replace")
    except OSError as error:
        raise InputError(f"'{path.name}' cannot be read: {error.strerror or error}.") from error
    if "\0" in text[:4096]:
        raise InputError(f"'{path.name}' is no text; export the keypoints again as CSV.")
    lines = text.splitlines()
    first = next((line for line in lines if line.strip()), "")
    delimiter = max(DELIMITERS, key=first.count)
    try:
        rows = [row for row in csv.reader(lines, delimiter=delimiter) if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise InputError(f"'{path.name}' is no table of comma-separated values: {error}.") from error
    if len(rows) < 2:
        raise InputError(f"'{path.name}' has no rows below its header; export the keypoints again.")
    return [cell.strip() for cell in rows[0]], rows[1:]
