"""Aimed punches: `python3 dev.py bench aim` (docs/benchmarks.md).

Figures 4 and 5 of Zordan, Hodgins 2002: strikes at the points of a grid, at several speeds, and at targets
that move, simulated at 0 N.
"""

from __future__ import annotations

import argparse
import sys

from ..common.clips import require_data
from ..common.options import plain_parser
from .report import plot_aims, row_of, write_aim_report
from .strikes import DRIFTS, RATIOS, STRIKES, TUNED, RequestedStrike, grid, original_strike


def parse(argv: list[str]) -> argparse.Namespace:
    """Return the options."""
    parser = plain_parser("aim", "Punch at the points of a grid.")
    parser.add_argument("--strikes", nargs="+", default=list(STRIKES), choices=list(STRIKES))
    return parser.parse_args(argv)


def main(argv: list[str]) -> int:
    """Run the benchmark and write its report."""
    options = parse(argv)
    require_data()
    options.out.mkdir(parents=True, exist_ok=True)
    rows = []
    for name in options.strikes:
        original = original_strike(STRIKES[name])
        requests = [RequestedStrike("grid", offset) for offset in grid(wide=name == TUNED)]
        requests += [RequestedStrike("speed", ratio=ratio) for ratio in RATIOS]
        requests += [RequestedStrike("moving", ratio=0.0, drift=drift) for drift in DRIFTS]
        for requested in requests:
            rows.append(row_of(name, original, requested))
            print(rows[-1], flush=True)
    print(write_aim_report(rows, options.out))
    plot_aims(rows, options.out / "aim.png")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
