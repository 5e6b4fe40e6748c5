"""A hundred bakes, five of which must fail, interrupted in the middle: `python3 dev.py bench batch`."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..common.clips import CMU, ROOT, require_data
from ..common.measured_code import commit_of
from ..common.options import plain_parser
from ..common.tables import Columns, markdown

CLIPS, SEEDS = 19, 5
VICTIM = "victim"
STARTED, FINISHED = "started", "finished"
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


def start(path: Path, out: Path) -> subprocess.Popen[str]:
    """Start the batch command."""
    words = ["batch", str(path), "--out", str(out), "--jobs", "2", "--json"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "sim_core", *words]
    return subprocess.Popen(
        command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )


def wait_until(happened: Callable[[], Any], process: subprocess.Popen[str]) -> Any:
    """Return what `happened` returns as soon as that is true; None if the process ends before."""
    while process.poll() is None:
        if found := happened():
            return found
        time.sleep(0.05)
    return None


def notes(out: Path, what: str) -> dict[str, int]:
    """Return how often each item was started, or finished."""
    logs = sorted((out / "log").glob("*.log"))
    return {log.stem: sum(line.endswith(what) for line in log.read_text().splitlines()) for log in logs}


def main(argv: list[str]) -> int:
    """Run the benchmark and write its report."""
    options = plain_parser("batch", "A hundred bakes, five broken, killed half-way.").parse_args(argv)
    require_data()
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="heft-batch-") as scratch:
        path, out = write_list(Path(scratch)), Path(scratch) / "out"
        began = time.monotonic()
        first = start(path, out)
        wait_until(lambda: sum(notes(out, FINISHED).values()) >= 50, first)
        first.send_signal(signal.SIGKILL)
        first.wait()
        kept = sum(notes(out, FINISHED).values())
        second = start(path, out)
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
    (options.out / "batch.md").write_text("\n\n".join(parts) + "\n", "utf-8")
    print(summary)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
