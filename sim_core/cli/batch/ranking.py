"""The ranking of a batch's items (docs/batch.md), and the table of all figures as CSV and JSON."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from ...base.errors import InputError
from ...base.files import write_text_atomically
from ...base.json_files import to_json
from ...result.metrics import Metrics
from .batch_folder import FAILED, UP, BatchFolder, ItemRecord
from .batch_list import BatchList

DEFAULT_MEASURE = "joint_error_source_deg"
LARGER_IS_BETTER = ("seconds", "up_s", "full", "rtf")
NOT_RANKED = ("effort_worst_joint",)
MEASURES = tuple(f.name for f in fields(Metrics) if f.name not in NOT_RANKED)


def ranked(records: Sequence[ItemRecord], measure: str = DEFAULT_MEASURE) -> list[ItemRecord]:
    """Return the records, best first: without falls, later falls, less assist, then by the measure.

    Failed items come last, by name.
    """
    if measure not in MEASURES:
        raise InputError(f"--rank-by '{measure}' is unknown; choose one of {', '.join(MEASURES)}.")

    def order(record: ItemRecord) -> tuple[int, float, float, float, str]:
        if record.state == FAILED:
            return (2, 0.0, 0.0, 0.0, record.name)
        fate = 0 if record.state == UP else 1
        share_up = _figure(record, "up_s") / max(_figure(record, "seconds"), 1e-9)
        sign = -1.0 if measure in LARGER_IS_BETTER else 1.0
        # Whole newtons: less than that is no difference that anybody could see.
        assist_n = float(round(_figure(record, "assist_force_mean_n")))
        figure = sign * _figure(record, measure, missing=sign * math.inf)
        return (fate, -share_up, assist_n, figure, record.name)

    return sorted(records, key=order)


def _figure(record: ItemRecord, name: str, missing: float = 0.0) -> float:
    value = record.metrics.get(name)
    return missing if value is None else float(value)


FIRST = ("rank", "name", "state", "reason")
LAST = ("seconds_taken", "cpu_seconds_taken", "host", "result")


def rows_of(records: Sequence[ItemRecord], batch: BatchList, folder: BatchFolder) -> list[dict[str, Any]]:
    """Return one row per item, in the order given: its options as `option.NAME`, and its measures."""
    rows = []
    for rank, record in enumerate(records, 1):
        options = batch.named(record.name).options
        measures = {k: v for k, v in record.metrics.items() if k not in ("result", "others")}
        result = None if record.state == FAILED else folder.result(record.name).relative_to(folder.path)
        rows.append(
            {"rank": rank, "name": record.name, "state": record.state, "reason": record.reason}
            | {f"option.{name}": value for name, value in options.items()}
            | measures
            | {"seconds_taken": record.seconds, "cpu_seconds_taken": record.cpu_seconds, "host": record.host}
            | {"result": None if result is None else result.as_posix()}
        )
    return rows


def write_table(rows: Sequence[Mapping[str, Any]], folder: BatchFolder) -> None:
    """Write the table as CSV and JSON."""
    write_text_atomically(folder.table_json, to_json({"items": list(rows)}) + "\n")
    text = io.StringIO()
    names = dict.fromkeys(name for row in rows for name in row if name not in (*FIRST, *LAST))
    writer = csv.DictWriter(text, [*FIRST, *names, *LAST], lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _cell(value) for name, value in row.items()} for row in rows)
    write_text_atomically(folder.table_csv, text.getvalue())


def _cell(value: object) -> object:
    return to_json(value) if isinstance(value, (list, dict, bool)) else value
