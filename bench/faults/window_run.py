"""The outside of `bench faults --window`: starts Blender with a window, and again whenever it ends."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.gui.extension_zip import zip_for
from tests.gui.find_blender import BlenderProgram, find_blender
from tests.gui.run import SHARED, Results, environment, install, start, stop
from tests.gui.screen import Screen, require_screen
from tools.dev.shell import ROOT, DevError

from ..common.cache import Outcome
from .process_faults import gone
from .trials import scene_of, start_heft
from .works import WORKS

INSIDE = ROOT / "bench" / "faults" / "in_window.py"
STILL_S = 150.0
"""A window in which no trial ends for longer has hung [s]."""


def window_faults(seeds: Sequence[int]) -> tuple[str, list[tuple[int, Outcome]]]:
    """Let jobs in a window meet their faults; return Blender's version, and what was found for each seed."""
    require_screen()
    program = find_blender()
    zip_path = zip_for(program.python_version())
    shutil.rmtree(SHARED, ignore_errors=True)
    SHARED.mkdir(parents=True)
    start_heft()
    for work in WORKS:
        shutil.copy(scene_of(work), SHARED)
    outcomes: dict[int, Outcome] = {}
    with Screen() as screen:
        variables = environment(screen.display)
        if not install(program, zip_path, variables, Results(SHARED / "log.jsonl")):
            raise DevError("The extension could not be installed in the window's Blender.")
        while remaining := [seed for seed in seeds if seed not in outcomes]:
            outcomes |= _one_blender(program, variables, remaining)
            print(f"faults in a window: {len(outcomes)} of {len(seeds)}", flush=True)
    left = sorted((SHARED / "temporary").glob("*/heft_*"))
    if left:
        last = max(outcomes)
        outcomes[last]["defects"] += [f"left: {path.name} after the last Blender" for path in left]
    return (SHARED / "version").read_text("utf-8"), sorted(outcomes.items())


def _one_blender(program: BlenderProgram, variables: dict[str, str], seeds: list[int]) -> dict[int, Outcome]:
    """Run trials until Blender ends; the trial that it did not survive is one of the outcomes."""
    notes, output = SHARED / "faults.jsonl", SHARED / "blender.log"
    notes.unlink(missing_ok=True)
    options = {"seeds": seeds, "patience": 1.0, "timing": False, "pictures": False, "only": ""}
    (SHARED / "options.json").write_text(json.dumps(options), "utf-8")
    blender = start(program, variables, INSIDE, output)
    try:
        stood_still = _wait(blender, notes)
    finally:
        stop(blender)
    lines = _read(notes)
    outcomes = {line["seed"]: line["outcome"] for line in lines if line["kind"] == "ended"}
    begun = next((line for line in reversed(lines) if line["kind"] == "begun"), None)
    if begun is None:
        raise DevError(f"Blender ended before the first trial; its words are in {output.relative_to(ROOT)}.")
    if begun["seed"] not in outcomes:
        killed = next((line for line in lines if line["kind"] == "killed"), None)
        outcomes[begun["seed"]] = _unfinished(begun, killed, stood_still, blender.returncode)
    return outcomes


def _wait(blender: subprocess.Popen[bytes], notes: Path) -> bool:
    """Wait for Blender's end; return whether it stood still instead."""
    size, changed = -1, time.monotonic()
    while blender.poll() is None:
        now = notes.stat().st_size if notes.exists() else 0
        if now != size:
            size, changed = now, time.monotonic()
        if time.monotonic() - changed > STILL_S:
            return True
        time.sleep(0.2)
    return False


def _unfinished(
    begun: dict[str, Any], killed: dict[str, Any] | None, stood_still: bool, status: int
) -> Outcome:
    """Return the outcome of a trial that Blender did not survive: it was killed, or that is a defect."""
    defects = []
    if killed is not None:
        defects = _left_by(killed)
    elif stood_still:
        defects = [f"hang: the window stood still for {STILL_S:g} s"]
    else:
        defects = [f"Blender ended with status {status}"]
    told = {name: begun[name] for name in ("work", "fault", "phase")}
    return told | {"failed": False, "said": "", "longest_s": 0.0, "defects": defects}


def _left_by(killed: dict[str, Any]) -> list[str]:
    """Tell what a killed Blender has left: a child, temporary files, or a saved file with other keys."""
    found = []
    if killed["child"] and not gone(killed["child"]):
        found.append(f"orphan: process {killed['child']}")
    # A killed Blender leaves its own folder; what Heft has in there is swept by the next job.
    found += [f"left: {path.name}" for path in (SHARED / "temporary").glob("heft_*")]
    if hashlib.sha256(Path(killed["scene"]).read_bytes()).hexdigest() != killed["digest"]:
        found.append("the keys of the saved file are changed")
    return found


def _read(notes: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in notes.read_text("utf-8").splitlines()] if notes.exists() else []
