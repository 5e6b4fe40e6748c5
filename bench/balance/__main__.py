"""Balance on all grounds, against pushes and balls: `python3 dev.py bench balance` (docs/benchmarks.md)."""

from __future__ import annotations

import argparse
import sys

from ..common.cache import Cache
from ..common.clips import require_data
from ..common.options import CACHE, common_parser
from ..common.pool import Budget, run_tasks
from .plan import PARTS, describe, items_of, tasks_of
from .report import write_balance_report


def parse(argv: list[str]) -> argparse.Namespace:
    """Return the options."""
    parser = common_parser("balance", "Policies, pushes, balls, terrain: everything at 0 N.")
    parser.add_argument("--only", nargs="+", choices=PARTS, metavar="PART", help=f"of {', '.join(PARTS)}")
    parser.add_argument("--clips", nargs="+", metavar="CLIP", help="only these, such as 02_01")
    parser.add_argument("--seeds", nargs="+", type=int, default=[1, 2, 3, 4], metavar="K")
    return parser.parse_args(argv)


def main(argv: list[str]) -> int:
    """Run the benchmark and write its report."""
    options = parse(argv)
    require_data()
    parts = {part: items_of(part, options.seeds) if part in (options.only or PARTS) else [] for part in PARTS}
    if options.clips:
        parts = {part: [i for i in items if i["clip"] in options.clips] for part, items in parts.items()}
    cache, budget = Cache("balance", CACHE / "balance.jsonl", options.fresh), Budget(options.minutes)
    if not options.report:
        tasks = tasks_of([item for items in parts.values() for item in items])
        run_tasks("balance", tasks, cache, options.jobs, budget, describe)
    print(write_balance_report(parts, cache, options.out))
    cache.warn_of_edits()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
