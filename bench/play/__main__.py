"""Strikes between examples, and several in one play: `python3 dev.py bench play` (docs/benchmarks.md)."""

from __future__ import annotations

import sys

import numpy as np

from sim_core.base.json_codec import to_object

from ..common.clips import require_data
from ..common.measured_code import commit_of
from ..common.options import plain_parser
from ..common.pages import write_page
from ..common.tables import Columns, markdown
from .trials import STRIKES_S, bake_play, reaches

STRIKES: Columns = {
    "at, s": "{time_s:.2f}",
    "miss, cm": lambda r: f"{100 * r['miss_m']:.1f}",
    "first, cm": lambda r: f"{100 * r['first_miss_m']:.1f}",
    "speed, m/s": "{speed:.2f}",
}


def main(argv: list[str]) -> int:
    """Run the benchmark and write its report."""
    options = plain_parser("play", "Strike between examples, several times in a row.").parse_args(argv)
    require_data()
    found = reaches()
    nearest, between = (100.0 * np.array([getattr(r, key) for r in found]) for key in ("nearest", "between"))
    result = bake_play()
    strikes, meta = result.meta.strikes, result.meta
    fate = "stays up" if meta.fell_at is None else f"fell at {meta.fell_at:.2f} s"
    summary = (
        f"- {len(found)} targets in the box of the contacts: the nearest of {len(STRIKES_S)} examples is "
        f"{nearest.mean():.1f} cm away on average ({nearest.max():.1f} at most), the interpolated one "
        f"{between.mean():.1f} cm ({between.max():.1f}); that much is left for inverse kinematics.\n"
        f"- A play of {len(strikes)} strikes at 0 N: "
        f"{fate}, "
        f"mean miss {100 * float(np.mean([s.miss_m for s in strikes])):.1f} cm, "
        f"{meta.rounds} simulations, attempt '{meta.attempt}'."
    )
    intro = (
        "Made by `python3 dev.py bench play`; docs/benchmarks.md says how to read it. Crosses of the boxer "
        f"13_18 at {', '.join(f'{t:g}' for t in STRIKES_S)} s. Commit {commit_of('play')}."
    )
    parts = ["# Plays", intro, summary, markdown([to_object(strike) for strike in strikes], STRIKES)]
    write_page(options.out / "play.md", parts)
    print(summary)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
