"""How fast Heft is, as ratios in one run: `python3 dev.py bench speed` (docs/benchmarks.md)."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable, Iterable, Iterator

from sim_core.base.worker_process import limit_threads

from ..common.clips import require_data
from ..common.measured_code import commit_of
from ..common.options import plain_parser
from ..common.tables import Columns, Row, markdown
from ..start.trials import COMMAND, IMPORTS, NUMPY, measure
from .falls import measure_falls
from .figures import Figure
from .growth import measure_growth
from .memory import measure_memory
from .rates import measure_filter, measure_rates
from .ticks import measure_ticks

ROUNDS, QUICK_ROUNDS = 7, 3
START_BARS_S = {IMPORTS: 0.35, COMMAND: 1.2}
COLUMNS: Columns = {
    "part": "{part}",
    "what": "{name}",
    "figure": "{value:.4g}",
    "unit": "{unit}",
    "bar": "{bar}",
    "verdict": "{verdict}",
    "measured on": "{note}",
    "load": "{load:.1f}",
}
Part = Callable[[bool], Iterable[Figure]]


def measure_start(quick: bool) -> Iterator[Figure]:
    """Yield the processor time of whole processes, and as a ratio to importing numpy."""
    for row in measure(QUICK_ROUNDS if quick else ROUNDS):
        if row["case"] in START_BARS_S:
            note = f"{row['of_numpy']:.2f} times '{NUMPY}'"
            yield Figure(row["case"], row["processor_s"], "processor s", START_BARS_S[row["case"]], note=note)


def _in_rounds(work: Callable[[int], Iterable[Figure]]) -> Part:
    return lambda quick: work(QUICK_ROUNDS if quick else ROUNDS)


PARTS: dict[str, Part] = {
    "ticks": _in_rounds(measure_ticks),
    "start": measure_start,
    "filter": _in_rounds(measure_filter),
    "rates": _in_rounds(measure_rates),
    "falls": measure_falls,
    "growth": measure_growth,
    "memory": measure_memory,
}


def rows_of(part: str, quick: bool) -> Iterator[Row]:
    """Yield the rows of a part, with the machine's load when each was measured."""
    for own in PARTS[part](quick):
        bar = own.bar_words
        yield vars(own) | {"part": part, "bar": bar, "verdict": own.verdict, "load": os.getloadavg()[0]}


def main(argv: list[str]) -> int:
    """Run the benchmark and write its report."""
    parser = plain_parser("speed", "How fast Heft is, as ratios in one run.")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS), help="run only these parts")
    parser.add_argument("--quick", action="store_true", help="fewer rounds and smaller sizes")
    options = parser.parse_args(argv)
    limit_threads()
    require_data()
    rows: list[Row] = []
    for part in options.only:
        for row in rows_of(part, options.quick):
            print(f"{part}: {row['name']}: {row['value']:.4g} {row['unit']} {row['verdict']}", flush=True)
            rows.append(row)
    sizes = " Smaller sizes and fewer rounds (--quick)." if options.quick else ""
    text = (
        "# Speed\n\nMade by `python3 dev.py bench speed`. Times are processor times of one core, the least "
        "of several in turns, so that other work on the machine changes them little; it slows caches, "
        f"though: compare rows only at similar loads.{sizes} {platform.machine()}, {os.cpu_count()} "
        "processors. "
        f"Commit {commit_of('speed')}.\n\n{markdown(rows, COLUMNS)}\n"
    )
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "speed.md").write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
