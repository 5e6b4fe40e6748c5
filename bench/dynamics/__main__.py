"""Forces from markers alone: `python3 dev.py bench dynamics` (docs/dynamics.md)."""

from __future__ import annotations

import sys

from sim_core.base.worker_process import limit_threads

from ..common.clips import require_markers
from ..common.options import plain_parser
from .captures import TAKES
from .report import Tables, plot_steps, write_force_report
from .simulated import simulated_rows
from .steps import step_row, steps_of
from .trials import analyse, hip_rows, moment_rows, take_row, with_plate_mass, without_mass


def main(argv: list[str]) -> int:
    """Run the benchmark and write its report."""
    options = plain_parser("dynamics", "Estimate forces of captures and compare them.").parse_args(argv)
    limit_threads()
    require_markers()
    options.out.mkdir(parents=True, exist_ok=True)
    measured = [analyse(take) for take in TAKES]
    weighed = [with_plate_mass(one) for one in measured if one.take.steps]
    unknown = [without_mass(one) for one in measured if one.take.plate_file is not None]
    every = (*measured, *weighed, *unknown)
    tables = Tables(
        [take_row(one) for one in every],
        [
            step_row(step, one.analysis.mass, one.take.mass)
            for one in every
            for step in steps_of(one.take, one.fitted.take, one.analysis)
        ],
        moment_rows(measured[0]),
        hip_rows(measured[0]),
        [row for one in (*measured, *weighed) if one.take.walks for row in simulated_rows(one)],
    )
    print(write_force_report(tables, options.out))
    steps = [step for one in measured for step in steps_of(one.take, one.fitted.take, one.analysis)]
    plot_steps(steps, options.out / "dynamics.png")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
