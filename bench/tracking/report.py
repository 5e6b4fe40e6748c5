"""Files of the tracking benchmark: Markdown, CSV, JSON and the plot of errors over time."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..common.cache import Cache, Item
from ..common.plots import plot_errors
from ..common.tables import Columns, markdown, write_csv
from .bars import CAPS_WITH_BARS, EVERYWHERE
from .rows import COLUMNS, Row, make_rows
from .sweeps import PLOTTED, SWEEPS

TABLE: Columns = {
    "clip": "{clip}",
    "group": "{group}",
    "s": "{seconds:.1f}",
    "up, s": "{up_s:.2f}",
    "full": "{full}/{seeds}",
    "joint, deg": "{joint_error_deg:.2f}",
    "to source, deg": "{joint_error_source_deg:.2f}",
    "root, cm": lambda r: f"{100 * r['root_error_m']:.1f}",
    "skate, cm/s": "{skate_cm_s:.1f}",
    "depth, mm": "{penetration_max_mm:.1f}",
    "jitter, x source": "{jitter_ratio:.2f}",
    "residual of the source -> reference, %": lambda r: (
        f"{100 * r['residual_before_share']:.1f} -> {100 * r['residual_after_share']:.2f}"
    ),
    "of the result, %": lambda r: f"{100 * r['residual_share']:.3f}",
    "assist mean / max, N": "{assist_force_mean_n:.1f} / {assist_force_max_n:.1f}",
    "RTF": "{rtf:.1f}",
    "limit ratio": "{limit_ratio:.0f}",
    "filter, s": "{filter_s:.1f}",
    "bake, s": "{bake_s:.1f}",
    "core, %": lambda r: f"{100 * r['core_share']:.0f}",
    "attempts": "{attempts}",
}
BAR_TABLE: Columns = {**TABLE, "bar": "{bar}", "verdict": "{verdict}"}
OTHER_TABLE: Columns = {
    "clip": "{clip}",
    "quality": "{quality}",
    "cap, N": "{assist:g}",
    **{name: how for name, how in TABLE.items() if name not in ("clip", "group")},
}


def write_report(sweeps: Mapping[str, list[Item]], cache: Cache, jobs: int, folder: Path) -> str:
    """Write all files; return a summary for the terminal."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = {name: make_rows(name, items, cache) for name, items in sweeps.items()}
    every = [row for part in rows.values() for row in part]
    summary = summarise(rows.get("bars", []), rows.get("speed", []))
    missing = missing_lines(sweeps, cache)
    (folder / "tracking.md").write_text(_page(rows, summary, missing, cache, jobs), "utf-8")
    write_csv(every, COLUMNS, folder / "tracking.csv")
    (folder / "tracking.json").write_text(_json(sweeps, cache, every), "utf-8")
    curves = _curves(sweeps.get("bars", []), cache)
    if curves:
        plot_errors(curves, folder / "tracking_error.png")
    return "\n".join([*summary, *missing])


def missing_lines(sweeps: Mapping[str, list[Item]], cache: Cache) -> list[str]:
    """Return lines about what has not been run."""
    lines = []
    for name, items in sweeps.items():
        left = cache.missing(items)
        if left:
            clips = ", ".join(dict.fromkeys(item["clip"] for item in left))
            lines.append(f"- Missing: {len(left)} of {len(items)} bakes of '{name}' ({clips}).")
    return lines


def _page(
    rows: Mapping[str, Sequence[Row]], summary: list[str], missing: list[str], cache: Cache, jobs: int
) -> str:
    parts = [
        "# Tracking",
        "Made by `python3 dev.py bench tracking`; docs/benchmarks.md says how to read it. "
        f"Commit {cache.commit}; {jobs} bakes at a time.",
        "## Summary",
        "\n".join([*summary, *missing]),
    ]
    for cap in CAPS_WITH_BARS:
        chosen = [row for row in rows.get("bars", []) if row["assist"] == cap]
        if chosen:
            parts += [f"## Caps of {cap:g} N and {cap:g} Nm", markdown(chosen, BAR_TABLE)]
    for name, what in SWEEPS.items():
        if name != "bars" and rows.get(name):
            parts += [f"## {name[0].upper()}{name[1:]}", f"{what[0].upper()}{what[1:]}."]
            parts.append(markdown(rows[name], OTHER_TABLE))
    return "\n\n".join(parts) + "\n"


def _json(sweeps: Mapping[str, list[Item]], cache: Cache, rows: Sequence[Row]) -> str:
    """Return everything but the curves, which the plot shows."""
    runs: list[dict[str, Any]] = []
    versions: dict[str, str] = {}
    for name, items in sweeps.items():
        for item in items:
            outcome = dict(cache.get(item) or {"missing": True})
            outcome.pop("curve", None)
            outcome.pop("said", None)
            versions = outcome.pop("versions", versions)
            runs.append({"sweep": name, "item": item, "outcome": outcome})
    shown = [{name: row[name] for name in COLUMNS} for row in rows]
    data = {"commit": cache.commit, "code": cache.code, "versions": versions, "rows": shown, "runs": runs}
    return json.dumps(data, indent=1) + "\n"


def _curves(items: Sequence[Item], cache: Cache) -> dict[str, dict[str, Any]]:
    """Return the error curves by title and clip."""
    curves: dict[str, dict[str, Any]] = {}
    for cap in CAPS_WITH_BARS:
        for clip in PLOTTED:
            for item in items:
                outcome = cache.get(item) or {}
                if item["clip"] == clip and item["assist"] == cap and "curve" in outcome:
                    curves.setdefault(f"cap {cap:g} N", {})[clip] = outcome["curve"]
    return curves


SPEED_BARS = {"draft": 10.0, "standard": 5.0}
"""Simulated seconds per second that must be reached."""
BEST_SECONDS = 20.0
"""A bake of best quality may take this long per second of motion [s]."""


def summarise(bars: Sequence[Row], speed: Sequence[Row]) -> list[str]:
    """Return how many bars are reached, and the missed ones with their figures."""
    judged = [row for row in bars if row["bar"]]
    lines = []
    for cap in sorted({row["assist"] for row in judged}):
        here = [row for row in judged if row["assist"] == cap]
        missed = [row for row in here if row["own"]]
        lines.append(f"- {cap:g} N: {len(here) - len(missed)} of {len(here)} bars of the clips are reached.")
        lines += [f"  - {row['clip']}: {'; '.join(m.text for m in row['own'])}" for row in missed]
    asked = [row for row in judged if row["bar"] != "bakes"]
    for measure in EVERYWHERE if asked else ():
        found = [(row, m.text) for row in asked for m in row["general"] if m.measure == measure]
        lines.append(f"- {measure}: {len(asked) - len(found)} of {len(asked)} are within the limit.")
        lines += [f"  - {row['clip']} at {row['assist']:g} N: {text}" for row, text in found]
    return lines + [_speed_line(row) for row in speed]


def _speed_line(row: Row) -> str:
    start = f"- speed, {row['quality']}, {row['clip']}, {row['dofs']} dof: "
    if row["error"]:
        return f"{start}MISSED, {row['error']}"
    if row["quality"] == "best":
        taken = row["bake_s"] / row["seconds"]
        reached, text = taken < BEST_SECONDS, f"{taken:.1f} s per second (< {BEST_SECONDS:g})"
    else:
        wanted = SPEED_BARS[row["quality"]]
        reached, text = row["rtf"] >= wanted, f"RTF {row['rtf']:.1f} (>= {wanted:g})"
    verdict = "ok" if reached else "MISSED"
    shared = f"with {100 * row['core_share']:.0f} % of a core"
    return f"{start}{verdict}, {text} {shared}; filter {row['filter_share']:.2f} x the clip's length"
