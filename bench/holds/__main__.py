"""Hands that hold on to a rail while they are pushed: `python3 dev.py bench holds` (docs/benchmarks.md)."""

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
from ..common.tables import markdown
from .plan import ROLES, describe, items

WORDS = {"hold": "With a rail to hold on to", "none": "Without a rail"}
COLUMNS = {
    "rail": "{role}",
    "push, N": "{force_n:.0f}",
    "towards, deg": "{direction_deg:.0f}",
    "falls at, s": "{fell_at:.2f}",
    "joint error, deg": "{joint_error_deg:.2f}",
    "largest grip, N": "{peak_n:.0f}",
    "limit, N": "{limit_n:.0f}",
    "slips off": "{slips}",
    "CPU, s": "{cpu_s:.0f}",
}


def main(argv: list[str]) -> int:
    """Run what is not known yet, and write the table."""
    options = common_parser("holds", "Stands beside a rail that are pushed, at 0 N.").parse_args(argv)
    return run_kept("holds", options, [[item] for item in items()], describe, _write_report)


def _write_report(cache: Cache, folder: Path) -> str:
    known = [{**item, **own} for item in items() if (own := cache.get(item)) is not None]
    rows = [row for row in known if "error" not in row]
    about = (
        "Made by `python3 dev.py bench holds`; docs/benchmarks.md says how to read it. No outside force but "
        f"the push, standard quality without search. Known: {len(rows)} of {len(items())} runs. "
        f"Commit {commit_of('holds')}."
    )
    shown = [{**row, "slips": "yes" if row["slipped"] else "no"} for row in rows]
    return write_page(folder / "holds.md", ["# Holds", about, _summary(rows), markdown(shown, COLUMNS)])


def _summary(rows: Sequence[dict[str, Any]]) -> str:
    """Return how many pushes are withstood by what the rail is."""
    lines = []
    for role in ROLES:
        own = [row for row in rows if row["role"] == role]
        up = sum(row["fell_at"] is None for row in own)
        lines.append(f"- {WORDS[role]}: stays up in {up} of {len(own)} pushes.")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
