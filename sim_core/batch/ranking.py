"""The order of a batch's items, best first (docs/batch.md)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields

from ..errors import InputError
from ..metrics import Metrics
from .record import FAILED, UP, Record

DEFAULT_MEASURE = "joint_error_source_deg"
LARGER_IS_BETTER = ("seconds", "up_s", "full", "rtf")
NOT_RANKED = ("effort_worst_joint",)
MEASURES = tuple(f.name for f in fields(Metrics) if f.name not in NOT_RANKED)


def ranked(records: Sequence[Record], measure: str = DEFAULT_MEASURE) -> list[Record]:
    """Stayed up before fallen, later falls before early ones, less help before more, then the measure.

    Failed items come last, by name.
    """
    if measure not in MEASURES:
        raise InputError(f"--rank-by '{measure}' is unknown; choose one of {', '.join(MEASURES)}.")

    def order(record: Record) -> tuple[int, float, float, float, str]:
        if record.state == FAILED:
            return (2, 0.0, 0.0, 0.0, record.name)
        fate = 0 if record.state == UP else 1
        share_up = _figure(record, "up_s") / max(_figure(record, "seconds"), 1e-9)
        sign = -1.0 if measure in LARGER_IS_BETTER else 1.0
        # Whole newtons: less than that is no difference that anybody could see.
        help_n = float(round(_figure(record, "assist_force_mean_n")))
        figure = sign * _figure(record, measure, missing=sign * math.inf)
        return (fate, -share_up, help_n, figure, record.name)

    return sorted(records, key=order)


def _figure(record: Record, name: str, missing: float = 0.0) -> float:
    value = record.metrics.get(name)
    return missing if value is None else float(value)
