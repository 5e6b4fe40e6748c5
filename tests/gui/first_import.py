"""The first thing that people try: File > Import > BVH with nothing changed, and one press of Simulate."""

from __future__ import annotations

from pathlib import Path

import bpy

from .controls import click_simulate
from .figure import progress
from .window import OPTIONS, Steps, Window, picture, wait_until

IMPORT_LIMIT_S = 600.0
MOST_DEG, MOST_SOURCE_DEG = 3.0, 12.0
"""Joint error of a walk to the prepared motion, and to its keys, where flipped ankles count [deg]."""


def imported_walks_work_at_the_first_press(window: Window) -> Steps:
    """Each file in a new scene, simulated by a click with the settings that Heft comes with."""
    told = []
    for path in map(Path, OPTIONS["walks"]):
        bpy.ops.wm.read_homefile()
        yield 1.0
        with window.context():
            assert bpy.ops.import_anim.bvh("EXEC_DEFAULT", filepath=str(path)) == {"FINISHED"}
            bpy.ops.view3d.view_selected()
        yield from window.open_sidebar("Heft")
        yield 0.5
        yield from picture(f"12_import_{path.stem}")
        yield from click_simulate(window)
        yield from wait_until(lambda: not progress().running, IMPORT_LIMIT_S, f"the end of {path.name}")
        yield 0.5
        yield from picture(f"13_first_press_{path.stem}")
        outcome = bpy.context.object.heft.outcome
        assert outcome.present, f"{path.name} has no result"
        assert not outcome.fell, f"{path.name} fell at frame {outcome.fell_frame}"
        assert outcome.first_frame > bpy.context.scene.frame_start, f"{path.name} keeps its rest frame"
        assert outcome.joint_error_deg < MOST_DEG, f"{path.name} is {outcome.joint_error_deg:.1f} deg off"
        assert outcome.source_mean_deg < MOST_SOURCE_DEG, (
            f"{path.name} is {outcome.source_mean_deg:.1f} deg off"
        )
        told.append(f"{path.stem} {outcome.source_mean_deg:.1f} deg")
    return ", ".join(told) or "no shared walk is here, so nothing was imported"
