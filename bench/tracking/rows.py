"""Rows of the tracking table: the worst figures over the seeds of one clip with one set of options."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

from ..common.cache import Cache, Item, Outcome
from ..common.clips import clip_of
from ..common.tracking_error import is_full
from .bars import Miss, bar_of, misses, misses_everywhere

Row = dict[str, Any]

SETTINGS = ("sweep", "quality", "assist", "balance", "correction", "character")
COLUMNS = (
    *("clip", "group", *SETTINGS, "seeds", "seconds", "up_s", "full"),
    *("joint_error_deg", "joint_error_source_deg", "source_more_deg", "root_error_m", "skate_cm_s"),
    *("penetration_max_mm", "jitter_ratio", "residual_before_share", "residual_after_share"),
    *("residual_share", "assist_force_mean_n", "assist_force_max_n", "assist_torque_max_nm"),
    *(
        "effort_share",
        "effort_worst_joint",
        "rtf",
        "limit_ratio",
        "filter_s",
        "filter_share",
        "bake_s",
        "core_share",
    ),
    *("attempts", "dofs", "bar", "verdict", "error"),
)
"""Columns of the CSV file; names have units, as in docs/metrics.md."""
_WORST = (
    *("joint_error_deg", "joint_error_source_deg", "root_error_m", "skate_cm_s", "penetration_max_mm"),
    *("residual_share", "assist_force_mean_n", "assist_force_max_n", "assist_torque_max_nm", "effort_share"),
)


def make_rows(sweep: str, items: Sequence[Item], cache: Cache) -> list[Row]:
    """Return a row for each clip and set of options that has outcomes, in the order of the items."""
    together: dict[str, list[Item]] = {}
    for item in items:
        together.setdefault(str([item[key] for key in ("clip", *SETTINGS[1:])]), []).append(item)
    rows = []
    for same in together.values():
        outcomes = [outcome for item in same if (outcome := cache.get(item)) is not None]
        if outcomes:
            rows.append(make_row(sweep, same[0], outcomes, complete=len(outcomes) == len(same)))
    return rows


def make_row(sweep: str, item: Item, outcomes: Sequence[Outcome], complete: bool = True) -> Row:
    """Return the worst figures of some seeds; they are judged only if the seeds are complete."""
    row: Row = dict.fromkeys(COLUMNS)
    row |= {name: item[name] for name in SETTINGS[1:]}
    row |= {"sweep": sweep, "clip": item["clip"], "group": clip_of(item["clip"]).group}
    row["seeds"] = len(outcomes)
    row["error"] = next((o["error"] for o in outcomes if o.get("error")), None)
    good = [o for o in outcomes if not o.get("error")]
    row["full"] = sum(is_full(o["metrics"]) for o in good)
    if good:
        row |= _figures(good)
    if not complete:
        return row | {"verdict": "incomplete"}
    return row | _judged(row) if sweep == "bars" else row


def _figures(outcomes: Sequence[Outcome]) -> Row:
    """Return the worst physical figures, and median times: other programs may slow down single seeds."""
    figures = [o["metrics"] for o in outcomes]
    seconds = figures[0]["seconds"]
    filter_s = statistics.median(o["wall_seconds"]["reference"] for o in outcomes)
    worst_effort = max(figures, key=lambda f: f["effort_share"])
    return {name: max(f[name] for f in figures) for name in _WORST} | {
        "seconds": seconds,
        "up_s": min(f["up_s"] for f in figures),
        "source_more_deg": max(f["joint_error_source_deg"] - f["joint_error_deg"] for f in figures),
        "jitter_ratio": max(f["jitter_deg"] / max(f["jitter_source_deg"], 1e-9) for f in figures),
        "effort_worst_joint": worst_effort["effort_worst_joint"],
        "residual_before_share": outcomes[0]["residual_before_share"],
        "residual_after_share": outcomes[0]["residual_after_share"],
        "rtf": statistics.median(f["rtf"] for f in figures),
        "limit_ratio": statistics.median(f["limit_ratio"] for f in figures),
        "filter_s": filter_s,
        "filter_share": filter_s / seconds,
        "core_share": statistics.median(o["core_share"] for o in outcomes),
        "bake_s": statistics.median(sum(o["wall_seconds"].values()) for o in outcomes),
        "attempts": ", ".join(dict.fromkeys(str(o["attempt"]) for o in outcomes)),
        "dofs": outcomes[0]["dofs"],
        "explained": all(o["explained"] for o in outcomes),
        "causes": next((o["causes"] for o in outcomes if o["causes"]), []),
    }


def _judged(row: Row) -> Row:
    bar = bar_of(row["clip"], row["group"], row["assist"])
    if bar is None:
        return {"bar": "", "verdict": ""}
    own, general = misses(bar, row), misses_everywhere(bar, row)
    return {"bar": str(bar), "verdict": verdict(own, general), "own": own, "general": general}


def verdict(own: Sequence[Miss], general: Sequence[Miss]) -> str:
    """Return a short verdict for a table's cell."""
    missed = [miss.measure for miss in (*own, *general)]
    return f"MISSED {', '.join(missed)}" if missed else "ok"
