"""The tests in Blender, again and again on a busy machine: `python3 dev.py bench suite` (docs/benchmarks.md).

A crash of Blender that comes once in many runs is found by many runs only; no run is repeated.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tools.dev.environments import BLENDERS, blender_env

from ..common.clips import ROOT
from ..common.measured_code import commit_id
from ..common.options import plain_parser
from ..common.tables import Columns, Row, markdown

TESTED = ("addon", "operators", "panels", "tests/blender")
"""What the figures depend on besides the core, as Git paths."""
WORK_FOR_EVER = "while True: pass"
COUNTED = re.compile(r"(\d+) (passed|failed|errors?|skipped)")
COLUMNS: Columns = {
    "run": "{run}",
    "outcome": "{outcome}",
    "passed": "{passed}",
    "skipped": "{skipped}",
    "wall [s]": "{wall_s:.0f}",
    "machine load before": "{load_before:.1f}",
    "and after": "{load_after:.1f}",
}


def main(argv: list[str]) -> int:
    """Run the tests many times; the page is written after each run, so that a stop keeps what is known."""
    parser = plain_parser("suite", "The tests in Blender, again and again on a busy machine.")
    parser.add_argument("--blender", default="4.2", choices=[own.version for own in BLENDERS])
    parser.add_argument("--runs", type=int, default=20, metavar="N", help="how often (default: 20)")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="runs at a time (default: 2)")
    parser.add_argument(
        "--load", type=int, default=2, metavar="N", help="processes that keep the machine busy"
    )
    options = parser.parse_args(argv)
    python = blender_env(next(own for own in BLENDERS if own.version == options.blender))
    commit = commit_id(map(Path, TESTED))
    rows: list[Row] = []
    options.out.mkdir(parents=True, exist_ok=True)
    with busy_machine(options.load), ThreadPoolExecutor(options.jobs) as threads:
        for row in threads.map(lambda run: {"run": run, **run_suite(python)}, range(1, options.runs + 1)):
            rows.append(row)
            print(f"{row['run']} of {options.runs}: {row['outcome']}", flush=True)
            text = page(rows, options.blender, options.jobs, options.load, commit)
            (options.out / "suite.md").write_text(text, "utf-8")
    print(text)
    return 0 if all(row["outcome"] == "passed" for row in rows) else 1


@contextmanager
def busy_machine(processes: int) -> Iterator[None]:
    """Keep the machine busy with processes that do nothing useful."""
    busy = [subprocess.Popen([sys.executable, "-c", WORK_FOR_EVER]) for _ in range(processes)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def run_suite(python: Path) -> dict[str, Any]:
    """Run the tests once, with temporary files of their own; return how it ended."""
    command = [str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/blender"]
    began, load_before = time.monotonic(), os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="suite_") as folder:
        own = {"TMPDIR": folder, "HYPOTHESIS_STORAGE_DIRECTORY": folder}
        answer = subprocess.run(
            command,
            cwd=ROOT,
            env=os.environ | own,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
    return {
        **outcome_of(answer.returncode, answer.stdout),
        "wall_s": time.monotonic() - began,
        "load_before": load_before,
        "load_after": os.getloadavg()[0],
    }


def outcome_of(status: int, told: str) -> dict[str, Any]:
    """Return how a run ended, from its exit status and what it printed."""
    last = told.strip().splitlines()[-1:] or [""]
    counted = {what: int(number) for number, what in COUNTED.findall(last[0])}
    numbers = {"passed": counted.get("passed", 0), "skipped": counted.get("skipped", 0)}
    if status == 0 and numbers["passed"]:
        return {"outcome": "passed", **numbers}
    if status < 0:
        return {"outcome": f"ended by {signal.Signals(-status).name}", **numbers}
    failed = [line.split(" - ")[0] for line in told.splitlines() if line.startswith(("FAILED ", "ERROR "))]
    return {"outcome": "; ".join(failed) or f"ended with status {status}", **numbers}


def page(rows: list[Row], blender: str, jobs: int, load: int, commit: str) -> str:
    """Return the page."""
    good = sum(row["outcome"] == "passed" for row in rows)
    beside = f", beside {load} processes that keep the {os.cpu_count()} processors busy" if load else ""
    return (
        f"# The tests in Blender, again and again\n\nMade by `python3 dev.py bench suite`: the tests of "
        f"`tests/blender` on the module of Blender {blender}, {jobs} runs at a time{beside}, on "
        f"{os.cpu_count()} processors. No run is repeated. Commit {commit}.\n\n"
        f"{good} of {len(rows)} runs passed.\n\n{markdown(rows, COLUMNS)}\n"
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
