"""Forces from markers alone: `python3 dev.py bench dynamics` (docs/dynamics.md)."""

from __future__ import annotations

import sys

from sim_core.base.worker_process import limit_threads

from ..common.clips import require_markers
from ..common.options import plain_parser
from .captures import TAKES
from .report import Tables, plot_steps, write_force_report
from .trials import (
    analyse,
    hip_rows,
    moment_rows,
    step_row,
    steps_of,
    take_row,
    with_plate_mass,
)


def main(argv: list[str]) -> int:
    """Run the benchmark and write its report."""
    options = plain_parser("dynamics", "Estimate forces of captures and compare them.").parse_args(argv)
    limit_threads()
    require_markers()
    options.out.mkdir(parents=True, exist_ok=True)
    measured = [analyse(take) for take in TAKES]
    weighed = [with_plate_mass(one) for one in measured if one.take.steps]
    steps = [(step, one.take.mass) for one in (*measured, *weighed) for step in steps_of(one)]
    tables = Tables(
        [take_row(one) for one in (*measured, *weighed)],
        [step_row(step, mass) for step, mass in steps],
        moment_rows(measured[0]),
        hip_rows(measured[0]),
    )
    print(write_force_report(tables, options.out))
    plot_steps([step for one in measured for step in steps_of(one)], options.out / "dynamics.png")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
