"""Bake the mannequin's motions in Blender, render and measure them: `python3 dev.py demo`."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any

import bpy

from ..load_extension import ROOT, load_heft
from .body import Body
from .mannequin import FIRST_FRAME, FPS, build_mannequin, write_action
from .motions import MOTIONS, make
from .pictures import POSES, strip, video
from .render_setup import build_camera, build_floor, build_shadow, follow, use_workbench
from .report import write_report

ASIDE = 0.55
"""Distance of the source to the left of the middle, and of the result to the right [m]."""
STRIP_SECONDS = {"walk": (1.6, 4.6), "march": (1.6, 4.6), "jump": (0.5, 2.2), "squat": (0.4, 4.0)}
VIDEO_SECONDS = (1.6, 4.3)


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


def build_scene(name: str, body: Body) -> tuple[bpy.types.Scene, bpy.types.Object]:
    """Return a scene that holds only the rig to be baked, in blue, so that its motion is read fast."""
    scene = bpy.data.scenes.new(name)
    bpy.context.window.scene = scene
    scene.render.fps = FPS
    motion = make(name, body)
    scene.frame_start, scene.frame_end = FIRST_FRAME, FIRST_FRAME + len(motion.time) - 1
    rig = build_mannequin(f"{name} result", body, "result")
    rig.location.y = -ASIDE
    write_action(rig, name, motion, import_module("heft.addon.blender.compat"))
    return scene, rig


def dress_scene(
    scene: bpy.types.Scene, body: Body, result: bpy.types.Object, animated: Any
) -> bpy.types.Object:
    """Add the source in wood, which plays the action `animated`, floor, shadows and camera."""
    source = build_mannequin(f"{scene.name} source", body, "source")
    source.location.y = ASIDE
    import_module("heft.addon.blender.compat").assign_action(source.animation_data_create(), animated)
    for rig in (source, result):
        build_shadow(rig.children[0])
    use_workbench(scene, 960, 540)
    build_floor(24.0, 24.0)
    follow(build_camera((3.2, -6.0, 1.7), (0.0, 0.0, 0.86), 52.0), source)
    return source


def bake(rig: bpy.types.Object) -> dict[str, Any]:
    """Bake as the Simulate button does, with the panel's own settings; return the figures."""
    options, job = import_module("heft.addon.bake.bake_options"), import_module("heft.addon.bake.bake_job")
    context = bpy.context
    alone = options.Participant(rig, options.options_of(context, rig))
    (report,) = job.bake_and_wait(context, [alone])
    metrics = {} if report.metrics is None else asdict(report.metrics)
    return {"assist_cap": rig.heft.assist_cap, "fell_frame": report.fell_frame, **metrics}


def picture(name: str, scene: bpy.types.Scene, rigs: tuple[bpy.types.Object, ...], folder: Path) -> None:
    """Render the strip of one motion."""
    length = (scene.frame_end - scene.frame_start) / FPS
    start, end = STRIP_SECONDS.get(name, (0.0, length))
    frames = [round(FIRST_FRAME + FPS * (start + i * (end - start) / (POSES - 1))) for i in range(POSES)]
    rows = {}
    for label, rig in zip(("source", "simulated"), rigs, strict=True):
        figure = rig.children[0]
        shadow = bpy.data.objects[f"{figure.name} shadow"]
        rows[f"{name}: {label}"] = [figure, shadow]
    strip(scene, rows, frames, folder / f"strip_{name}.png")


def run(folder: Path, names: list[str]) -> int:
    """Run the demo; return 0 if no character fell."""
    folder.mkdir(parents=True, exist_ok=True)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    heft = load_heft()
    heft.register()
    clock, metrics, body = Clock(), {}, Body()
    empty = bpy.context.scene
    for name in names:
        with clock.phase("motions and rigs"):
            scene, result = build_scene(name, body)
            animated = import_module("heft.addon.blender.compat").action_of(result)
        with clock.phase("bakes"):
            metrics[name] = bake(result)
        with clock.phase("pictures"):
            source = dress_scene(scene, body, result, animated)
            picture(name, scene, (source, result), folder)
        print(f"{name}: {_sentence(metrics[name])}", flush=True)
    bpy.data.scenes.remove(empty)
    shown = bpy.data.scenes["walk" if "walk" in names else names[0]]
    if "walk" in names:
        with clock.phase("video"):
            first, last = (round(FIRST_FRAME + FPS * second) for second in VIDEO_SECONDS)
            video(shown, first, last, folder / "demo.mp4")
    bpy.context.window.scene = shown
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "demo.blend"), check_existing=False)
    write_report(folder, metrics, clock.wall_s)
    print((folder / "metrics.md").read_text(encoding="utf-8"))
    print(f"Look into {folder}: demo.blend, strip_*.png, demo.mp4, metrics.md.")
    return 1 if any(found["fell_frame"] is not None for found in metrics.values()) else 0


def _sentence(found: dict[str, Any]) -> str:
    if found["fell_frame"] is not None:
        return f"fell at frame {found['fell_frame']}"
    return f"up for all {found['seconds']:.1f} s, joint error {found['joint_error_deg']:.2f} deg"


def main() -> int:
    """Run the demo with the options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "demo_output", help="folder for the results")
    parser.add_argument(
        "--only", nargs="+", choices=list(MOTIONS), default=list(MOTIONS), help="some motions"
    )
    options = parser.parse_args()
    return run(options.out.resolve(), options.only)


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    # Without a screen, the bpy module can crash while Python takes it down.
    os._exit(code)
