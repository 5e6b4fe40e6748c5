"""Tables and plot of the benchmark of aimed punches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sim_core.base.json_codec import to_object

from ..common.measured_code import commit_of
from ..common.pages import write_page
from ..common.plots import pyplot, save
from ..common.tables import NOTHING, Columns, Row, markdown
from .strikes import STEP, TUNED, OriginalStrike, RequestedStrike, bake_strike

MISS_BAR_M, SPEED_BAR = 0.03, 0.1
TABLE: Columns = {
    "asked for": lambda r: r["asked"],
    "miss, cm": lambda r: f"{100 * r['miss_m']:.1f}",
    "first, cm": lambda r: f"{100 * r['first_miss_m']:.1f}",
    "speed, m/s": "{speed:.2f}",
    "wanted, m/s": lambda r: f"{r['wanted_speed']:.2f}" if r["wanted_speed"] else NOTHING,
    "simulations": "{rounds}",
    "fell": lambda r: "no" if r["fell_at"] is None else f"at {r['fell_at']:.2f} s",
    "refused": "{refused}",
}
SUMMARY: Columns = {
    "punch": "{name}",
    "what": "{kind}",
    "strikes": "{count}",
    "mean miss, cm": "{mean:.2f}",
    "worst, cm": "{worst:.2f}",
    "mean of the first simulation, cm": "{first:.2f}",
    "largest error of speed, %": "{speed:.1f}",
    "simulations": "{rounds:.1f}",
    "fell": "{fell}",
    "refused": "{refused}",
}


def row_of(name: str, original: OriginalStrike, requested: RequestedStrike) -> dict[str, Any]:
    """Bake a strike as requested, and return its figures."""
    asked = {
        "grid": f"{_cm(requested.offset)} cm",
        "speed": f"{requested.ratio:g} x its own speed",
        "moving": f"moves at {'/'.join(f'{v:g}' for v in requested.drift)} m/s",
    }[requested.kind]
    row: dict[str, Any] = {
        "name": name,
        "kind": requested.kind,
        "asked": asked,
        "offset": requested.offset,
        "refused": "",
    }
    found = bake_strike(original, requested)
    if isinstance(found, str):
        figures = ("miss_m", "first_miss_m", "speed", "wanted_speed", "rounds", "fell_at")
        return row | dict.fromkeys(figures) | {"refused": found}
    (strike,) = found.meta.strikes
    return to_object(strike) | row | {"rounds": found.meta.rounds, "fell_at": found.meta.fell_at}


def _cm(offset: Sequence[float]) -> str:
    return "/".join(f"{100 * v:+.0f}" for v in offset)


def landed(rows: Sequence[Row]) -> list[Row]:
    """Return the strikes that reached their contact without a fall."""
    return [row for row in rows if not row["refused"] and row["fell_at"] is None]


def summary_of(rows: Sequence[Row], name: str, kind: str) -> dict[str, Any]:
    """Return the means over the strikes of one punch and one kind."""
    mine = [row for row in rows if row["name"] == name and row["kind"] == kind]
    good = landed(mine)
    misses, first = ([row[key] for row in good] for key in ("miss_m", "first_miss_m"))
    return {
        "name": name,
        "kind": kind,
        "count": len(mine),
        "mean": 100.0 * float(np.mean(misses)) if good else None,
        "worst": 100.0 * max(misses) if good else None,
        "first": 100.0 * float(np.mean(first)) if good else None,
        "speed": max((100.0 * _speed_error(row) for row in _timed(good)), default=None),
        "rounds": float(np.mean([row["rounds"] for row in good])) if good else None,
        "fell": sum(row["fell_at"] is not None for row in mine),
        "refused": sum(bool(row["refused"]) for row in mine),
    }


def _timed(rows: Sequence[Row]) -> list[Row]:
    """Return the strikes for which a speed was requested."""
    return [row for row in rows if row["wanted_speed"] > 0.0]


def _speed_error(row: Row) -> float:
    return abs(row["speed"] / row["wanted_speed"] - 1.0)


def write_aim_report(rows: Sequence[Row], folder: Path) -> str:
    """Write the tables; return a summary for the terminal."""
    good, on_grid = landed(rows), landed([row for row in rows if row["kind"] == "grid"])
    timed = _timed(good)
    within = sum(_speed_error(row) <= SPEED_BAR for row in timed)
    summary = (
        f"- Mean miss on the grid: {100 * float(np.mean([r['miss_m'] for r in on_grid])):.2f} cm "
        f"(bar: under {100 * MISS_BAR_M:g} cm), {len(on_grid)} strikes.\n"
        f"- Contact speed within {100 * SPEED_BAR:g} % of the one asked for: {within} of {len(timed)}.\n"
        f"- Fell: {sum(r['fell_at'] is not None for r in rows)} of {len(rows)}; "
        f"refused as out of reach or too fast: {sum(bool(r['refused']) for r in rows)}."
    )
    groups = list(dict.fromkeys((row["name"], row["kind"]) for row in rows))
    parts = [
        "# Aimed punches",
        "Made by `python3 dev.py bench aim`; docs/benchmarks.md says how to read it. Simulated at 0 N. The "
        "miss is that of the simulated hand, where its bone is in the result, at the time of the contact. "
        f"Commit {commit_of('aim')}.",
        summary,
        markdown([summary_of(rows, *group) for group in groups], SUMMARY),
        f"![Misses and speeds](aim.png)\n\n'{TUNED}' was looked at while the method was made, the others "
        f"were not. The grid has steps of {100 * STEP:g} cm; places are given ahead/left/up from where the "
        "punch itself strikes. Grids are struck at the punch's own speed; moving "
        "targets 50 ms after it, at whatever speed the hand has then.",
    ]
    for name in dict.fromkeys(row["name"] for row in rows):
        parts += [f"## {name}", markdown([row for row in rows if row["name"] == name], TABLE)]
    write_page(folder / "aim.md", parts)
    return summary


def plot_aims(rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Plot misses on the grid, and speeds, as in figures 5 and 4 of Zordan, Hodgins 2002."""
    figure, (misses, speeds) = pyplot.subplots(1, 2, figsize=(13.0, 6.0))
    for number, name in enumerate(dict.fromkeys(row["name"] for row in rows)):
        mine = [row for row in rows if row["name"] == name and row["miss_m"] is not None]
        struck = [row for row in mine if row["kind"] == "grid" and row["offset"][0] == 0.0]
        colour = f"C{number}"
        for row in struck:
            at = (-100.0 * row["offset"][1], 100.0 * row["offset"][2])
            for key, style in (("first_miss_m", ":"), ("miss_m", "-")):
                circle = pyplot.Circle(at, 100.0 * row[key], fill=False, color=colour, linestyle=style)
                misses.add_patch(circle)
        timed = [row for row in mine if row["wanted_speed"] > 0.0]
        wanted, got = ([row[key] for row in timed] for key in ("wanted_speed", "speed"))
        speeds.scatter(wanted, got, s=12.0, color=colour, label=name)
    misses.set(xlabel="to the right of the punch itself [cm]", ylabel="above it [cm]", aspect="equal")
    misses.set(xlim=(-25.0, 25.0), ylim=(-25.0, 25.0))
    misses.set_title("Misses as radii: dotted in the first simulation, solid in the last")
    most = max(speeds.get_xlim()[1], speeds.get_ylim()[1])
    speeds.plot([0.0, most], [0.0, most], color="grey", linewidth=0.8)
    speeds.fill_between([0.0, most], [0.0, 0.9 * most], [0.0, 1.1 * most], color="grey", alpha=0.2)
    speeds.set(xlabel="speed asked for [m/s]", ylabel="speed of the simulated hand [m/s]")
    speeds.set_title("Speed at the contact; grey: within 10 %")
    speeds.legend(fontsize=8)
    for axis in (misses, speeds):
        axis.grid(alpha=0.3)
    save(figure, path)
