"""Rows of the balance benchmark: the worst figures over the seeds of one trial."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

from ..common.cache import Cache, Item, key_of
from ..common.tracking_error import is_full

Row = dict[str, Any]

_WORST = ("joint_error_deg", "root_error_m", "skate_cm_s", "penetration_max_mm", "jitter_deg")
COLUMNS = (
    *("part", "clip", "ground", "policy", "pushed", "share", "ball", "seeds", "full", "up_s", "seconds"),
    *(*_WORST, "residual_after_share", "rtf", "precompute_s", "control_ms", "tick_ms", "cause", "error"),
)
"""Columns of the CSV file; names have units."""


def make_rows(part: str, items: Sequence[Item], cache: Cache) -> list[Row]:
    """Return a row for each trial, in the order of the items; trials without outcomes are left out."""
    together: dict[str, list[Item]] = {}
    for item in items:
        together.setdefault(key_of({k: v for k, v in item.items() if k != "seed"}), []).append(item)
    rows = [_row(part, same, cache) for same in together.values()]
    return [row for row in rows if row is not None]


def _row(part: str, same: Sequence[Item], cache: Cache) -> Row | None:
    outcomes = [outcome for item in same if (outcome := cache.get(item)) is not None]
    if not outcomes:
        return None
    row: Row = dict.fromkeys(COLUMNS) | {k: same[0][k] for k in ("clip", "ground", "policy")}
    for name, kind in (("pushed", "push"), ("ball", "ball")):
        if same[0][kind] is not None:
            row[name], row["share"] = same[0][kind]
    row |= {"part": part, "seeds": len(outcomes), "full": 0}
    row["error"] = next((o["error"] for o in outcomes if "error" in o), None)
    known = [outcome for outcome in outcomes if "error" not in outcome]
    return row | _figures(known) if known else row


def _figures(known: Sequence[dict[str, Any]]) -> Row:
    """Return the worst physical figures, and median times: other programs may slow down single seeds."""
    figures = [outcome["metrics"] for outcome in known]
    fallen = [outcome for outcome in known if not is_full(outcome["metrics"])]
    causes = [cause for outcome in fallen for cause in outcome["causes"][:1]]
    return {
        "full": len(known) - len(fallen),
        "up_s": min(f["up_s"] for f in figures),
        "seconds": figures[0]["seconds"],
        **{name: max(f[name] for f in figures) for name in _WORST},
        "residual_after_share": known[0]["residual_after_share"],
        "rtf": statistics.median(f["rtf"] for f in figures),
        "precompute_s": statistics.median(outcome["precompute_s"] for outcome in known),
        "control_ms": statistics.median(outcome["control_ms"] for outcome in known),
        "tick_ms": statistics.median(outcome["tick_ms"] for outcome in known),
        "cause": causes[0] if causes else None,
    }
