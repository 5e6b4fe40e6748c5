"""Walks with something in their way: `python3 dev.py bench obstacles` (docs/benchmarks.md)."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..common.cache import Cache, Outcome
from ..common.kept_run import run_kept
from ..common.measured_code import commit_of
from ..common.options import common_parser
from ..common.pages import write_page
from ..common.tables import Columns, markdown
from .plan import ROWS, describe, items_of

MOST_DEG = 5.0
"""Joint error up to which the motion counts as carried out [deg]."""


def main(argv: list[str]) -> int:
    """Run what is not known yet, and write the table."""
    options = common_parser("obstacles", "Walks with something in their way, at 0 N.").parse_args(argv)
    return run_kept("obstacles", options, [items_of(row) for row in ROWS], describe, _write_report)


def _write_report(cache: Cache, folder: Path) -> str:
    outcomes = {row: [own for item in items_of(row) if (own := cache.get(item)) is not None] for row in ROWS}
    single = [
        {"row": row, **item, **outcome}
        for row in ROWS
        for item in items_of(row)
        if (outcome := cache.get(item)) is not None and "error" not in outcome
    ]
    parts = [
        "# Obstacles",
        "Made by `python3 dev.py bench obstacles`; docs/benchmarks.md says how to read it. No outside "
        f"force, standard quality. Commit {commit_of('obstacles')}.",
        _summary([_row(row, own) for row, own in outcomes.items() if own]),
        _table([_row(row, own) for row, own in outcomes.items() if own]),
        "## Runs",
        _runs(single),
    ]
    return write_page(folder / "obstacles.md", parts)


def _row(label: str, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return the counts of one row: passed means to the end, as prepared, with nothing touched."""
    ran = [own for own in outcomes if "error" not in own]
    up = [own for own in ran if own["fell_at"] is None]
    passed = [own for own in up if _passes(own)]
    return {
        "row": label,
        "runs": len(outcomes),
        "up": len(up),
        "passed": len(passed),
        "near": sum(own["joint_error_source_deg"] <= MOST_DEG for own in passed),
        "touched": sum(own["touched"] for own in ran),
        "legs": sum(own["legs"] for own in ran),
        "searched": sum(own["searched"] for own in ran),
        "room": sum(not _as_wanted(own) for own in ran),
        "shift": 100.0 * float(np.mean([own["shift_m"] for own in ran])) if ran else None,
        "joint": _mean(up, "joint_error_deg"),
        "source": _mean(up, "joint_error_source_deg"),
        "below": _mean(up, "below_hips_deg"),
        "near_below": sum(own["below_hips_deg"] <= MOST_DEG for own in passed),
    }


def _passes(outcome: Outcome) -> bool:
    """Return whether a run that stays up goes as asked, near its reference, and touches nothing it avoids."""
    touches = outcome["touched"] and outcome["wanted"] != "onto"
    return _as_wanted(outcome) and outcome["joint_error_deg"] <= MOST_DEG and not touches


def _as_wanted(outcome: Outcome) -> bool:
    """Return whether there was room for what was asked; automatically anything but a collision is."""
    way, wanted = outcome["way"], outcome["wanted"]
    return way != "ignore" if wanted == "auto" else way in (wanted, "not in the way")


def _summary(rows: Sequence[dict[str, Any]]) -> str:
    """Return how many runs pass, by the way in which they do."""
    lines = []
    for way in ("over", "automatic", "around", "onto", "under", "stop"):
        own = [row for row in rows if row["row"].endswith(way)]
        passed, runs = (sum(row[name] for row in own) for name in ("passed", "runs"))
        lines.append(f"- {way}: {passed} of {runs} pass")
    return "\n".join(lines)


def _mean(outcomes: Sequence[Outcome], name: str) -> float | None:
    return float(np.mean([own[name] for own in outcomes])) if outcomes else None


def _table(rows: Sequence[dict[str, Any]]) -> str:
    columns = {
        "in the way": "{row}",
        "runs": "{runs}",
        "stay up": "{up}",
        "passed": "{passed}",
        "of these within 5 deg of the source": "{near}",
        "the same without the hips": "{near_below}",
        "touched": "{touched}",
        "legs meet": "{legs}",
        "no room": "{room}",
        "searched": "{searched}",
        "mean shift, cm": "{shift:.0f}",
        "from the prepared motion, deg": "{joint:.2f}",
        "from the source, deg": "{source:.2f}",
        "the same without the hips, deg": "{below:.2f}",
    }
    return markdown(rows, columns)


def _runs(rows: Sequence[dict[str, Any]]) -> str:
    columns: Columns = {
        "in the way": "{row}",
        "clip": "{clip}",
        "place": "{place:.2f}",
        "aside, m": "{aside:+.1f}",
        "way": "{way}",
        "shift, cm": lambda row: f"{100.0 * row['shift_m']:.0f}",
        "falls at, s": "{fell_at:.2f}",
        "from the prepared motion, deg": "{joint_error_deg:.2f}",
        "from the source, deg": "{joint_error_source_deg:.2f}",
        "without the hips, deg": "{below_hips_deg:.2f}",
        "touched": lambda row: "yes" if row["touched"] else "no",
        "legs meet": lambda row: "yes" if row["legs"] else "no",
        "searched": lambda row: "yes" if row["searched"] else "no",
    }
    return markdown(rows, columns)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
