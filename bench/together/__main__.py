"""Characters that touch others, and themselves: `python3 dev.py bench together` (docs/benchmarks.md)."""

from __future__ import annotations

import argparse
import sys

from ..common.clips import require_data
from ..common.options import plain_parser
from .report import interaction_rows, plot_strip, write_together_report
from .trials import INTERACTIONS, STUMBLE, alone, self_contact, together

CLIPS = ("02_01", "07_01", "13_18", "05_02", "138_01", "140_01")
"""Clips for self-collision."""


def parse(argv: list[str]) -> argparse.Namespace:
    """Return the options."""
    parser = plain_parser("together", "Let characters meet each other, and themselves.")
    parser.add_argument("--seeds", type=int, default=4, metavar="N", help="of the stumble (default: 4)")
    parser.add_argument("--clips", nargs="*", default=CLIPS, metavar="CLIP", help="for self-collision")
    return parser.parse_args(argv)


def main(argv: list[str]) -> int:
    """Run the benchmark and write its report."""
    options = parse(argv)
    require_data()
    options.out.mkdir(parents=True, exist_ok=True)
    rows = []
    for interaction in INTERACTIONS:
        for seed in range(options.seeds if interaction is STUMBLE else 1):
            noise = 0.0 if interaction is not STUMBLE else 0.1
            rows += interaction_rows(
                interaction, seed, together(interaction, seed, noise), alone(interaction, seed, noise)
            )
            print(*rows[-2:], sep="\n", flush=True)
    own = []
    for clip in options.clips:
        for seed in (0, 1):
            own.append(self_contact(clip, seed))
            print(own[-1], flush=True)
    plot_strip(together(STUMBLE, 0, 0.0).results, options.out / "together.png")
    print(write_together_report(rows, own, options.out))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
