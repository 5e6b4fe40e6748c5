"""Faults at random moments of jobs in Blender: `python3 dev.py bench faults` (docs/benchmarks.md)."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import bpy

from ..common.cache import Cache, Item, Outcome
from ..common.clips import ROOT
from ..common.measured_code import code_id, commit_of
from ..common.options import CACHE, plain_parser
from ..common.pool import Budget, run_tasks
from ..common.tables import Columns, markdown
from .loads import load_files
from .trial import HANG_S, PHASES
from .trials import FAULTS
from .window_run import window_faults
from .works import WORKS

COLUMNS: Columns = {
    "fault": "{fault}",
    "times": "{times}",
    "job failed": "{failed}",
    "job went on": "{went_on}",
    "keys lost": "{lost}",
    "orphans": "{orphans}",
    "files left": "{left}",
    "over 5 s": "{hangs}",
    "not one sentence": "{unsaid}",
    "other": "{other}",
    "longest turn, s": "{longest_s:.2f}",
}
CLASSES = {
    "hangs": ("hang:", "the job never ended"),
    "orphans": ("orphan:",),
    "left": ("left:",),
    "unsaid": ("nothing was said", "more than one sentence", "this is no sentence", "raised "),
    "lost": ("the action '", "the keys of '", "'"),
}
"""How the words of a defect begin, by the column that counts it."""


Known = Sequence[tuple[int, Outcome]]
ADDON = ("addon", "operators", "panels")
FOLDER = r"(?<=')/[^']*(?=')"


def main(argv: list[str]) -> int:
    """Run the faults and write the table."""
    parser = plain_parser("faults", "Let jobs meet faults at random moments, and check what is left.")
    parser.add_argument("--faults", type=int, default=1000, metavar="N", help="how many (default: 1000)")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="of the first fault")
    parser.add_argument("--minutes", type=float, default=60.0, metavar="M", help="stop after this time")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="Blenders at once (default: 2)")
    parser.add_argument("--fresh", action="store_true", help="forget outcomes of earlier runs")
    parser.add_argument("--loads", type=int, default=500, metavar="N", help="file loads while registered")
    parser.add_argument("--window", action="store_true", help="in a real window (dev.py gui)")
    options = parser.parse_args(argv)
    # The cache follows the core and what trials import by their paths; the add-on is imported as `heft`.
    addon = code_id(path for folder in ADDON for path in (ROOT / folder).rglob("*.py"))
    seeds = range(options.seed, options.seed + options.faults)
    if options.window:
        version, known = window_faults(seeds)
        where = f"In a window of Blender {version}"
        return write_page(options.out / "faults_window.md", known, options.faults, where, "")
    items: list[Item] = [{"seed": seed, "addon": addon} for seed in seeds]
    cache = Cache("faults", CACHE / "faults.jsonl", fresh=options.fresh)
    # Much of the time is waiting, so that several Blenders share a processor.
    tasks = [items[first :: options.jobs] for first in range(options.jobs)]
    budget = Budget(options.minutes)
    run_tasks("faults", tasks, cache, options.jobs, budget, lambda item: f"seed {item['seed']}")
    known = [(item["seed"], outcome) for item in items if (outcome := cache.get(item)) is not None]
    where = f"On the module of Blender {'.'.join(map(str, bpy.app.version))}"
    return write_page(options.out / "faults.md", known, options.faults, where, load_files(options.loads))


def write_page(path: Path, known: Known, asked: int, where: str, loads: str) -> int:
    """Write and print the page; return the exit status."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = report_of(known, asked, where, loads)
    path.write_text(text, "utf-8")
    print(text)
    return 1 if any(_defects(outcome) for _, outcome in known) else 0


def report_of(known: Known, asked: int, where: str, loads: str) -> str:
    """Return the page: the figures, a row for each fault, and the defects with their seeds."""
    rows = [_row(name, [outcome for _, outcome in known if outcome.get("fault") == name]) for name in FAULTS]
    defects = [(seed, outcome, text) for seed, outcome in known for text in _defects(outcome)]
    columns = Counter(_column(text) for _, _, text in defects)
    seeds = f"seeds {known[0][0]} to {known[-1][0]}" if known else "no seeds"
    intro = (
        "Made by `python3 dev.py bench faults`; docs/benchmarks.md says how to read it. "
        f"{where}, {seeds}, at moments of {', '.join(PHASES)} of these jobs: {', '.join(WORKS)}. "
        f"Commit {commit_of('faults')}."
    )
    ended = "" if len(known) == asked else f" The run was ended before the {asked} that were asked for."
    summary = (
        f"{len(known)} faults: {columns['lost']} with lost keys, {columns['orphans']} orphans, "
        f"{columns['left']} files left, {columns['hangs']} hangs over {HANG_S:g} s, {columns['unsaid']} "
        f"without exactly one sentence, {columns['other']} other defects.{ended}"
    )
    listed = "\n".join(
        f"- seed {seed}, {outcome.get('fault', 'unknown')} while {outcome.get('phase', 'running')} "
        f"({outcome.get('work', 'a job')}): {text}"
        for seed, outcome, text in defects
    )
    table = markdown([row for row in rows if row["times"]], COLUMNS)
    said = "\n".join(f"- {text}" for text in sorted(_sentences(known)))
    parts = ("# Faults", intro, summary, loads, table, listed, "## What was said", said)
    return "\n\n".join(part for part in parts if part) + "\n"


def _sentences(known: Known) -> set[str]:
    """Return an example of a sentence for each fault that ended a job."""
    first: dict[str, str] = {}
    for _, outcome in known:
        if outcome.get("failed"):
            first.setdefault(outcome["fault"], outcome["said"])
    # Folders are those of one machine and one run.
    return {f"{fault}: {re.sub(FOLDER, '…', text)}" for fault, text in first.items()}


def _defects(outcome: Outcome) -> list[str]:
    """Return what was wrong; a crash of the process, or of the harness, is a defect as well."""
    return [outcome["error"]] if "error" in outcome else list(outcome["defects"])


def _column(defect: str) -> str:
    return next((name for name, words in CLASSES.items() if defect.startswith(words)), "other")


def _row(name: str, own: Sequence[Outcome]) -> dict[str, object]:
    counts = Counter(_column(text) for outcome in own for text in _defects(outcome))
    return {
        "fault": name,
        "times": len(own),
        "failed": sum(outcome["failed"] for outcome in own),
        "went_on": sum(not outcome["failed"] for outcome in own),
        **{column: counts[column] for column in (*CLASSES, "other")},
        "longest_s": max((outcome["longest_s"] for outcome in own), default=0.0),
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
