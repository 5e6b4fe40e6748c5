"""A boxer is hit: `python3 dev.py bench hits` (docs/benchmarks.md).

Balls of 5 kg at 4 m/s on head, chest, arm and waist, at 0 N; and figure 7 of Zordan, Hodgins 2002: the
neck's angle after a hit on the head, for several shares of the gains and recovery times.
"""

from __future__ import annotations

import argparse
import sys
from itertools import product

from sim_core.scenario.settings import BakeSettings

from ..common.clips import START_NOISE, require_data
from ..common.options import plain_parser
from .report import neck_curve, plot_necks, row_of, write_hits_report
from .trials import Throw, throw

TARGETS = ("head", "chest", "forearm.R", "pelvis")
SHARES = (1.0, 0.5, 0.2, 0.05)
RECOVERIES_S = (0.4, 0.8)


def parse(argv: list[str]) -> argparse.Namespace:
    """Return the options."""
    parser = plain_parser("hits", "Throw balls at a boxer.")
    parser.add_argument(
        "--times", nargs="+", type=float, default=[3.0, 6.0], metavar="S", help="of the throws"
    )
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1], metavar="N", help="of the starts")
    return parser.parse_args(argv)


def main(argv: list[str]) -> int:
    """Run the benchmark and write its report."""
    options = parse(argv)
    require_data()
    options.out.mkdir(parents=True, exist_ok=True)
    rows = []
    for target, time, seed in product(TARGETS, options.times, options.seeds):
        rows.append(row_of(throw(target, time, BakeSettings(seed=seed, noise=START_NOISE))))
        print(rows[-1], flush=True)
    print(write_hits_report(rows, options.out))
    curves = {
        f"{recovery:g} s": {f"{share:g}": neck_curve(_throw_at_head(share, recovery)) for share in SHARES}
        for recovery in RECOVERIES_S
    }
    plot_necks(curves, options.out / "hits.png")
    return 0


def _throw_at_head(share: float, recovery_s: float) -> Throw:
    settings = BakeSettings(softness=1.0 - share, recovery_s=recovery_s)
    return throw("head", 3.0, settings, seconds=5.0, sides=(0,))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
