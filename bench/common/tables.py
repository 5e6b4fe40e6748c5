"""Tables as Markdown and CSV."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

Row = Mapping[str, Any]
Format = str | Callable[[Row], str]
Columns = Mapping[str, Format]
"""How the cell below each heading is made: by a format string with the row's names, or by a function."""

NOTHING = "-"


def cell(row: Row, how: Format) -> str:
    """Return the text of a cell; a dash where there is no figure."""
    try:
        text = how(row) if callable(how) else how.format(**row)
    except (TypeError, ValueError):  # None has no number format
        return NOTHING
    return text.replace("|", "/") or NOTHING


def markdown(rows: Sequence[Row], columns: Columns) -> str:
    """Return a table."""
    lines = [" | ".join(columns), " | ".join("---" for _ in columns)]
    lines += [" | ".join(cell(row, how) for how in columns.values()) for row in rows]
    return "\n".join(f"| {line} |" for line in lines)


def write_csv(rows: Sequence[Row], columns: Sequence[str], path: Path) -> None:
    """Write a table with enough digits to compare, and too few to differ by rounding."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        for row in rows:
            writer.writerow([_plain(row.get(name)) for name in columns])


def _plain(value: Any) -> Any:
    if value is None:
        return ""
    return f"{value:.5g}" if isinstance(value, float) else value
