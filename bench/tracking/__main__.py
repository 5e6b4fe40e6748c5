"""Tracking error of all clips: `python3 dev.py bench tracking` (docs/benchmarks.md)."""

from __future__ import annotations

import argparse
import sys

from ..common.cache import Cache, Item
from ..common.clips import CLIPS, require_data
from ..common.options import CACHE, common_parser
from ..common.pool import Budget, run_tasks
from .report import write_report
from .sweeps import ALONE, SWEEPS, Selection, items_of, tasks_of

QUALITY_CLIPS = ("02_01", "138_01", "13_11", "09_01", "02_04", "49_18", "88_06@60")


def parse(argv: list[str]) -> argparse.Namespace:
    """Return the options."""
    parser = common_parser("tracking", "Bake all clips with many options and compare with the bars.")
    parser.add_argument("--clips", nargs="+", metavar="CLIP", help="only these, such as 02_01 or 88_06@60")
    parser.add_argument("--only", nargs="+", choices=SWEEPS, metavar="SWEEP", help=f"of {', '.join(SWEEPS)}")
    parser.add_argument("--seeds", nargs="+", type=int, default=[1, 2, 3, 4], metavar="K")
    parser.add_argument("--quality-clips", nargs="+", metavar="CLIP", default=QUALITY_CLIPS)
    return parser.parse_args(argv)


def describe(item: Item) -> str:
    """Return the text that is printed for a bake."""
    filtered = "" if item["correction"] else ", filter off"
    body = "" if item["character"] is None else f", {item['character']}"
    start = f"{item['clip']} {item['quality']} {item['assist']:g} N {item['balance']}"
    return f"{start}{filtered}{body}, seed {item['seed']}"


def main(argv: list[str]) -> int:
    """Run the benchmark and write its report."""
    options = parse(argv)
    require_data()
    selection = Selection(tuple(options.clips or CLIPS), tuple(options.quality_clips), tuple(options.seeds))
    sweeps = {name: items_of(name, selection) for name in options.only or SWEEPS}
    cache, budget = Cache("tracking", CACHE / "tracking.jsonl", options.fresh), Budget(options.minutes)
    if not options.report:
        tasks = {name: tasks_of(items) for name, items in sweeps.items()}
        together = [task for name in sweeps if name not in ALONE for task in tasks[name]]
        run_tasks("tracking", together, cache, options.jobs, budget, describe)
        alone = [task for name in sweeps if name in ALONE for task in tasks[name]]
        run_tasks("tracking", alone, cache, 1, budget, describe)
    print(write_report(sweeps, cache, options.jobs, options.out))
    cache.warn_of_edits()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
