"""Show what Heft does: bake the acts in Blender, render and measure them (`python3 dev.py demo`)."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bpy

from ..load_extension import ROOT, load_heft
from .acts import ACTS, available
from .page import open_page, write_page
from .pictures import ICON_SIZE, LISTING_SIZE, MOMENTS, film, picture
from .render_setup import build_camera, build_floor, build_shadow, follow, use_workbench
from .stage import Stage


class Clock:
    """Wall time by phase [s]."""

    def __init__(self) -> None:
        self.wall_s: dict[str, float] = {}

    @contextlib.contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Measure a phase."""
        start = time.perf_counter()
        yield
        self.wall_s[name] = self.wall_s.get(name, 0.0) + time.perf_counter() - start


def dress(stage: Stage) -> None:
    """Add shadows, floor and a camera that follows the first figure."""
    bpy.context.window.scene = stage.scene
    stage.shown += [build_shadow(obj) for obj in stage.shown if obj.parent is not None]
    use_workbench(stage.scene, 960, 540)
    build_floor(24.0, 24.0)
    size = stage.tallest_m / 1.75
    follow(build_camera((3.2 * size, -6.0 * size, 1.7 * size), (0.0, 0.0, 0.86 * size), 52.0), stage.rig)


def show(name: str, folder: Path, clock: Clock, listing: bool) -> dict[str, dict[str, Any]]:
    """Bake one act, and write its picture and film; return the figures by character.

    listing: also write the images for the extensions platform
    """
    act = ACTS[name]
    stage = Stage.new(name)
    with clock.phase("bakes"):
        act.make(stage, folder)
    with clock.phase("pictures"):
        dress(stage)
        scene = stage.scene
        first, last = (
            min(round(scene.frame_start + scene.render.fps * second), scene.frame_end)
            for second in act.seconds
        )
        frames = [round(first + n * (last - first) / (MOMENTS - 1)) for n in range(MOMENTS)]
        picture(stage, frames, act.spread_m, folder / f"{name}.png")
        if listing:
            picture(stage, frames, act.spread_m, folder / f"listing_{name}.png", LISTING_SIZE)
            picture(stage, frames[3:4], None, folder / f"icon_{name}.png", ICON_SIZE)
    with clock.phase("films"):
        film(scene, first, last, folder / f"{name}.mp4")
    for character, found in stage.metrics.items():
        print(f"{character}: {_sentence(found)}", flush=True)
    return stage.metrics


def run(folder: Path, names: list[str], listing: bool = False) -> int:
    """Run the demo; return 0 if no character fell."""
    folder.mkdir(parents=True, exist_ok=True)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    load_heft().register()
    clock, empty = Clock(), bpy.context.scene
    metrics = {name: show(name, folder, clock, listing) for name in names}
    bpy.context.window.scene = bpy.data.scenes[names[0]]
    bpy.data.scenes.remove(empty)
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "demo.blend"), check_existing=False)
    page = write_page(folder, metrics, clock.wall_s)
    print(open_page(page), flush=True)
    fell = [found["fell_frame"] for act in metrics.values() for found in act.values()]
    return 0 if all(frame is None for frame in fell) else 1


def _sentence(found: dict[str, Any]) -> str:
    if found["fell_frame"] is not None:
        return f"fell at frame {found['fell_frame']}"
    return (
        f"up for all {found['seconds']:.1f} s, joint error {found['joint_error_deg']:.2f} deg, "
        f"assist {found['assist_force_max_n']:.0f} N"
    )


def main() -> int:
    """Run the demo with the options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "demo_output", help="folder for the results")
    parser.add_argument("--only", nargs="+", choices=list(ACTS), default=available(), help="some acts")
    parser.add_argument("--listing", action="store_true", help="also make images for the extensions platform")
    options = parser.parse_args()
    return run(options.out.resolve(), options.only, options.listing)


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    # Without a screen, the bpy module can crash while Python takes it down.
    os._exit(code)
