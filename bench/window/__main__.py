"""How long a bake holds up Blender's window: `python3 dev.py bench window` (docs/progress.md)."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys

import bpy

from tests.gui.find_blender import GUI

from ..common.clips import ROOT
from ..common.measured_code import commit_of
from ..common.options import plain_parser
from ..common.tables import Row, markdown
from .trials import BONES, FRAMES, WALK_S, first_result, steps_of_a_bake

COLUMNS = {
    "case": "{case}",
    "steps": "{steps}",
    "longest while reading [ms of processor]": "{reading_ms:.0f}",
    "longest other [ms of processor]": "{longest_ms:.0f}",
    "in": "{stage}",
    "others over 50 ms": "{over}",
    "Blender's processor [s]": "{own_processor_s:.1f}",
    "child's processor [s]": "{child_processor_s:.1f}",
    "reading [s]": "{reading_s:.1f}",
    "child [s]": "{child_s:.1f}",
    "writing [s]": "{writing_s:.1f}",
    "all [s]": "{all_s:.1f}",
}


def in_a_real_window() -> list[str]:
    """Let the test in a window compare a bake there with the same bake without one; return what it says."""
    test = [sys.executable, "-m", "tests.gui.run", "--no-timing", "--only", "hardly longer"]
    found = GUI / "run" / "pace.json"
    found.unlink(missing_ok=True)
    answer = subprocess.run(test, cwd=ROOT, capture_output=True, text=True)
    if not found.is_file():
        return [f"In a real window it was not measured: {answer.stdout.strip().splitlines()[-1]}"]
    pace = json.loads(found.read_text("utf-8"))
    return [
        f"Walk in a real window: {pace['ratio']:.2f} times as long as without one (bar: 1.5).",
        f"The demo's walk, {pace['seconds']:g} s at standard quality, from the click on Simulate to the",
        f"result: {pace['window_s']:.1f} s in a window of Blender {pace['blender']}, drawn by software;",
        f"{pace['without_s']:.1f} s by the same Blender without a window. In turns, the shortest of",
        f"{pace['rounds']} each, machine load {pace['load']:.1f}. Commit {commit_of('window')}.",
        f"At draft quality, from the click to the result in this window: {pace['draft_s']:.1f} s (bar: 2 s).",
    ]


def report(rows: list[Row], load: float, in_window: list[str]) -> str:
    """Return the text of the report."""
    version = ".".join(str(part) for part in bpy.app.version)
    longest, walk = max(row["longest_ms"] for row in rows), rows[0]
    reading = max(row["reading_ms"] for row in rows)
    processor_s = walk["own_processor_s"] + walk["child_processor_s"]
    return "\n".join(
        [
            "# How long the window waits",
            "",
            f"A bake is stepped as the window does it, on the bpy module of Blender {version}, "
            f"{platform.machine()}, {os.cpu_count()} processors, machine load {load:.1f} while it ran. "
            f"Commit {commit_of('window')}.",
            "A step is what Heft does between two turns of the window. Its processor time is that of the",
            "window's own thread (`time.thread_time`): other work on the machine does not count, nor do",
            "other threads and the child process: they do not hold it up. Other columns are wall time,",
            "which depends on the load. Drawing is not in it.",
            "",
            f"- `keys`: {BONES} bones, {FRAMES} frames, draft, simulated, a key at every frame.",
            "- `few keys`: the same, with few keys.",
            f"- `walk`: the demo's walk, {WALK_S:g} s of it, draft: from pressing Simulate to the result.",
            "",
            f"Longest step: {longest:.0f} ms of processor (bar: 50), and {reading:.0f} ms where a motion",
            "is read: those steps take 120 ms on purpose, because the window is drawn after each.",
            f"First result of the walk: {walk['all_s']:.1f} s now, {processor_s:.1f} s of processor;",
            "the child was ready, as it is while the tab is shown, and its loading is in the processor time",
            "(bar: 2 s, on processors that do nothing else).",
            "",
            *in_window,
            "",
            markdown(rows, COLUMNS),
            "",
        ]
    )


def main(argv: list[str]) -> int:
    """Run the benchmark and write its report."""
    options = plain_parser("window", "Measure the steps of a bake.").parse_args(argv)
    load = os.getloadavg()[0]
    rows = [first_result(), steps_of_a_bake(few_keys=False), steps_of_a_bake(few_keys=True)]
    options.out.mkdir(parents=True, exist_ok=True)
    text = report(rows, max(load, os.getloadavg()[0]), in_a_real_window())
    (options.out / "window.md").write_text(text, encoding="utf-8")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
