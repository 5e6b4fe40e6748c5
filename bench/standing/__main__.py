"""Balance on two standing feet, by method: `python3 dev.py bench standing` (docs/benchmarks.md)."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..balance.plan import DEFAULT, describe
from ..common.cache import Cache, Item, Outcome
from ..common.kept_run import run_kept
from ..common.measured_code import commit_of
from ..common.options import common_parser
from ..common.pages import write_page
from ..common.tables import markdown
from ..common.tracking_error import is_full
from .plan import GROUPS, KINDS, METHODS, items_of

PLANTED_M = 0.05
"""A foot that ends no further from its planned position has stayed there [m]."""


def main(argv: list[str]) -> int:
    """Run what is not known yet, and write the table."""
    options = common_parser("standing", "Methods on two standing feet, at 0 N.").parse_args(argv)
    tasks = [_items((clip,), METHODS) for clips in GROUPS.values() for clip in clips]
    return run_kept("standing", options, tasks, describe, _write_report)


def _items(clips: Sequence[str], methods: Sequence[str], kinds: Sequence[str] = KINDS) -> list[Item]:
    return [item for c in clips for m in methods for kind in kinds for item in items_of(c, m)[kind]]


def _write_report(cache: Cache, folder: Path) -> str:
    parts = [
        "# Standing",
        "Made by `python3 dev.py bench standing`; docs/benchmarks.md says how to read it. No outside force, "
        f"standard quality, no second attempt. Commit {commit_of('standing')}.",
    ]
    for group, clips in GROUPS.items():
        rows = [_row(method, clips, cache) for method in METHODS]
        parts += [f"## {group[0].upper()}{group[1:]}", f"Motions: {', '.join(clips)}.", _table(rows)]
    return write_page(folder / "standing.md", parts)


def _row(method: str, clips: Sequence[str], cache: Cache) -> dict[str, Any]:
    """Return the counts of one method; errors are means over the runs that no method falls in."""
    row: dict[str, Any] = {"method": f"{method} (default)" if method == DEFAULT else method}
    for kind in KINDS:
        row[kind] = _count([outcome for _, outcome in _outcomes(_items(clips, (method,), (kind,)), cache)])
    row["all"] = _count([outcome for _, outcome in _outcomes(_items(clips, (method,)), cache)])
    together = [
        outcomes[METHODS.index(method)]
        for items in zip(*(_items(clips, (one,)) for one in METHODS), strict=True)
        if len(outcomes := [outcome for _, outcome in _outcomes(items, cache)]) == len(METHODS)
        and all(is_full(outcome["metrics"]) for outcome in outcomes)
    ]
    row |= {"runs": len(together), "joint": None, "root": None}
    if together:
        row["joint"] = float(np.mean([one["metrics"]["joint_error_deg"] for one in together]))
        row["root"] = 100.0 * float(np.mean([one["metrics"]["root_error_m"] for one in together]))
    return row


def _outcomes(items: Sequence[Item], cache: Cache) -> list[tuple[Item, Outcome]]:
    known = [(item, cache.get(item)) for item in items]
    return [(item, outcome) for item, outcome in known if outcome is not None and "error" not in outcome]


def _count(outcomes: Sequence[Outcome]) -> str:
    """Return how many stay up, how many of these on feet that stay in place, and of how many runs."""
    up = [outcome for outcome in outcomes if is_full(outcome["metrics"])]
    planted = sum(outcome["feet_m"] <= PLANTED_M for outcome in up)
    return f"{len(up)} ({planted}) of {len(outcomes)}"


def _table(rows: Sequence[dict[str, Any]]) -> str:
    columns = {
        "method": "{method}",
        "random start": "{start}",
        **{f"push {kind}": f"{{{kind}}}" for kind in KINDS[1:-1]},
        "5 kg ball": "{ball}",
        "all": "{all}",
        "runs compared": "{runs}",
        "joint, deg": "{joint:.2f}",
        "root, cm": "{root:.1f}",
    }
    return markdown(rows, columns)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
