"""The command `blender --command heft retarget SOURCE TARGET.blend`."""

from __future__ import annotations

import argparse
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path
from typing import Any

import bpy

from ...sim_core.base.errors import InputError
from ...sim_core.cli.console import Console
from ...sim_core.cli.output_files import check_outputs
from ...sim_core.cli.retarget_command import add_retarget_options, motion_files, retarget_options_of
from ...sim_core.cli.shared_options import add_file_options, reading_choices
from ...sim_core.sources.motion_source import read_source
from ..blender.blender_types import rig_context
from ..retarget.retarget_inputs import TargetObject, target_of
from ..retarget.retarget_job import RetargetSession, SourceMotion, Together, prepared_with
from ..retarget.retarget_report import RetargetReport
from .blend_file import open_blend, save_blend


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to a parser."""
    add = parser.add_argument
    add("source", metavar="SOURCE", type=Path, help="BVH or markers, or a folder of BVH files")
    add("target", metavar="TARGET.blend", type=Path, help="a file with the character")
    add("--armature", metavar="NAME", help="which armature it is (default: the only one)")
    add("--out", metavar="OUT.blend", type=Path, required=True, help="the file with the new actions")
    add_retarget_options(parser)
    add("--flat", action="store_true", help="use a flat floor instead of the file's scene")
    add("--unit", metavar="U", type=float, help="metres per unit of the source file")
    add("--fps", metavar="F", type=float, help="frame rate of the source, if its own is wrong")
    add_file_options(parser, "of the source: ")
    add("--simulate", action="store_true", help="also simulate it with the character's masses")
    add("--json", action="store_true", help="print the figures as JSON")


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Write every motion into an action of the character; return the figures."""
    files, out, console = motion_files(options.source), options.out.resolve(), Console()
    if out.suffix.lower() != ".blend":
        raise InputError(f"--out is '{out.name}'; it must end in .blend.")
    check_outputs(options, "out")
    open_blend(options.target)
    target = _armature(options.armature)
    if options.flat:
        target.heft_retarget.ground = "FLAT"
    reports = [_carry_over(file, target, options, console) for file in files]
    save_blend(out)
    console.message(f"Saved '{out}'.")
    first, *others = (_figures(file, report) for file, report in zip(files, reports, strict=True))
    return {**first, **({"others": others} if others else {}), "out": str(out)}


def _carry_over(
    file: Path, target: TargetObject, options: argparse.Namespace, console: Console
) -> RetargetReport:
    context = rig_context(bpy.context)
    scene, read = context.scene, read_source([file], reading_choices(options), 0.0)
    # The motion begins at the scene's first frame, on the scene's own time.
    fps = scene.render.fps / scene.render.fps_base
    start = scene.frame_start / fps
    motion = replace(read.motion, time=read.motion.time - read.motion.time[0] + start)
    source = SourceMotion(motion, read.mapping, file.stem, fps)

    def reading() -> Generator[float, None, Together]:
        own, first = retarget_options_of(options), scene.frame_start
        return ((yield from prepared_with(context, target, source, first, options.simulate, own)),)

    (report,) = RetargetSession([target], reading()).wait(context, console.progress)
    if target.animation_data is not None and target.animation_data.action is not None:
        target.animation_data.action.use_fake_user = True  # the next motion replaces it on the object
    for note in (*read.notes, *report.notes, report.sentence):
        console.message(note)
    return report


def _figures(file: Path, report: RetargetReport) -> dict[str, Any]:
    beside = {f"simulated_{name}": value for name, value in report.simulated_metrics.items()}
    names = {"source": file.name, "action": report.action_name, "simulated_action": report.simulated_name}
    return {**report.metrics, **beside, "fell_frame": report.fell_frame, **names}


def _armature(name: str | None) -> TargetObject:
    found = [obj for obj in rig_context(bpy.context).view_layer.objects if obj.type == "ARMATURE"]
    listed = ", ".join(f"'{obj.name}'" for obj in found) or "none"
    chosen = [obj for obj in found if name is None or obj.name == name]
    if len(chosen) != 1:
        wanted = "one armature is needed" if name is None else f"there is no armature '{name}'"
        raise InputError(f"In the scene {wanted}; name it with --armature. Armatures there: {listed}.")
    return target_of(chosen[0])
