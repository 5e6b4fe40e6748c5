"""Time to draw overlays: `python3 dev.py bench overlay` (docs/overlays.md).

Runs in the Blender module without a window: the draw handler's function draws into an off-screen buffer.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import bpy
import gpu
import numpy as np

from tools.demo.body import Body
from tools.demo.motions import make
from tools.demo.stage import Stage
from tools.load_extension import load_heft

from ..common.measured_code import commit_of
from ..common.options import plain_parser
from ..common.tables import Columns, Row, markdown

SIZE_PX = (960, 540)
FRAMES = 120
"""Frames that are drawn, from the first one on."""
ROUNDS = 3
BAR_MS = 2.0
KINDS = ("body", "forces", "balance", "effort", "ghost")
COLUMNS: Columns = {
    "overlays": "{overlays}",
    "first time [ms]": "{first_ms:.2f}",
    "again [ms]": "{again_ms:.2f}",
    "first, of the bar": "{share:.2f}",
}


def baked_walk() -> bpy.types.Object:
    """Return the armature of the demo's walk with a bake."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    load_heft().register()
    stage = Stage.new("walk")
    rig = stage.figure("result", Body(), "result")
    stage.act(rig, make("walk", Body()))
    stage.simulate([rig])
    return rig


def measure(rig: bpy.types.Object, shown: Sequence[str]) -> Row:
    """Return the median processor time of the drawing thread for the first and the second drawing [ms]."""
    draw: Any = import_module("heft.addon.overlay.draw")
    scene = bpy.context.scene
    scene.heft_overlays.show = True
    for kind in KINDS:
        setattr(scene.heft_overlays, f"show_{kind}", kind in shown)
    frames = draw.drawn_series(rig).frame[:FRAMES].tolist()
    spent_s: tuple[list[float], list[float]] = ([], [])
    for _ in range(ROUNDS):
        draw.forget_figures()
        draw.drawn_series(rig)
        for frame in frames:
            # Not frame_set: how long Blender takes to pose the rig is not asked.
            scene.frame_current = frame
            for times in spent_s:
                start = time.thread_time()
                draw.draw_scene(bpy.context)
                times.append(time.thread_time() - start)
    first_ms, again_ms = (1e3 * float(np.median(times)) for times in spent_s)
    name = "all" if len(shown) == len(KINDS) else ", ".join(shown)
    return {"overlays": name, "first_ms": first_ms, "again_ms": again_ms, "share": first_ms / BAR_MS}


def main(argv: list[str]) -> int:
    """Run the benchmark and write its report."""
    options = plain_parser("overlay", "What drawing overlays costs.").parse_args(argv)
    rig = baked_walk()
    gpu.init()
    buffer = gpu.types.GPUOffScreen(*SIZE_PX)
    with buffer.bind():
        measure(rig, KINDS)  # compiles shaders
        rows = [measure(rig, KINDS), *(measure(rig, (kind,)) for kind in KINDS)]
    buffer.free()
    all_ms = rows[0]["first_ms"]
    text = (
        f"# Drawing overlays\n\nMade by `python3 dev.py bench overlay`: the demo's walk, {FRAMES} frames, "
        f"{ROUNDS} rounds, one character, Blender {bpy.app.version_string} as a module without a window, "
        f"{gpu.platform.renderer_get()}, an off-screen buffer of {SIZE_PX[0]} x {SIZE_PX[1]}. Medians of the "
        "drawing thread's processor time, from the start of the draw handler's work to the end of its last "
        "call; what the graphics card does later is not in it. A frame's lines and faces are kept after the "
        f"first time. Outside help is drawn with each. Load {os.getloadavg()[0]:.0f} on {os.cpu_count()} "
        f"cores. Commit {commit_of('overlay')}.\n\n"
        f"- Bar: under {BAR_MS:g} ms a redraw with all overlays. The first time "
        f"{all_ms:.2f} ms: {'met' if all_ms < BAR_MS else 'missed'}.\n\n"
    )
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "overlay.md").write_text(text + markdown(rows, COLUMNS) + "\n", "utf-8")
    print(text + markdown(rows, COLUMNS))
    return 0


if __name__ == "__main__":
    code = main(sys.argv[1:])
    sys.stdout.flush()
    # Without a screen, the bpy module can crash while Python takes it down.
    os._exit(code)
