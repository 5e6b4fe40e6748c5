"""A hundred bakes, five of which must fail, interrupted in the middle: `python3 dev.py bench batch`.

With `--cluster N`, N short bakes on local clusters of Dask instead.
"""

from __future__ import annotations

import csv
import json
import os
import signal
import sys
import tempfile
import time
from pathlib import Path

from ..common.clips import CMU, require_data
from ..common.measured_code import commit_of
from ..common.options import plain_parser
from ..common.pages import write_page
from ..common.tables import Columns, markdown
from . import cluster
from .runs import FINISHED, STARTED, notes, start, wait_until

CLIPS, SEEDS = 19, 5
VICTIM = "victim"
REASONS: Columns = {"item": "{name}", "reason": "{reason}"}


def write_list(folder: Path) -> Path:
    """Write a batch of 19 clips with five seeds each, and five items that fail for different reasons."""
    (folder / "damaged.bvh").write_text("HIERARCHY\nROOT Hips\n{\nOFFSET 0 0\n")
    clips = [str(file) for file in sorted(CMU.glob("*.bvh"))[:CLIPS]]
    broken = [
        {"name": "missing", "motion": "nowhere.bvh"},
        {"name": "damaged", "motion": "damaged.bvh"},
        {"name": "unknown_option", "motion": clips[0], "sede": 1},
        {"name": "giant", "motion": clips[0], "height": 900},
        # Killed by this benchmark when it has started.
        {"name": VICTIM, "motion": clips[0], "seconds": [0, 3]},
    ]
    options = {"quality": "draft", "noise": 0.05, "seconds": [0.5, 0.8], "no-find-assist": True}
    axes = {"motion": clips, "seed": list(range(SEEDS))}
    data = {"format": "heft-batch", "schema": 1, "options": options, "axes": axes, "items": broken}
    path = folder / "hundred.json"
    path.write_text(json.dumps(data, indent=1))
    return path


def main(argv: list[str]) -> int:
    """Run the benchmark and write its report."""
    parser = plain_parser("batch", "A hundred bakes, five broken, killed half-way.")
    parser.add_argument("--cluster", type=int, metavar="N", help="N items on clusters of 1, 2 and 4 workers")
    options = parser.parse_args(argv)
    require_data()
    options.out.mkdir(parents=True, exist_ok=True)
    if options.cluster:
        report = cluster.measure(options.cluster)
        (options.out / "batch_cluster.md").write_text(report, "utf-8")
        print(report)
        return 0
    with tempfile.TemporaryDirectory(prefix="heft-batch-") as scratch:
        path, out = write_list(Path(scratch)), Path(scratch) / "out"
        began = time.monotonic()
        first = start(path, out, "--jobs", "2")
        wait_until(lambda: sum(notes(out, FINISHED).values()) >= 50, first)
        first.send_signal(signal.SIGKILL)
        first.wait()
        kept = sum(notes(out, FINISHED).values())
        second = start(path, out, "--jobs", "2")
        log = out / "log" / f"{VICTIM}.log"
        if wait_until(lambda: log.is_file() and log.read_text(), second):
            os.kill(int(log.read_text().split()[3]), signal.SIGKILL)
        report = json.loads(second.communicate()[0])
        seconds = time.monotonic() - began
        starts, ends = notes(out, STARTED), notes(out, FINISHED)
        rows = list(csv.DictReader((out / "table.csv").open()))
        results = len(list((out / "results").glob("*.npz")))
        size = (out / "sheet.html").stat().st_size / 1e6
    failed = [row for row in rows if row["state"] == "failed"]
    summary = (
        f"- {report['items']} items, {results} result files, {report['up']} stayed up, "
        f"{report['fell']} fell, {report['failed']} failed; exit status {second.returncode}.\n"
        f"- The first run was ended by kill -9 after {kept} items were finished; the second went on. "
        f"{sum(count == 1 for count in ends.values())} items were finished once, "
        f"{sum(count > 1 for count in ends.values())} twice; "
        f"{sum(count > 1 for count in starts.values())} were started twice.\n"
        f"- {seconds:.0f} s in all on 2 processes, {seconds / report['items']:.1f} s an item of 0.3 s; "
        f"the sheet has {size:.1f} MB."
    )
    intro = (
        f"Made by `python3 dev.py bench batch`: {CLIPS} captures x {SEEDS} seeds and five items that cannot "
        f"work, draft. One of these is killed while it runs. Commit {commit_of('batch')}."
    )
    parts = ["# A batch of a hundred", intro, summary, markdown(failed, REASONS)]
    write_page(options.out / "batch.md", parts)
    print(summary)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
