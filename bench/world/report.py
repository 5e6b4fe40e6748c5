"""Tables of the benchmark of props and projectiles."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from sim_core.recognition.mapping import part_label

from ..common.measured_code import commit_of
from ..common.pages import write_page
from ..common.tables import Columns, Row, markdown

NEAR_M = 0.05
BLOCKS: Columns = {
    "clip": "{clip}",
    "blocks": "{blocks}",
    "up, s": "{up_s:.2f} of {seconds:.2f}",
    "joint error, deg": "{error_deg:.2f}",
    "hips, cm": lambda r: f"{100 * r['root_m']:.1f}",
    "blocks that hit": "{touched}",
    "kicked away": "{kicked}",
    "furthest, m": "{furthest_m:.2f}",
    "RTF": "{rtf:.1f}",
}
THROWS: Columns = {
    "clip": "{clip}",
    "aimed at": lambda r: part_label(r["part"]),
    "m/s": "{speed:g}",
    "miss, cm": lambda r: f"{100 * r['miss_m']:.1f}",
    "touches it": lambda r: {True: "yes", False: "no"}.get(r["touched"], ""),
    "refused": lambda r: r["refused"] or "",
}


def write_world_report(blocks: Sequence[Row], throws: Sequence[Row], folder: Path) -> str:
    """Write the tables; return a summary for the terminal."""
    marched = [row for row in blocks if row["full"] and row["kicked"]]
    thrown = [{"miss_m": None, "touched": None} | dict(row) for row in throws]
    flown = [row for row in thrown if row["refused"] is None]
    misses = np.array([row["miss_m"] for row in flown])
    many = [row for row in blocks if row["blocks"] >= 50]
    summary = "\n".join(
        [
            f"- Through blocks and on to the end: {len(marched)} of {len(blocks)}.",
            *(f"- {r['blocks']} props, {r['clip']}: RTF {r['rtf']:.1f} (>= 1)." for r in many),
            f"- Throws within 5 cm of the middle of the part: {(misses < NEAR_M).sum()} of {len(flown)}; "
            f"mean {100 * misses.mean():.1f} cm, worst {100 * misses.max():.1f} cm; "
            f"{len(thrown) - len(flown)} of {len(thrown)} refused with the reason.",
        ]
    )
    parts = [
        "# The world pushes back",
        "Made by `python3 dev.py bench world`; docs/benchmarks.md says how to read it. "
        f"Everything at 0 N. Commit {commit_of('world')}.",
        summary,
        "## Blocks",
        markdown(blocks, BLOCKS),
        "## Throws",
        markdown(thrown, THROWS),
    ]
    write_page(folder / "world.md", parts)
    return summary
