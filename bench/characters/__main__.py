"""All actions of game characters: `python3 dev.py bench characters` (docs/benchmarks.md)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from ..common.cache import Cache, Item
from ..common.clips import require_data
from ..common.measured_code import commit_of
from ..common.options import CACHE, common_parser
from ..common.pages import write_page
from ..common.pool import Budget, run_tasks
from ..common.tables import markdown
from .low import run_low
from .trials import actions_of

CHARACTERS = ("CesiumMan", "RobotExpressive", "KayKit_Knight")
ASSISTS = (0.0, 15.0)
"""Caps of the assist [N, Nm]: physics alone, and for what that does not carry the panel's default."""
KEPT_DEG = 10.0
"""Mean joint error to the source, up to which a motion counts as kept [deg]."""
CLOSED_DEG, CLOSED_CM = 1.0, 1.0
"""A cycle stays closed if its gap is wider than the source's by at most this."""
IN_A_ROW = 8
"""Actions that one worker process simulates, because opening a character takes its time."""


def make_item(character: str, action: str, assist: float) -> Item:
    """Return the run of an action with a cap of the assist."""
    return {"character": character, "action": action, "assist": assist}


def describe(item: Item) -> str:
    """Return a short name of a run."""
    return f"{item['character']} {item['action']}, {item['assist']:g} N"


def main(argv: list[str]) -> int:
    """Run what is not known yet, and write the table."""
    parser = common_parser("characters", "All actions of game characters with default settings.")
    parser.add_argument("--only", default="", metavar="TEXT", help="only actions whose name has this text")
    parser.add_argument("--low", action="store_true", help="what sits or lies, on supports that are found")
    options = parser.parse_args(argv)
    require_data()
    if options.low:
        return run_low(options)
    cache, budget = Cache("characters", CACHE / "characters.jsonl", options.fresh), Budget(options.minutes)
    named = [(who, action) for who in CHARACTERS for action in actions_of(who) if options.only in action]
    for assist in ASSISTS if not options.report else ():
        waiting = [make_item(*own, assist) for own in named if not _carried(cache, *own)]
        tasks = [waiting[k : k + IN_A_ROW] for k in range(0, len(waiting), IN_A_ROW)]
        run_tasks("characters", tasks, cache, options.jobs, budget, describe)
    options.out.mkdir(parents=True, exist_ok=True)
    print(write_report(cache, named, options.out / "characters.md"))
    cache.warn_of_edits()
    return 0


def _carried(cache: Cache, character: str, action: str) -> bool:
    """Return whether an action is known to reach its end, or is refused, without an assist."""
    known = cache.get(make_item(character, action, ASSISTS[0]))
    return known is not None and ("refused" in known or _is_kept(known))


def _is_kept(outcome: dict[str, Any]) -> bool:
    figures = outcome.get("metrics")
    return figures is not None and figures["full"] and figures["joint_error_source_deg"] <= KEPT_DEG


def write_report(cache: Cache, named: list[tuple[str, str]], path: Path) -> str:
    """Write the table of all actions, and return it."""
    rows = [row for own in named if (row := _row(cache, *own)) is not None]
    feet = [row for row in rows if row["kind"] == "on its feet"]
    cycles = [row for row in rows if row["closes"]]
    about = (
        "Made by `python3 dev.py bench characters`; docs/benchmarks.md explains it. Every action as Simulate "
        "reads it, with the panel's defaults: first without assist, then with at most 15 N where that does "
        f"not carry it. Kept: to the end, joints within {KEPT_DEG:g} deg of the source on average. "
        f"{len(rows)} of {len(named)} actions were run. Commit {commit_of('characters')}."
    )
    bars = (
        f"On their feet: {len(feet)} actions; kept at 0 N: {_share(feet, 'at_0')}; "
        f"with at most 15 N: {_share(feet, 'at_15')}. Clips that close: {len(cycles)}; "
        f"closed in the result: {_share(cycles, 'stays_closed')}."
    )
    return write_page(path, ["# Characters", about, bars, markdown(rows, COLUMNS)])


COLUMNS = {
    "character": "{character}",
    "action": "{action}",
    "kind": "{kind}",
    "outcome": "{outcome}",
    "assist, N": "{assist:.0f}",
    "from the source, deg": "{source_deg:.1f}",
    "gap, deg": "{gap_deg:.1f}",
    "gap, cm": "{gap_cm:.1f}",
    "source's gap, deg": "{source_gap_deg:.1f}",
    "source's gap, cm": "{source_gap_cm:.1f}",
    "found": "{found}",
    "CPU s": "{cpu:.0f}",
}


def _share(rows: list[dict[str, Any]], name: str) -> str:
    count = sum(bool(row[name]) for row in rows)
    return f"{count} ({count / max(len(rows), 1):.0%})"


def _row(cache: Cache, character: str, action: str) -> dict[str, Any] | None:
    """Return the row of an action: of the run with the smallest assist that keeps it, else of the first."""
    known = [(cap, cache.get(make_item(character, action, cap))) for cap in ASSISTS]
    runs = [(cap, own) for cap, own in known if own is not None and "error" not in own]
    if not runs:
        return None
    kept = [(cap, own) for cap, own in runs if _is_kept(own)]
    cap, run = (kept or runs)[0]
    row = {"character": character, "action": action, "at_0": kept and cap == 0.0, "at_15": bool(kept)}
    if "refused" in run:
        return row | dict.fromkeys(NO_FIGURES) | {"kind": "refused", "outcome": run["refused"], "found": ""}
    figures, gap, source_gap = run["metrics"], run["gap"], run["source_gap"]
    closed = gap[0] <= source_gap[0] + CLOSED_DEG and gap[1] <= source_gap[1] + CLOSED_CM
    return row | {
        "kind": "on its feet" if run["on_feet"] else "sits or lies",
        "outcome": _words(run),
        "assist": figures["assist_force_max_n"],
        "source_deg": figures["joint_error_source_deg"],
        "closes": run["closes"],
        "stays_closed": closed,
        "gap_deg": gap[0],
        "gap_cm": gap[1],
        "source_gap_deg": source_gap[0],
        "source_gap_cm": source_gap[1],
        "found": "; ".join(dict.fromkeys(run["found"])),
        "cpu": run["cpu_seconds"],
    }


NO_FIGURES = (
    *("assist", "source_deg", "closes", "stays_closed", "gap_deg", "gap_cm"),
    *("source_gap_deg", "source_gap_cm", "found", "cpu"),
)
"""What a refused action has no figures of."""


def _words(run: dict[str, Any]) -> str:
    how = ("loop" if run["looped"] else "once") + (", searched" if run["searched"] else "")
    figures = run["metrics"]
    if not figures["full"]:
        return f"falls at {figures['up_s']:.2f} s ({how})"
    return f"{'kept' if _is_kept(run) else 'to the end'} ({how})"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
