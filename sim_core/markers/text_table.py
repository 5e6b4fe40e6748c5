"""Tables of comma-separated values as they are written: a header and rows of cells."""

from __future__ import annotations

import csv
from pathlib import Path

from ..base.errors import InputError
from ..base.files import read_text

DELIMITERS = ",;\t"


def read_table(path: Path) -> tuple[list[str], list[list[str]]]:
    """Return the header and the rows that are not empty, delimited by whatever the header has most of."""
    lines = read_text(path, f"'{path.name}' is no text; export the keypoints again as CSV.").splitlines()
    first = next((line for line in lines if line.strip()), "")
    delimiter = max(DELIMITERS, key=first.count)
    try:
        rows = [row for row in csv.reader(lines, delimiter=delimiter) if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise InputError(f"'{path.name}' is no table of comma-separated values: {error}.") from error
    if len(rows) < 2:
        raise InputError(f"'{path.name}' has no rows below its header; export the keypoints again.")
    return [cell.strip() for cell in rows[0]], rows[1:]
