"""A character that is played live: `python3 dev.py bench live` (docs/benchmarks.md)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from ..common.cache import Cache, Outcome
from ..common.clips import require_data
from ..common.measured_code import commit_of
from ..common.options import CACHE, common_parser
from ..common.pages import write_page
from ..common.pool import Budget, run_tasks
from ..common.tables import Columns, markdown
from .plan import GRABBED, PACE, PARTS, PUSHED, REPLAYED, ROWS, STANDS, WALKS, describe
from .trials import FORCE_N, PUSH_S, RETURN_S

RETURNED_DEG = 6.0
"""Error of the pushed limb below which it has returned [deg]."""
PACE_COLUMNS: Columns = {
    "clip": "{clip}",
    "quality": "{quality}",
    "props": "{props}",
    "axes": "{dofs}",
    "played, s": "{played_s:.0f}",
    "late > 20 ms": lambda r: f"{r['late_share']:.2%}",
    "speed": "{speed:.2f}",
    "CPU s for 1 s": "{cpu_share:.2f}",
    "machine load": "{load:.1f}",
}
GRAB_COLUMNS: Columns = {
    "clip": "{clip}",
    "part": "{part}",
    "pushes": "{pushes}",
    "stays up": "{up}",
    "back within 1 s": "{back}",
}
Known = list[tuple[dict[str, Any], Outcome]]


def main(argv: list[str]) -> int:
    """Run what is not known yet, and write a table for the pace and one for all that load does not change."""
    parser = common_parser("live", "Play characters live, push them, and repeat what was played.")
    parser.add_argument("--only", choices=tuple(ROWS), help="only the pace (3 minutes), or only the bodies")
    options = parser.parse_args(argv)
    require_data()
    chosen = [options.only] if options.only else list(ROWS)
    cache, budget = Cache("live", CACHE / "live.jsonl", options.fresh), Budget(options.minutes)
    for name in chosen:
        if not options.report:
            jobs = 1 if name == "pace" else options.jobs  # nothing else may run beside the pace
            run_tasks("live", [ROWS[name][n::jobs] for n in range(jobs)], cache, jobs, budget, describe)
        if any(cache.get(item) for item in ROWS[name]):
            print(_write(name, cache, options.out))
    cache.warn_of_edits()
    return 0


def _known(cache: Cache, items: list[dict[str, Any]]) -> Known:
    return [(item, own) for item in items if (own := cache.get(item)) is not None and "error" not in own]


def _write(name: str, cache: Cache, folder: Path) -> str:
    made = f"python3 dev.py bench live --only {name}"
    about = f"Made by `{made}`; docs/benchmarks.md says how to read it. Commit {commit_of('live')}."
    parts = _pace(_known(cache, PACE)) if name == "pace" else _bodies(cache)
    title, file = ("Live", "live.md") if name == "bodies" else ("Pace of live plays", "live_pace.md")
    return write_page(folder / file, [f"# {title}", about, *parts])


def _pace(known: Known) -> list[str]:
    late, load = (max((own[key] for _, own in known), default=0.0) for key in ("late_share", "load"))
    return [
        f"Late ticks: at most {late:.2%} (bar: 1 %), at a machine load of up to {load:.1f}. A tick, 10 ms, "
        "is late if it ends more than 20 ms after its time.",
        markdown([{**item, **own} for item, own in known], PACE_COLUMNS),
    ]


def _bodies(cache: Cache) -> list[str]:
    grabbed = _known(cache, GRABBED)
    ticks = [own["ticks"] for _, own in _known(cache, PUSHED)]
    equal = [own["equal"] for _, own in _known(cache, REPLAYED)]
    lines = [
        f"- Grabbed while walking: {_counts(grabbed, WALKS)}.",
        f"- Grabbed while standing: {_counts(grabbed, STANDS)}.",
        f"- A push is in the pose after {max(ticks, default=0)} control intervals at most (bar: 2).",
        f"- Replay: {sum(equal)} of {len(equal)} logs give equal arrays twice.",
    ]
    rows = [_row(clip, part, grabbed) for clip in (*WALKS, *STANDS) for part in PARTS]
    return [
        "Everything at 0 N, standard quality.",
        "\n".join(lines),
        f"## Grabbed\n\n{FORCE_N:.0f} N sideways for {PUSH_S:g} s (bar: stays up in 9 of 10). A part is back "
        f"if the joints of its limb are within {RETURNED_DEG:g} deg of the reference {RETURN_S:g} s later.",
        markdown(rows, GRAB_COLUMNS),
    ]


def _counts(grabbed: Known, clips: tuple[str, ...]) -> str:
    own = [outcome for item, outcome in grabbed if item["clip"] in clips]
    up = [outcome for outcome in own if not outcome["fell"]]
    back = sum(outcome["error_deg"] < RETURNED_DEG for outcome in up)
    return f"stays up in {len(up)} of {len(own)} pushes, and the part is back in {back} of {len(up)}"


def _row(clip: str, part: str, grabbed: Known) -> dict[str, object]:
    own = [o for item, o in grabbed if (item["clip"], item["segment"]) == (clip, part)]
    up = [o for o in own if not o["fell"]]
    back = sum(o["error_deg"] < RETURNED_DEG for o in up)
    return {"clip": clip, "part": part, "pushes": len(own), "up": len(up), "back": f"{back} of {len(up)}"}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
