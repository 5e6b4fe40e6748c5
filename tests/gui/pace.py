"""How much longer a bake takes in a window than without one, from pressing Simulate to the result."""

from __future__ import annotations

import json
import os
import subprocess
import time

import bpy

from tools.demo.mannequin import FPS

from .controls import click_simulate
from .figure import build_scene, progress, rig
from .window import OPTIONS, SHARED, Steps, Window, wait_until

WALK_S = 5.0
ROUNDS = 2
"""The shortest of so many counts, because other work on the machine makes single ones longer."""
MOST_RATIO = 1.5
LIMIT_S = 300.0
WITHOUT_WINDOW = """
import bpy, time
start = time.monotonic()
assert bpy.ops.heft.simulate() == {"FINISHED"}
print("HEFT-SECONDS", time.monotonic() - start)
"""


def a_window_makes_a_bake_hardly_longer(window: Window) -> Steps:
    """The same Blender bakes the same source, in turns here and in a process without a window."""
    build_scene(window)
    bake = rig().heft
    bake.range_mode, bake.frame_start, bake.frame_end = "CUSTOM", 1, round(WALK_S * FPS) + 1
    path = str(SHARED / "pace.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    yield 0.5
    yield from window.open_sidebar("Heft")
    inside, outside, draft = [], [], []
    for _ in range(ROUNDS):
        outside.append((yield from without_window(path)))
        inside.append((yield from in_window(window)))
    rig().heft.quality = "draft"
    for _ in range(ROUNDS):
        draft.append((yield from in_window(window)))
    found = {
        "window_s": min(inside),
        "draft_s": min(draft),
        "without_s": min(outside),
        "ratio": min(inside) / min(outside),
        "seconds": WALK_S,
        "rounds": ROUNDS,
        "blender": bpy.app.version_string,
        "load": os.getloadavg()[0],
    }
    (SHARED / "pace.json").write_text(json.dumps(found), "utf-8")
    told = "{ratio:.2f} times as long: {window_s:.1f} s, without a window {without_s:.1f} s".format(**found)
    assert found["ratio"] <= MOST_RATIO or not OPTIONS["timing"], told
    return told


def in_window(window: Window) -> Steps:
    """Return the seconds from the click on Simulate to the result."""
    start = yield from click_simulate(window)
    yield from wait_until(lambda: not progress().running, LIMIT_S, "the end of the bake")
    return time.monotonic() - start


def without_window(path: str) -> Steps:
    """Return the seconds of the bake in a Blender without a window."""
    words = ["--offline-mode", "--background", path, "--python-expr", WITHOUT_WINDOW]
    process = subprocess.Popen([bpy.app.binary_path, *words], stdout=subprocess.PIPE, text=True)
    yield from wait_until(lambda: process.poll() is not None, LIMIT_S, "the end of the bake without a window")
    said = process.communicate()[0]
    seconds = [line.split()[1] for line in said.splitlines() if line.startswith("HEFT-SECONDS")]
    assert seconds, f"without a window there is no result: {said[-500:]}"
    return float(seconds[0])
