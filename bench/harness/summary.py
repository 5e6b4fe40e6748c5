"""The summary of the tracking benchmark: what is reached, and what is missed by how much."""

from __future__ import annotations

from collections.abc import Sequence

from .bars import EVERYWHERE
from .rows import Row

SPEED_BARS = {"draft": 10.0, "standard": 5.0}
"""Simulated seconds per second that must be reached."""
BEST_SECONDS = 20.0
"""A best bake may take so long per second of motion [s]."""


def summarise(bars: Sequence[Row], speed: Sequence[Row]) -> list[str]:
    """How many bars are reached, and the missed ones with their true figures."""
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
