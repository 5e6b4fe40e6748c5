"""Steering through an action graph: `python3 dev.py bench steering` (docs/benchmarks.md)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from ..common.cache import Cache, Outcome
from ..common.kept_run import run_kept
from ..common.measured_code import commit_of
from ..common.options import common_parser
from ..common.pages import write_page
from ..common.tables import Columns, markdown
from .plan import ROWS, SECONDS, describe

LONGEST_WAIT_S = 1.2
"""Bar for the time from a command until it is taken [s]."""


def main(argv: list[str]) -> int:
    """Run what is not known yet, and write the table."""
    options = common_parser("steering", "Random steering and walks along curves, at 0 N.").parse_args(argv)
    tasks = [items[first::2] for items in ROWS.values() for first in (0, 1)]
    return run_kept("steering", options, tasks, describe, _write_report)


def _write_report(cache: Cache, folder: Path) -> str:
    known = {
        row: [(item, own) for item in items if (own := cache.get(item)) is not None]
        for row, items in ROWS.items()
    }
    parts = [
        "# Steering",
        "Made by `python3 dev.py bench steering`; docs/benchmarks.md says how to read it. No outside force, "
        f"standard quality, one attempt. Commit {commit_of('steering')}.",
    ]
    for row, runs in known.items():
        if runs:
            is_curve = runs[0][0]["kind"] == "curve"
            table = _curves(runs) if is_curve else _steered(runs)
            parts += [f"## {row[0].upper()}{row[1:]}", _summary(row, [own for _, own in runs]), table]
    return write_page(folder / "steering.md", parts)


def _summary(row: str, outcomes: list[Outcome]) -> str:
    up = sum(own.get("fell_at") is None and "error" not in own for own in outcomes)
    text = f"{row}: {up} of {len(outcomes)} stay up"
    waits = [own["longest_wait_s"] for own in outcomes if "longest_wait_s" in own]
    if not waits:
        return f"{text}."
    commands = sum(own["commands"] for own in outcomes if "commands" in own)
    late = sum(wait > LONGEST_WAIT_S for wait in waits)
    return (
        f"{text} for {SECONDS:g} s. Of {commands} commands the longest wait was {max(waits):.2f} s; "
        f"runs with one over {LONGEST_WAIT_S} s: {late}."
    )


def _steered(runs: list[tuple[Any, Outcome]]) -> str:
    columns: Columns = {
        "seed": "{seed}",
        "outcome": "{message}",
        "commands": "{commands}",
        "links": "{links}",
        "mean wait [s]": "{mean_wait_s:.2f}",
        "longest wait [s]": "{longest_wait_s:.2f}",
        "CPU [s]": "{cpu_s:.0f}",
    }
    return markdown([{**item, **own} for item, own in runs if "error" not in own], columns)


def _curves(runs: list[tuple[Any, Outcome]]) -> str:
    columns: Columns = {
        "curve": "{curve}",
        "length [m]": "{length_m:.1f}",
        "outcome": "{message}",
        "seconds": "{seconds:.1f}",
        "planned mean [cm]": "{planned_mean_cm:.1f}",
        "simulated mean [cm]": "{curve_mean_cm:.1f}",
        "at most [cm]": "{curve_max_cm:.1f}",
        "from the end [cm]": "{curve_end_cm:.1f}",
        "joints [deg]": "{joint_error_deg:.2f}",
        "planning CPU [s]": "{plan_cpu_s:.0f}",
    }
    return markdown([{**item, **own} for item, own in runs if "error" not in own], columns)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
