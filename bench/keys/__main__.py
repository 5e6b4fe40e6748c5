"""Few keys: `python3 dev.py bench keys` (docs/keys.md)."""

from __future__ import annotations

import sys

import numpy as np

from sim_core.base.worker_process import limit_threads
from sim_core.keys.key_limits import KeyLimits
from sim_core.motion.motion import Motion

from ..common.clips import require_data
from ..common.measured_code import commit_of
from ..common.options import plain_parser
from ..common.tables import Row, markdown
from .trials import SECONDS, measure, read_start

SEEN = ("02_01", "05_02", "09_01", "07_01", "16_17")
"""Clips with which the method was chosen."""
UNSEEN = ("13_11", "49_18", "60_01", "91_19", "104_28", "138_01")
SLOW_FPS = 30.0
COLUMNS = {
    "clip": "{clip}",
    "frames/s": "{fps:.0f}",
    "frames": "{frames}",
    "keys": "{keys}",
    "of every frame": "{share:.1%}",
    "largest turn [deg]": "{degrees:.3f}",
    "largest shift [mm]": "{millimetres:.2f}",
    "processor [s]": "{seconds:.1f}",
}


def at_rate(motion: Motion, fps: float) -> Motion:
    """Return the motion at another frame rate."""
    return motion.at(motion.time[0] + np.arange(int(motion.duration * fps) + 1) / fps)


def report(rows: list[Row], limits: KeyLimits) -> str:
    """Return the text of the report."""
    own = [row["share"] for row in rows if row["fps"] > 2.0 * SLOW_FPS]
    slow = [row["share"] for row in rows if row["fps"] < 2.0 * SLOW_FPS]
    lines = [
        "# Few keys",
        "",
        f"At most {limits.degrees:g} deg and {limits.millimetres:g} mm of any bone, in the world.",
        "Errors are measured on the curves by forward kinematics. Keys are counted over all channels.",
        f"The first {SECONDS:g} s of each clip. The method was chosen with {', '.join(SEEN)}.",
        f"Commit {commit_of('keys')}.",
        "",
        f"- At the captures' own rate: {np.mean(own):.1%} of the keys on average, {max(own):.1%} at most "
        f"(bar: a quarter; reached on {sum(s <= 0.25 for s in own)} of {len(own)}).",
        f"- At {SLOW_FPS:g} frames a second: {np.mean(slow):.1%} on average, {max(slow):.1%} at most "
        f"(a quarter is reached on {sum(s <= 0.25 for s in slow)} of {len(slow)}).",
        "",
        markdown(rows, COLUMNS),
        "",
    ]
    return "\n".join(lines)


def main(argv: list[str]) -> int:
    """Run the benchmark and write its report."""
    options = plain_parser("keys", "Reduce captures to few keys.").parse_args(argv)
    limit_threads()
    require_data()
    limits, rows = KeyLimits(), []
    for name in (*SEEN, *UNSEEN):
        motion = read_start(name)
        rows += [measure(name, motion, limits), measure(name, at_rate(motion, SLOW_FPS), limits)]
        print(f"{name} done", file=sys.stderr)
    options.out.mkdir(parents=True, exist_ok=True)
    text = report(rows, limits)
    (options.out / "keys.md").write_text(text, encoding="utf-8")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
