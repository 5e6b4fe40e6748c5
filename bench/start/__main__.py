"""What starting costs: `python3 dev.py bench start` (docs/benchmarks.md)."""

from __future__ import annotations

import os
import platform
import sys

from ..common.clips import require_data
from ..common.measured_code import commit_of
from ..common.options import plain_parser
from ..common.tables import Columns, Row, markdown
from .trials import CLIP, COMMAND, IMPORTS, REGISTER_OWN, ROUNDS, SECONDS, measure

BARS_S = {IMPORTS: 0.35, COMMAND: 1.2, REGISTER_OWN: 0.05}
"""Longest times on an idle core [s]."""
COLUMNS: Columns = {
    "case": "{case}",
    "processor [s]": "{processor_s:.3f}",
    "wall [s]": "{wall_s:.3f}",
    "x import numpy": "{of_numpy:.2f}",
    "x import mujoco": "{of_mujoco:.2f}",
}


def bars(rows: list[Row]) -> str:
    """Return a line for each bar, by processor time."""
    found = {row["case"]: row["processor_s"] for row in rows}
    lines = []
    for name, bar_s in BARS_S.items():
        if name not in found:
            lines.append(f"- {name}: not measured, because this Python has no bpy.")
            continue
        judged = "met" if found[name] <= bar_s else "missed"
        lines.append(f"- {name}: {found[name]:.3f} s of processor, bar {bar_s:g} s: {judged}.")
    return "\n".join(lines)


def main(argv: list[str]) -> int:
    """Run the benchmark and write its report."""
    options = plain_parser("start", "What starting costs.").parse_args(argv)
    require_data()
    load = os.getloadavg()[0]
    rows = measure()
    text = (
        f"# Starting\n\nMade by `python3 dev.py bench start`: whole processes, the least of {ROUNDS} "
        f"in turns, files in memory and compiled. The command bakes {SECONDS:g} s of the walk {CLIP} at 0 N. "
        "The bars are for an idle core and held against processor time; wall time depends on the load. "
        f"Registration is measured in the bpy module's process. {platform.machine()}, {os.cpu_count()} "
        f"processors, load {load:.1f} before and {os.getloadavg()[0]:.1f} after. "
        f"Commit {commit_of('start')}.\n\n"
    )
    report = f"{text}{bars(rows)}\n\n{markdown(rows, COLUMNS)}\n"
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "start.md").write_text(report, "utf-8")
    print(report)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
