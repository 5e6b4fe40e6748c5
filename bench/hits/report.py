"""Table and curves of the benchmark of hits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np

from sim_core.bake.methods import USUAL
from sim_core.base.conventions import FloatArray
from sim_core.recognition.mapping import part_label

from ..common.measured_code import commit_of
from ..common.pages import write_page
from ..common.plots import pyplot, save
from ..common.tables import Columns, Row, markdown
from .trials import Figures, Throw, figures, joint_change

SECONDS = 1.5
"""Length of the curves, from just before the hit [s]."""
LEAD_S = 0.1
TABLE: Columns = {
    "aimed at": lambda r: part_label(r["target"]),
    "thrown at, s": "{time:.1f}",
    "start": "{seed}",
    "from, deg": "{from_deg}",
    "hits (Ns)": "{hits}",
    "attempt": "{attempt}",
    "fell": lambda r: "no" if r["fell_at"] is None else f"at {r['fell_at']:.2f} s",
    "error before, deg": "{before_deg:.2f}",
    "worst, deg": "{worst_deg:.1f}",
    "back after the last hit, s": "{back_s:.2f}",
    "after the first, s": "{back_first_s:.2f}",
    "after the last, beside the run without a throw, s": "{back_beside_s:.2f}",
    "later, x before": "{later:.2f}",
    "without a throw": "{later_unhit:.2f}",
    "region moves, deg": "{region_deg:.1f}",
    "others, deg": "{other_deg:.1f}",
}


def row_of(thrown: Throw) -> Row:
    """Return the figures of a throw."""
    meta, found = thrown.run.meta, figures(thrown)
    names = [field.name for field in fields(Figures)]
    return {
        "target": thrown.target,
        "time": thrown.time,
        "seed": meta.seed,
        "from_deg": thrown.from_deg,
        "hits": ", ".join(f"{part_label(h.segment)} {h.impulse_ns:.1f}" for h in meta.hits),
        "attempt": meta.attempt,
        "fell_at": meta.fell_at,
        **(dict.fromkeys(names) if found is None else asdict(found)),
    }


def neck_curve(thrown: Throw) -> tuple[FloatArray, FloatArray]:
    """Return the time since the hit [s], and the neck's angle from that without a hit [deg]."""
    run, hit = thrown.run, thrown.hit
    since = run.time - run.time[0] - (0.0 if hit is None else hit.time_s)
    shown = (since > -LEAD_S) & (since < SECONDS)
    neck = [str(name) for name in run.body_name].index("head")
    return since[shown], np.degrees(joint_change(thrown)[shown, neck])


def write_hits_report(rows: Sequence[Row], folder: Path) -> str:
    """Write the table; return a summary for the terminal."""

    def back(name: str) -> str:
        good = [row for row in stood if row[name] is not None and row[name] <= 1.0]
        return f"{len(good)} of {len(rows)}"

    stood = [row for row in rows if row["fell_at"] is None]
    usual = [row for row in stood if row["attempt"] == USUAL.name]
    summary = (
        f"- Stays up to the end: {len(stood)} of {len(rows)}, {len(usual)} of them in the usual attempt.\n"
        f"- And has its joint error back under 1.5 x of before within 1 s: "
        f"{back('back_s')} from the last hit, {back('back_first_s')} from the first; "
        f"under 1.5 x of the same moment without a throw, {back('back_beside_s')}."
    )
    parts = [
        "# Hits",
        "Made by `python3 dev.py bench hits`; docs/benchmarks.md says how to read it. "
        f"Balls of 5 kg at 4 m/s on the boxer 13_18 at 0 N. Commit {commit_of('hits')}.",
        summary,
        markdown(rows, TABLE),
        "![The neck after hits on the head](hits.png)",
    ]
    write_page(folder / "hits.md", parts)
    return summary


def plot_necks(curves: Mapping[str, Mapping[str, Any]], path: Path) -> None:
    """Plot the neck after a hit, as in figure 7 of Zordan, Hodgins 2002.

    curves: by recovery time and share of the gains
    """
    figure, axes = pyplot.subplots(1, len(curves), figsize=(6.0 * len(curves), 4.0), sharey=True)
    for axis, (recovery, by_share) in zip(axes, curves.items(), strict=True):
        for share, (time, degrees) in by_share.items():
            axis.plot(time, degrees, label=f"gains x {share}", linewidth=1.0)
        axis.set(title=f"recovery {recovery}", xlabel="time since the hit [s]", ylabel="neck [deg]")
        axis.legend(fontsize=8)
        axis.grid(alpha=0.3)
    save(figure, path)
