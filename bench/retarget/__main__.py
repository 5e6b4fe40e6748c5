"""Motions on other bodies: `python3 dev.py bench retarget` (docs/benchmarks.md)."""

from __future__ import annotations

import argparse
import sys

from sim_core.base.worker_process import keep_mujoco_from_logging_to_file, limit_threads

from ..common.clips import CMU, require_data
from ..common.options import plain_parser
from .company_trials import write_company
from .hand_trials import write_hands
from .report import Tables, plot_skate, plot_strip, write_retarget_report
from .targets import targets
from .trials import (
    OTHERS,
    SIMULATED,
    SOURCES,
    clapped,
    identity,
    measure,
    read_clip,
    simulated,
)

HEAVY_AND_LIGHT = ("child 1.10 m", "giant 2.40 m")
FOR_OTHERS = (*HEAVY_AND_LIGHT, "CesiumMan", "MakeHuman")


def parse(argv: list[str]) -> argparse.Namespace:
    """Return the options."""
    parser = plain_parser("retarget", "Carry captures over to other bodies.")
    parser.add_argument("--no-bakes", dest="bakes", action="store_false", help="leave the simulations out")
    parser.add_argument("--together", action="store_true", help="only the table of characters together")
    parser.add_argument("--hands", action="store_true", help="only the tables of hands")
    return parser.parse_args(argv)


def main(argv: list[str]) -> int:
    """Run the benchmark and write its report."""
    options = parse(argv)
    limit_threads()
    keep_mujoco_from_logging_to_file()
    require_data()
    options.out.mkdir(parents=True, exist_ok=True)
    if options.together:
        print(write_company(options.out))
        return 0
    print(write_hands(options.out))
    if options.hands:
        return 0
    bodies = targets()
    tables = Tables([], [], [clapped(name, target) for name, target in bodies.items()], [], [])
    strip = {}
    for clip, file in SOURCES.items():
        source, motion = read_clip(file)
        tables.identity.append(identity(clip, source, motion))
        for name, target in bodies.items():
            row, outcome = measure(clip, name, source, motion, target)
            tables.pairs.append(row)
            if clip == SIMULATED[0]:
                strip[name] = outcome
        if options.bakes and clip in SIMULATED:
            for name in HEAVY_AND_LIGHT:
                for scale_time in (False, True):
                    tables.bakes.append(simulated(clip, name, source, motion, bodies[name], scale_time))
        print(f"{clip} done", file=sys.stderr)
    for clip in OTHERS:
        source, motion = read_clip(CMU / f"{clip}.bvh")
        tables.others.extend(measure(clip, name, source, motion, bodies[name])[0] for name in FOR_OTHERS)
    print(write_company(options.out))
    print(write_retarget_report(tables, options.out))
    plot_strip(strip, options.out / "retarget_strip.png")
    plot_skate(tables.pairs, options.out / "retarget_skate.png")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
