"""Files of the robustness benchmark: Markdown, CSV, JSON and the map of gains."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..common.cache import Cache, Item, Outcome
from ..common.pages import write_page
from ..common.tables import Columns, markdown, write_csv
from ..common.tracking_error import is_full
from .body_changes import CHANGES
from .gain_map import GainMap, make_map, map_lines, map_table, plot_gains
from .plan import FRICTIONS, INFORMED, Plan

COLUMNS = (
    *("figure", "change", "controller", "runs", "full", "up_share", "joint_error_deg", "root_error_m"),
    *("squared_error", "solve_ms", "walks_up", "verdict"),
)
TABLE: Columns = {
    "figure": "{figure}",
    "change": "{change}",
    "controller": "{controller}",
    "full": "{full}/{runs}",
    "up, share (worst)": "{up_share:.2f}",
    "joint, deg (worst)": "{joint_error_deg:.2f}",
    "root, cm (worst)": lambda r: f"{100 * r['root_error_m']:.1f}",
    "squared error (mean)": "{squared_error:.3f}",
    "QP, ms": "{solve_ms:.2f}",
    "walks that stay up": "{walks_up}",
    "verdict": "{verdict}",
}


def full(outcome: Outcome) -> bool:
    """Whether a run stays up to the end."""
    return "full" in outcome and is_full(outcome)


def make_row(
    figure: str, change: str, controller: str, items: Sequence[Item], cache: Cache
) -> dict[str, Any]:
    """Return the figures of one change over all walks and seeds.

    Its verdict is whether some walk stays up on every seed.
    """
    runs = [(item["clip"], outcome) for item in items if (outcome := cache.get(item)) is not None]
    row: dict[str, Any] = dict.fromkeys(COLUMNS)
    row |= {"figure": figure, "change": change, "controller": controller, "runs": len(runs)}
    row["full"] = sum(full(outcome) for _, outcome in runs)
    clips = dict.fromkeys(clip for clip, _ in runs)
    up = [clip for clip in clips if all(full(o) for c, o in runs if c == clip)]
    row["walks_up"] = ", ".join(up) or "none"
    row["verdict"] = "ok" if up else "MISSED"
    ended = [outcome for _, outcome in runs if "joint_error_deg" in outcome]
    if ended:
        row |= {name: max(o[name] for o in ended) for name in ("joint_error_deg", "root_error_m")}
        row["up_share"] = min(o["up_s"] / o["seconds"] for o in ended) if len(ended) == len(runs) else 0.0
        row |= {name: float(np.mean([o[name] for o in ended])) for name in ("squared_error", "solve_ms")}
    return row


def make_rows(items: Sequence[Item], cache: Cache) -> list[dict[str, Any]]:
    """Return a row for each change."""

    def rows_of(figure: str, change: str, controller: str, fits: Callable[[Item], bool]) -> dict[str, Any]:
        return make_row(figure, change, controller, [item for item in items if fits(item)], cache)

    rows = []
    for change in CHANGES:
        figure = "6" if "feet" in change else "4"
        for informed, words in INFORMED.items():

            def fits(item: Item, change: str = change, informed: str = informed) -> bool:
                return (item["change"], item["informed"], item["tuning"]) == (change, informed, {})

            rows.append(rows_of("-" if change == "none" else figure, change, words, fits))
    for friction in FRICTIONS:

        def counts_on(item: Item, friction: float = friction) -> bool:
            return bool(item["tuning"] == {"friction": friction})

        rows.append(rows_of("5", "ground friction 1", f"counts on {friction:g}", counts_on))
    return [row for row in rows if row["runs"]]


def write_report(plan: Plan, bodies: list[Item], gain_items: list[Item], cache: Cache, folder: Path) -> str:
    """Write all files; return a summary for the terminal."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = make_rows(bodies, cache)
    gains = make_map(gain_items, cache)
    summary = _summary(rows, gains) + _missing(bodies + gain_items, cache)
    parts = [
        "# Robustness",
        "Made by `python3 dev.py bench robustness`; docs/benchmarks.md says how to read it. "
        f"Commit {cache.commit}; walks {', '.join(plan.clips)} at 0 N, {len(plan.seeds)} seeds.",
        "## Summary",
        "\n".join(summary),
    ]
    if rows:
        parts += ["## Wrong bodies and wrong friction", markdown(rows, TABLE)]
    if not gains.empty:
        parts += ["## Gains", "Share of runs that stay up, mean joint error of those; see gains.png."]
        parts.append(map_table(gains))
        plot_gains(gains, folder / "gains.png")
    write_page(folder / "robustness.md", parts)
    write_csv(rows, COLUMNS, folder / "robustness.csv")
    runs = [{"item": item, "outcome": cache.get(item) or {"missing": True}} for item in bodies + gain_items]
    data = {"commit": cache.commit, "code": cache.code, "rows": rows, "runs": runs}
    (folder / "robustness.json").write_text(json.dumps(data, indent=1) + "\n", "utf-8")
    return "\n".join(summary)


def _summary(rows: Sequence[dict[str, Any]], gains: GainMap) -> list[str]:
    reached = sum(row["verdict"] == "ok" for row in rows)
    lines = [f"- Some walk stays up on every seed in {reached} of {len(rows)} cases."] if rows else []
    for row in rows:
        if row["verdict"] != "ok":
            case = f"{row['change']}, controller {row['controller']}"
            lines.append(f"  - MISSED {case}: full {row['full']}/{row['runs']}")
    solved = [row["solve_ms"] for row in rows if row["solve_ms"] is not None]
    if solved:
        within = "ok" if max(solved) < 1.0 else "MISSED"
        lines.append(f"- QP: {within}, mean solve {max(solved):.2f} ms at most (< 1).")
    lines += map_lines(gains)
    return lines


def _missing(items: Sequence[Item], cache: Cache) -> list[str]:
    left = len(cache.missing(list(items)))
    return [f"- Missing: {left} of {len(items)} runs."] if left else []
