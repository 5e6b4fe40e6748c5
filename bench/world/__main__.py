"""Props and projectiles: `python3 dev.py bench world` (docs/benchmarks.md).

Marches through stacked blocks, fifty props in one scene, and throws at parts of characters that move.
"""

from __future__ import annotations

import argparse
import sys

from ..common.clips import require_data
from ..common.options import plain_parser
from .blocks import march
from .report import write_world_report
from .throws import throw_all

MARCHES = (("138_01", 9), ("138_01", 16), ("91_19", 9), ("91_19", 16), ("138_01", 50))
"""Clips, and how many blocks stand on their path."""
THROWN_AT = ("02_01", "138_01", "91_19:0-5", "13_18:0-5", "05_02:0-5")


def parse(argv: list[str]) -> argparse.Namespace:
    """Return the options."""
    return plain_parser("world", "Blocks, many props and throws, at 0 N.").parse_args(argv)


def main(argv: list[str]) -> int:
    """Run the benchmark and write its report."""
    options = parse(argv)
    require_data()
    options.out.mkdir(parents=True, exist_ok=True)
    blocks = []
    for clip, count in MARCHES:
        blocks.append(march(clip, count))
        print(blocks[-1], flush=True)
    throws = []
    for clip in THROWN_AT:
        throws += throw_all(clip)
        print(f"{clip}: {len(throws)} throws", flush=True)
    print(write_world_report(blocks, throws, options.out))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
