"""A character that is played live: `python3 dev.py bench live` (docs/benchmarks.md)."""

from __future__ import annotations

import sys
from dataclasses import asdict

from ..common.clips import require_data
from ..common.measured_code import commit_of
from ..common.options import plain_parser
from ..common.tables import Columns, markdown
from .trials import FORCE_N, PUSH_S, RETURN_S, Paced, Pushed, paced, pushed, replays_equal

WALKS, STANDS = ("07_01", "16_31"), ("13_18",)
PARTS = ("hand.L", "chest", "head")
PUSHES = 2
"""Pushes of each part to each side, at different phases of a step."""
RETURNED_DEG = 6.0
"""Error of the pushed limb below which it has returned [deg]."""
REPLAYED = ("07_01", "13_18")
PACE: Columns = {
    "clip": "{clip}",
    "quality": "{quality}",
    "props": "{props}",
    "axes": "{dofs}",
    "played, s": "{seconds:.0f}",
    "late > 20 ms": lambda r: f"{r['late_share']:.2%}",
    "speed": "{speed:.2f}",
    "CPU s for 1 s": "{cpu_share:.2f}",
    "push after ticks": "{push_ticks}",
    "machine load": "{load:.1f}",
}
GRABS: Columns = {
    "clip": "{clip}",
    "part": "{segment}",
    "pushes": "{pushes}",
    "stays up": "{up}",
    "back within 1 s": "{back}",
}


def main(argv: list[str]) -> int:
    """Run the benchmark and write its report."""
    parser = plain_parser("live", "Play characters live, push them, and repeat what was played.")
    parser.add_argument("--seconds", type=float, default=60.0, metavar="S", help="of each live process")
    options = parser.parse_args(argv)
    require_data()
    options.out.mkdir(parents=True, exist_ok=True)
    pace = [
        paced("07_01", "standard", 0, options.seconds),
        paced("07_01", "draft", 10, options.seconds),
    ]
    trials = [
        pushed(clip, part, side, number)
        for clip in (*WALKS, *STANDS)
        for part in PARTS
        for side in (-1, 1)
        for number in range(PUSHES)
    ]
    equal = [replays_equal(clip) for clip in REPLAYED]
    summary = _summary(pace, trials, equal)
    rows = [_row(clip, part, trials) for clip in (*WALKS, *STANDS) for part in PARTS]
    intro = (
        "Made by `python3 dev.py bench live`; docs/benchmarks.md says how to read it. Everything at 0 N. "
        f"Commit {commit_of('live')}."
    )
    parts = [
        "# Live",
        intro,
        summary,
        "## Pace\n\nA tick, 10 ms, is late if it ends more than 20 ms after its time.",
        markdown([asdict(own) for own in pace], PACE),
        f"## Grabbed\n\n{FORCE_N:.0f} N sideways for {PUSH_S:g} s.",
        markdown(rows, GRABS),
    ]
    (options.out / "live.md").write_text("\n\n".join(parts) + "\n", "utf-8")
    print(summary)
    return 0


def _row(clip: str, part: str, trials: list[Pushed]) -> dict[str, object]:
    own = [each for each in trials if (each.clip, each.segment) == (clip, part)]
    up = [each for each in own if not each.fell]
    back = sum(each.error_deg < RETURNED_DEG for each in up)
    return {"clip": clip, "segment": part, "pushes": len(own), "up": len(up), "back": f"{back} of {len(up)}"}


def _summary(pace: list[Paced], trials: list[Pushed], equal: list[bool]) -> str:
    up = [each for each in trials if not each.fell]
    back = sum(each.error_deg < RETURNED_DEG for each in up)
    late = max(own.late_share for own in pace)
    delay = max(own.push_ticks for own in pace)
    load = max(own.load for own in pace)
    return (
        f"- Real time: late ticks at most {late:.2%} (bar: 1 %), at a machine load of up to {load:.1f}.\n"
        f"- A push is in the pose after {delay} ticks at most (bar: 2).\n"
        f"- Grabbed: stays up in {len(up)} of {len(trials)} pushes (bar: 9 of 10); the joints of the pushed "
        f"part are back within {RETURN_S:g} s, below {RETURNED_DEG:g} deg, in {back} of {len(up)}.\n"
        f"- Replay: {sum(equal)} of {len(equal)} logs give equal arrays twice."
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
