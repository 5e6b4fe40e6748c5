"""Walks on changed bodies, with wrong friction and other gains: `python3 dev.py bench robustness`."""

from __future__ import annotations

import argparse
import sys

from ..common.cache import Cache, Item
from ..common.clips import require_data
from ..common.options import CACHE, common_parser
from ..common.pool import Budget, run_tasks
from .plan import Plan, body_items, gain_items, tasks_of
from .report import write_report

WALKS = ("02_01", "35_01", "16_31")


def parse(argv: list[str]) -> argparse.Namespace:
    """Return the options."""
    parser = common_parser("robustness", "Walks at 0 N on wrong bodies, with wrong friction and other gains.")
    parser.add_argument("--clips", nargs="+", default=WALKS, metavar="CLIP", help="walks without a rate")
    parser.add_argument("--seeds", nargs="+", type=int, default=[1, 2, 3, 4], metavar="K")
    parser.add_argument("--gain-seeds", nargs="+", type=int, default=[1, 2], metavar="K", help="of the map")
    parser.add_argument("--only", choices=("bodies", "gains"), help="one part")
    return parser.parse_args(argv)


def describe(item: Item) -> str:
    """Return the text that is printed for a trial."""
    tuning = ", ".join(f"{name} {value:g}" for name, value in item["tuning"].items())
    return f"{item['clip']} {item['change']} (informed: {item['informed']}) {tuning} seed {item['seed']}"


def main(argv: list[str]) -> int:
    """Run the benchmark and write its report."""
    options = parse(argv)
    require_data()
    plan = Plan(tuple(options.clips), tuple(options.seeds), tuple(options.gain_seeds))
    bodies = [] if options.only == "gains" else body_items(plan)
    gains = [] if options.only == "bodies" else gain_items(plan)
    cache, budget = Cache("robustness", CACHE / "robustness.jsonl", options.fresh), Budget(options.minutes)
    if not options.report:
        run_tasks("robustness", tasks_of(bodies) + tasks_of(gains), cache, options.jobs, budget, describe)
    print(write_report(plan, bodies, gains, cache, options.out))
    cache.warn_of_edits()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
