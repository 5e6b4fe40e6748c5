"""Files of the balance benchmark: Markdown, CSV and plots."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sim_core.bake.methods import USUAL
from sim_core.control.balance.full_state import FullStateScales
from sim_core.control.balance.joint_offset import JointOffsetGains
from sim_core.control.balance.swing_hip import SwingHipGains
from sim_core.control.balance.virtual_actuator import VirtualActuatorGains
from sim_core.control.three_link.lqr import LinkScales
from sim_core.control.three_link.policy import FULL_WEIGHT
from sim_core.scenario.settings import BakeSettings

from ..common.cache import Cache, Item
from ..common.plots import plot_errors
from ..common.tables import Columns, markdown, write_csv
from .bars import Rows, balls_survived, directions_survived, run_time_ratio, verdicts
from .leans import DT, lean_curves, plot_leans
from .plan import DEFAULT, DIRECTIONS, PLAIN, PLOTTED, POLICIES, SIDEWAYS, START, STOP, WALKS, WORDS
from .rows import COLUMNS, Row, make_rows

TABLE: Columns = {
    "ground": "{ground}",
    "clip": lambda r: WORDS.get(str(r["clip"]), str(r["clip"])),
    "policy": "{policy}",
    "full": "{full}/{seeds}",
    "up, s": "{up_s:.2f} of {seconds:.2f}",
    "joint, deg": "{joint_error_deg:.2f}",
    "root, cm": lambda r: f"{100 * r['root_error_m']:.1f}",
    "skate, cm/s": "{skate_cm_s:.1f}",
    "jitter, deg": "{jitter_deg:.3f}",
    "depth, mm": "{penetration_max_mm:.1f}",
    "residual of the reference, %": lambda r: f"{100 * r['residual_after_share']:.2f}",
    "precomputed, s": "{precompute_s:.2f}",
    "control, ms": "{control_ms:.2f}",
    "RTF": "{rtf:.1f}",
    "why it fell": lambda r: r["error"] or r["cause"] or "",
}
ON_GROUND: Columns = {k: v for k, v in TABLE.items() if k not in ("policy", "precomputed, s", "control, ms")}
ON_FLAT: Columns = {k: v for k, v in TABLE.items() if k not in ("ground", "depth, mm")}
MOTIONS_OF_TABLE_1: Mapping[str, tuple[Sequence[str], str]] = {
    "walk": (WALKS[:5], "flat"),
    "uphill, 5 deg": (WALKS, "up 5 deg"),
    "downhill, 10 deg": (WALKS, "down 10 deg"),
    "march": (("91_19", "138_01"), "flat"),
    "sideways steps": ((SIDEWAYS,), "flat"),
    "stylized walks": (("104_28", "132_29", "137_42"), "flat"),
    "see-saw": (WALKS, "see-saw"),
    "stop and start": ((START, STOP), "flat"),
    "dance": (("05_02",), "flat"),
    "stand on one leg": (("49_18",), "flat"),
    "turn": (("16_17",), "flat"),
}
"""The paper's motions for which there are clips (none walks backwards), and their part of the benchmark."""


def write_balance_report(parts: Mapping[str, list[Item]], cache: Cache, folder: Path) -> str:
    """Write all files; return a summary for the terminal."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = {name: make_rows(name, items, cache) for name, items in parts.items()}
    leans = lean_curves()
    plot_leans(leans, DT, folder / "three_link_lean.png")
    curves = _curves(parts["policies"], cache)
    if curves:
        plot_errors(curves, folder / "balance_error.png")
    write_csv([row for part in rows.values() for row in part], COLUMNS, folder / "balance.csv")
    judged = verdicts({p: [] if cache.missing(parts[p]) else found for p, found in rows.items()}, leans)
    missing = [f"- Missing: {n} trials of '{p}'." for p, i in parts.items() if (n := len(cache.missing(i)))]
    summary = ["| must reach | verdict | found |", "| --- | --- | --- |"]
    summary += [f"| {v.bar} | {v.text} | {v.found} |" for v in judged]
    (folder / "balance.md").write_text(_page(rows, summary, missing, cache), "utf-8")
    return "\n".join([*(f"- {v.bar}: {v.text}; {v.found}" for v in judged), *missing])


def _page(rows: Rows, summary: Sequence[str], missing: Sequence[str], cache: Cache) -> str:
    sections = {
        "Policies": _policies(rows),
        "Pushes": _pushes(rows["pushes"]),
        "Balls": _balls(rows["balls"]),
        "One set of parameters": _table_1(rows),
        "Terrain": markdown(rows["terrain"], ON_GROUND),
        "Other motions on slopes and steps": markdown(rows["motions"], ON_GROUND),
        "Policies by clip": markdown([*rows["policies"], *rows["styles"]], ON_FLAT),
    }
    head = (
        "Made by `python3 dev.py bench balance`; docs/benchmarks.md says how to read it. No helping hand, "
        f"standard quality, the usual attempt only. Commit {cache.commit}."
    )
    parts = ["# Balance", head, "\n".join(summary), *missing]
    for title, text in sections.items():
        parts += [f"## {title}", text]
    return "\n\n".join(parts) + "\n"


def _policies(rows: Rows) -> str:
    """Return the table of policies, one row each over all clips."""
    flat, pushes, balls = rows["policies"], rows["pushes"], rows["balls"]
    found = []
    for policy in (PLAIN, *POLICIES):
        mine = [row for row in flat if row["policy"] == policy and row["up_s"] is not None]
        if not mine:
            continue
        means = {
            name: statistics.mean(row[name] for row in mine) for name in ("joint_error_deg", "root_error_m")
        }
        pushed, hit = ([r for r in some if r["policy"] == policy] for some in (pushes, balls))
        found.append(
            means
            | {
                "policy": policy,
                "clips": sum(row["full"] == row["seeds"] for row in mine),
                "of": len(mine),
                "skate_cm_s": statistics.mean(row["skate_cm_s"] for row in mine),
                "precompute_s": max(row["precompute_s"] for row in mine),
                "pushes": f"{sum(r['full'] for r in pushed)}/{len(pushed)}",
                "balls": f"{sum(r['full'] for r in hit)}/{len(hit)}",
                "control": run_time_ratio(flat, policy, "control_ms", DEFAULT),
                "whole": run_time_ratio(flat, policy, "tick_ms", DEFAULT),
            }
        )
    columns: Columns = {
        "policy": "{policy}",
        "clips carried on all seeds": "{clips}/{of}",
        "joint, deg": "{joint_error_deg:.2f}",
        "root, cm": lambda r: f"{100 * r['root_error_m']:.1f}",
        "skate, cm/s": "{skate_cm_s:.1f}",
        "pushes survived": "{pushes}",
        "balls survived": "{balls}",
        "precomputed, s at most": "{precompute_s:.2f}",
        f"control, x {DEFAULT}": "{control:.2f}",
        f"simulation, x {DEFAULT}": "{whole:.2f}",
    }
    return markdown(found, columns) + f"\n\nThe default is `{DEFAULT}`. Means of the worst seed of each clip."


def _pushes(rows: Sequence[Row]) -> str:
    """Return the table of how many times each direction is survived."""
    found: list[Row] = []
    for clip, policy in dict.fromkeys((row["clip"], row["policy"]) for row in rows):
        mine = [row for row in rows if (row["clip"], row["policy"]) == (clip, policy)]
        row: Row = {"clip": clip, "policy": policy, "worst": directions_survived(rows, clip, policy)}
        for direction in DIRECTIONS:
            there = [r for r in mine if r["pushed"] == direction]
            row[direction] = f"{sum(r['full'] for r in there)}/{len(there)}"
        found.append(row)
    columns: Columns = {"clip": "{clip}", "policy": "{policy}"} | {d: f"{{{d}}}" for d in DIRECTIONS}
    return markdown(found, {**columns, "directions, worse time": "{worst} of 4"})


def _balls(rows: Sequence[Row]) -> str:
    pairs = dict.fromkeys((row["clip"], row["policy"]) for row in rows)
    found = [{"clip": c, "policy": p, **balls_survived(rows, c, p)} for c, p in pairs]
    balls = dict.fromkeys(row["ball"] for row in rows)
    columns: Columns = {"clip": "{clip}", "policy": "{policy}"}
    return markdown(found, {**columns, **{ball: f"{{{ball}}}" for ball in balls}})


def _table_1(rows: Rows) -> str:
    """Return table 1 of the stylized locomotion paper: motions for which one set of parameters works."""
    known = [row for part in ("policies", "styles", "terrain") for row in rows[part]]
    found = []
    for name, (clips, ground) in MOTIONS_OF_TABLE_1.items():
        row: Row = {"motion": name, "clips": ", ".join(clips)}
        for policy in POLICIES[:2]:
            mine = {r["clip"]: r for r in known if (r["ground"], r["policy"]) == (ground, policy)}
            there = [mine[clip] for clip in clips if clip in mine]
            full, seeds = sum(r["full"] for r in there), sum(r["seeds"] for r in there)
            row[policy] = f"{full}/{seeds}" if there else "not run"
        found.append(row)
    names = POLICIES[:2]
    table = markdown(found, {"motion": "{motion}", "clips": "{clips}"} | {p: f"{{{p}}}" for p in names})
    return "\n\n".join([table, "All of them with one set:", "\n".join(_parameters())])


def _parameters() -> list[str]:
    parameters: dict[str, dict[str, Any]] = {
        "tracking QP (`TrackerSettings`)": asdict(USUAL.tracker),
        "footsteps (`LqrScales`)": asdict(USUAL.balance),
        "three_link (`LinkScales`, dial w_b, its weight at 1)": asdict(LinkScales())
        | {"dial": BakeSettings().balance_weight, "weight": FULL_WEIGHT},
        "full_state (`FullStateScales`)": asdict(FullStateScales()),
        "swing_hip (`SwingHipGains`)": asdict(SwingHipGains()),
        "virtual_actuator (`VirtualActuatorGains`)": asdict(VirtualActuatorGains()),
        "joint_offset (`JointOffsetGains`)": asdict(JointOffsetGains()),
    }
    return [
        f"- {title}: {', '.join(f'{k} {v:g}' for k, v in values.items())}"
        for title, values in parameters.items()
    ]


def _curves(items: Sequence[Item], cache: Cache) -> dict[str, dict[str, Any]]:
    """Return error curves of the first seed by clip and policy, for figure 5-1 of the thesis."""
    curves: dict[str, dict[str, Any]] = {clip: {} for clip in PLOTTED}
    for item in items:
        outcome = cache.get(item) or {}
        if item["policy"] in (PLAIN, "full_state") and "curve" in outcome:
            curves[item["clip"]].setdefault(f"{item['policy']}", outcome["curve"])
    return {clip: found for clip, found in curves.items() if found}
