"""Many bakes, long takes, large rigs and scenes: `python3 dev.py bench long` (docs/benchmarks.md)."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

import bpy

from ..common.cache import Cache, Item, Outcome
from ..common.options import CACHE, common_parser
from ..common.pool import Budget, run_tasks
from ..common.tables import Columns, markdown
from .trials import TRIALS

SIZES = dict(zip(TRIALS, (1000, 1000, 10, 300, 20, 2000), strict=True))
COLUMNS: Columns = {
    "what": "{size} {trial}",
    "found": "{found}",
    "wrong": "{wrong}",
    "processor time, s": "{cpu_s:.0f}",
    "memory, MB": "{memory_mb:.0f}",
}


def main(argv: list[str]) -> int:
    """Run the trials that are not known yet, and write the table."""
    parser = common_parser("long", "Bake often, long and much, and look for what piles up.")
    parser.add_argument("--only", action="append", choices=list(TRIALS), help="only this trial")
    parser.add_argument("--size", type=int, metavar="N", help="of the chosen trials, instead of the full one")
    options = parser.parse_args(argv)
    chosen = options.only or list(TRIALS)
    items: list[Item] = [{"trial": name, "size": options.size or SIZES[name]} for name in chosen]
    cache = Cache("long", CACHE / "long.jsonl", options.fresh)
    if not options.report:
        tasks = [[item] for item in items]
        run_tasks(
            "long", tasks, cache, options.jobs, Budget(options.minutes), lambda item: str(item["trial"])
        )
    known = largest(cache)
    text = report_of(known, cache.commit)
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "long.md").write_text(text, "utf-8")
    print(text)
    return 1 if any(wrong_of(outcome) for _, outcome in known) else 0


def largest(cache: Cache) -> list[tuple[Item, Outcome]]:
    """Return the largest run of each trial that is known."""
    runs = [(json.loads(key), outcome) for key, outcome in cache.outcomes.items()]
    runs = [(item, outcome) for item, outcome in runs if item["trial"] in TRIALS]
    best = {item["trial"]: (item, outcome) for item, outcome in sorted(runs, key=lambda run: run[0]["size"])}
    return [best[name] for name in TRIALS if name in best]


def wrong_of(outcome: Outcome) -> str:
    """Return what was wrong, in words; nothing is an empty text."""
    return str(outcome.get("error") or "; ".join(outcome["defects"]))


def report_of(known: Sequence[tuple[Item, Outcome]], commit: str) -> str:
    """Return the page."""
    empty = {"found": "", "cpu_s": 0.0, "memory_mb": 0.0}
    rows = [{**empty, **item, **outcome, "wrong": wrong_of(outcome)} for item, outcome in known]
    version = ".".join(map(str, bpy.app.version))
    intro = (
        "Made by `python3 dev.py bench long`; docs/benchmarks.md says how to read it. On the module of "
        f"Blender {version}, draft quality. Commit {commit}."
    )
    whole = sum(item["size"] >= SIZES[item["trial"]] for item, _ in known)
    well = sum(not row["wrong"] for row in rows)
    summary = f"{len(rows)} of {len(TRIALS)} trials were run, {whole} of them in full size; {well} are well."
    return "\n\n".join(("# Long runs", intro, summary, markdown(rows, COLUMNS))) + "\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
