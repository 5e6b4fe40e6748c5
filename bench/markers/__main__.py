"""Markers to poses: `python3 dev.py bench markers` (docs/benchmarks.md)."""

from __future__ import annotations

import argparse
import sys

from sim_core.base.worker_process import limit_threads

from ..common.clips import require_markers
from ..common.options import plain_parser
from ..common.tables import Row
from .captures import CAPTURES
from .keypoints import TRIALS, measure_recordings, measure_trial
from .report import Tables, plot_noise, write_markers_report
from .trials import (
    FAULTS,
    Prepared,
    break_and_fit,
    compare_angles,
    measure,
    noise_sweep,
    prepare,
)

NOISE_TAKE = "PiG_walk_One"


def parse(argv: list[str]) -> argparse.Namespace:
    """Return the options."""
    parser = plain_parser("markers", "Fit skeletons to marker captures.")
    parser.add_argument("--draws", type=int, default=5, metavar="N", help="of every fault (default: 5)")
    parser.add_argument(
        "--noise-draws", type=int, default=20, metavar="N", help="of every level (default: 20)"
    )
    return parser.parse_args(argv)


def main(argv: list[str]) -> int:
    """Run the benchmark and write its report."""
    options = parse(argv)
    limit_threads()
    require_markers()
    options.out.mkdir(parents=True, exist_ok=True)
    prepared = [prepare(capture) for capture in CAPTURES]
    fits = [_with_leg_alone(one) for one in prepared]
    angles = [row for one in prepared for row in compare_angles(one)]
    robust = [
        _robust(one, options.draws) for one in prepared if one.capture.broken and not one.capture.held_out
    ]
    walk = next(one for one in prepared if one.capture.name == NOISE_TAKE)
    noise = noise_sweep(walk, options.noise_draws)
    recordings, keypoints = measure_recordings(), [measure_trial(trial) for trial in TRIALS]
    tables = Tables(fits, angles, robust, noise, recordings, keypoints, options.draws)
    print(write_markers_report(tables, options.out))
    plot_noise(noise, options.out / "markers_noise.png")
    return 0


def _with_leg_alone(prepared: Prepared) -> Row:
    """Return the figures of a take, with the error of its leg length without the static trial."""
    alone = None
    if prepared.capture.static is not None:
        alone = measure(prepare(prepared.capture, with_static=False))["leg_error"]
    return {**measure(prepared), "leg_alone": alone}


def _robust(prepared: Prepared, draws: int) -> Row:
    found = {name.replace(".", "_"): break_and_fit(prepared, name, draws) for name in FAULTS}
    return {"name": prepared.capture.name, **found}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
