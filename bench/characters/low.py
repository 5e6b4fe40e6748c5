"""Actions in which game characters sit or lie, on the supports that are found: `bench characters --low`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ..common.cache import Cache, Item
from ..common.measured_code import commit_of
from ..common.options import CACHE
from ..common.pages import write_page
from ..common.pool import Budget, run_tasks
from ..common.tables import markdown
from .trials import actions_of, sits_or_lies

CHARACTERS = ("RobotExpressive", "KayKit_Knight")
COLUMNS = {
    "character": "{character}",
    "action": "{action}",
    "supports": "{supports}",
    "to the end": "{outcome}",
    "searched": "{searched}",
    "joint error, deg": "{joint:.1f}",
    "from the source, deg": "{source:.1f}",
    "CPU s": "{cpu:.0f}",
}


def run_low(options: argparse.Namespace) -> int:
    """Run what is not known yet, and write the table."""
    cache = Cache("characters", CACHE / "characters_low.jsonl", options.fresh)
    items: list[Item] = [
        {"character": who, "action": action, "assist": 0.0, "supports": True}
        for who in CHARACTERS
        for action in actions_of(who)
        if options.only in action and sits_or_lies(who, action)
    ]
    if not options.report:
        tasks = [items[first :: options.jobs] for first in range(options.jobs)]
        run_tasks("characters", tasks, cache, options.jobs, Budget(options.minutes), _describe)
    options.out.mkdir(parents=True, exist_ok=True)
    print(_write(cache, items, options.out / "characters_low.md"))
    cache.warn_of_edits()
    return 0


def _describe(item: Item) -> str:
    return f"{item['character']} {item['action']}"


def _write(cache: Cache, items: list[Item], path: Path) -> str:
    known = [(item, outcome) for item in items if (outcome := cache.get(item)) is not None]
    rows = [_row(item, outcome) for item, outcome in known]
    full = sum(row["outcome"] == "yes" for row in rows)
    parts = [
        "# Characters that sit or lie",
        "Made by `python3 dev.py bench characters --low`; docs/benchmarks.md explains it. Every "
        "action in which the hips are low, as Simulate reads it, on the supports that are found in it, "
        "without assist. "
        f"Commit {commit_of('characters')}.",
        f"To the end, with no fall reported where the clip lies: {full} of {len(rows)} "
        f"({len(items)} actions sit or lie).",
        markdown(rows, COLUMNS),
    ]
    return write_page(path, parts)


def _row(item: Item, outcome: dict[str, Any]) -> dict[str, Any]:
    problem = outcome.get("refused", outcome.get("error"))
    if problem is not None:
        nothing = dict.fromkeys(("supports", "searched", "joint", "source", "cpu"))
        return dict(item) | nothing | {"outcome": problem}
    figures = outcome["metrics"]
    fall = f"falls at {figures['up_s']:.2f} of {figures['seconds']:.2f} s"
    return dict(item) | {
        "supports": outcome["supports"],
        "outcome": "yes" if figures["full"] else fall,
        "searched": "yes" if outcome["searched"] else "no",
        "joint": figures["joint_error_deg"],
        "source": figures["joint_error_source_deg"],
        "cpu": outcome["cpu_seconds"],
    }
