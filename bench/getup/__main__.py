"""Walks that are pushed over and get up: `python3 dev.py bench getup` (docs/benchmarks.md)."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..common.cache import Cache
from ..common.kept_run import run_kept
from ..common.measured_code import commit_of
from ..common.options import common_parser
from ..common.pages import write_page
from ..common.tables import Columns, markdown
from .plan import describe, items

BACK_S, BAR = 6.0, 15
"""Within this time after the fall [s] it should be back on its walk, in this many of the runs."""


def main(argv: list[str]) -> int:
    """Run what is not known yet, and write the table."""
    options = common_parser("getup", "Walks that are pushed over and get up, at 0 N.").parse_args(argv)
    return run_kept("getup", options, [[item] for item in items()], describe, _write_report)


def _write_report(cache: Cache, folder: Path) -> str:
    rows = [{**item, **outcome} for item in items() if (outcome := cache.get(item)) is not None]
    parts = [
        "# Getting up",
        "Made by `python3 dev.py bench getup`; docs/benchmarks.md says how to read it. No outside force "
        f"but the push, human torque limits, standard quality. Commit {commit_of('getup')}.",
        _summary(rows),
        _table(rows),
    ]
    return write_page(folder / "getup.md", parts)


def _summary(rows: Sequence[dict[str, Any]]) -> str:
    fallen = [row for row in rows if row.get("fell_at") is not None]
    back = [row for row in fallen if row["back_s"] is not None]
    soon = sum(row["back_s"] <= BACK_S for row in back)
    possible = soon + len(items()) - len(rows)
    reached = "reached" if soon >= BAR else "not known yet" if possible >= BAR else "missed"
    return "\n".join(
        [
            f"- Known: {len(rows)} of {len(items())} runs; ended by an error: "
            f"{sum('error' in row for row in rows)}",
            f"- Falls: {len(fallen)} of {len(rows)}",
            f"- Back on the walk: {len(back)} of {len(fallen)}",
            f"- Within {BACK_S:g} s of the fall: {soon} of {len(fallen)} (bar {BAR} of 20: {reached})",
            f"- At the first try: {sum(row['tries'] == 1 for row in back)} of {len(fallen)}",
        ]
    )


def _table(rows: Sequence[dict[str, Any]]) -> str:
    columns: Columns = {
        "clip": "{clip}",
        "push, N": "{force_n}",
        "towards, deg": "{direction_deg:.0f}",
        "falls at, s": "{fell_at:.2f}",
        "rests after, s": "{rest_s:.2f}",
        "way": lambda row: row.get("way") or row.get("error", ""),
        "tries": "{tries:d}",
        "back after, s": "{back_s:.2f}",
        "then walks for, s": "{walks_s:.2f}",
        "from its reference then, deg": "{after_deg:.1f}",
        "CPU, s": "{cpu_s:.0f}",
    }
    nothing = dict.fromkeys(("fell_at", "rest_s", "tries", "back_s", "walks_s", "after_deg", "cpu_s"))
    return markdown([{**nothing, **row} for row in rows], columns)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
