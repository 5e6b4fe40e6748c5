"""All figures of a batch in one table, as CSV and as JSON."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

from ..files import write_text_atomically
from ..json_text import to_json
from .folder import BatchFolder
from .items import BatchList
from .record import FAILED, Record

FIRST = ("rank", "name", "state", "reason")
LAST = ("seconds_taken", "host", "result")


def rows_of(records: Sequence[Record], batch: BatchList, folder: BatchFolder) -> list[dict[str, Any]]:
    """One row an item, in the order given: its options as `option.NAME`, its measures by their names."""
    rows = []
    for rank, record in enumerate(records, 1):
        options = batch.named(record.name).options
        measures = {k: v for k, v in record.metrics.items() if k not in ("result", "others")}
        result = None if record.state == FAILED else folder.result(record.name).relative_to(folder.path)
        rows.append(
            {"rank": rank, "name": record.name, "state": record.state, "reason": record.reason}
            | {f"option.{name}": value for name, value in options.items()}
            | measures
            | {"seconds_taken": record.seconds, "host": record.host}
            | {"result": None if result is None else result.as_posix()}
        )
    return rows


def write_table(rows: Sequence[Mapping[str, Any]], folder: BatchFolder) -> None:
    write_text_atomically(folder.table_json, to_json({"items": list(rows)}) + "\n")
    text = io.StringIO()
    names = dict.fromkeys(name for row in rows for name in row if name not in (*FIRST, *LAST))
    writer = csv.DictWriter(text, [*FIRST, *names, *LAST], lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _cell(value) for name, value in row.items()} for row in rows)
    write_text_atomically(folder.table_csv, text.getvalue())


def _cell(value: object) -> object:
    return to_json(value) if isinstance(value, (list, dict, bool)) else value
