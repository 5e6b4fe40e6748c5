"""Walks over ground that is not flat: `python3 dev.py bench balance` (docs/benchmarks.md)."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.harness.cache import Cache, Item
from bench.harness.clips import missing_data
from bench.harness.grounds import GROUNDS
from bench.harness.options import CACHE, common_parser
from bench.harness.pool import Budget, run_tasks
from bench.harness.terrain_report import write_terrain_report

WALKS = ("02_01", "07_01", "08_01", "16_31", "35_01", "91_19", "138_01")
NOISE = 0.1
"""Of the starting velocities [rad/s, m/s]."""


def parse(argv: list[str]) -> argparse.Namespace:
    parser = common_parser("balance", "Walks at 0 N on slopes, steps, platforms, boards and bumps.")
    parser.add_argument("--clips", nargs="+", default=WALKS, metavar="CLIP")
    parser.add_argument("--grounds", nargs="+", default=list(GROUNDS), choices=GROUNDS, metavar="GROUND")
    parser.add_argument("--seeds", nargs="+", type=int, default=[1, 2], metavar="K")
    parser.add_argument("--quality", default="standard", metavar="Q")
    return parser.parse_args(argv)


def items_of(options: argparse.Namespace) -> list[Item]:
    settings = {
        "quality": options.quality,
        "assist": 0.0,
        "noise": NOISE,
        "character": None,
        "balance": "footsteps",
        "correction": 1.0,
        "curve": False,
    }
    return [
        {"clip": clip, "ground": ground, "seed": seed, **settings}
        for ground in options.grounds
        for clip in options.clips
        for seed in options.seeds
    ]


def main(argv: list[str]) -> int:
    options = parse(argv)
    problem = missing_data()
    if problem is not None:
        print(problem, file=sys.stderr)
        return 1
    items = items_of(options)
    cache, budget = Cache(CACHE / "balance.jsonl", options.fresh), Budget(options.minutes)
    if not options.report:
        tasks = [[item for item in items if item["ground"] == ground] for ground in options.grounds]
        run_tasks(
            "bake", tasks, cache, options.jobs, budget, lambda i: f"{i['ground']} {i['clip']} {i['seed']}"
        )
    print(write_terrain_report(items, cache, options.out))
    if cache.code_changed():
        print("The measured code was edited during this run; run again with --fresh for clean figures.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
