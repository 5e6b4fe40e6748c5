"""Carry the motion of one body over to another, with feet and hands where they belong."""

from __future__ import annotations

import argparse
import dataclasses
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .. import VERSION
from ..base.errors import HeftError, InputError
from ..base.files import refuse_overwriting, refuse_unwritable
from ..base.worker_process import keep_mujoco_from_logging_to_file
from ..jobs.retarget_job import simulate, simulated_figures
from ..motion.bvh_writer import write_bvh
from ..recognition import BoneMapping, check_mapping
from ..result.records import RetargetInput, RetargetRecord
from ..result.result import save_result
from ..retarget.retarget import retarget, save_retargeted
from ..retarget.retarget_figures import retarget_figures
from ..retarget.retarget_options import Feet, Reach, RetargetOptions
from ..retarget.retarget_rig import RetargetRig, make_retarget_rig, read_table, read_target
from ..scenario.settings import BakeSettings
from ..scene.scene import Scene
from ..sources.motion_source import MOTION_KINDS, read_source
from .console import Console
from .shared_options import add_file_options, reading_choices, scene_of

PATHS, TIMINGS = ("scale", "keep"), ("keep", "scale")
KINDS = ("bvh", "npz")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument(
        "source", metavar="SOURCE", type=Path, help=f"the motion: {MOTION_KINDS}; or a folder of BVH files"
    )
    parser.add_argument("target", metavar="TARGET", type=Path, help="the character: BVH or GLB")
    parser.add_argument(
        "--out", metavar="RESULT", type=Path, required=True, help="a .npz or .bvh file, or a folder for many"
    )
    parser.add_argument("--as", dest="kind", choices=KINDS, default="bvh", help="files in a folder")
    add_retarget_options(parser)
    parser.add_argument(
        "--scene", metavar="SCENE.json", type=Path, help="ground to stand on (docs/scene-file.md)"
    )
    parser.add_argument("--unit", metavar="U", type=float, help="metres per unit of the source file")
    parser.add_argument(
        "--target-unit", metavar="U", type=float, help="metres per unit of a BVH target (default: inferred)"
    )
    for side in ("source", "target"):
        parser.add_argument(
            f"--{side}-bones",
            metavar="TABLE.json",
            type=Path,
            help=f"mapping of the {side} bones to body parts",
        )
    parser.add_argument(
        "--fps", metavar="F", type=float, help="frames per second of the source, where its own rate is wrong"
    )
    add_file_options(parser, "of the source: ")
    parser.add_argument(
        "--simulate", action="store_true", help="then simulate it with the target's masses; RESULT is .npz"
    )
    parser.add_argument("--mass", metavar="M", type=float, help="mass of the target, with --simulate [kg]")


def add_retarget_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that the command in Blender has, too."""
    parser.add_argument(
        "--path", choices=PATHS, default="scale", help="steps grow with the legs, or stay where they are"
    )
    parser.add_argument(
        "--time",
        choices=TIMINGS,
        default="keep",
        help="timing stays, or slows with the root of the leg ratio",
    )
    parser.add_argument(
        "--feet",
        choices=[feet.value for feet in Feet],
        default=Feet.FIT.value,
        help="feet stand still unless it is the same body, always, or not at all",
    )
    parser.add_argument(
        "--no-hands", dest="hands", action="store_false", help="do not keep hands together or on the body"
    )
    parser.add_argument(
        "--hold-hands",
        action="store_true",
        help="hands that rest at one position in the source still do",
    )
    parser.add_argument(
        "--reach",
        metavar=("LIMB", "X", "Y", "Z", "FROM", "TO"),
        nargs=6,
        action="append",
        default=[],
        help="hand.L, hand.R, foot.L or foot.R at a position [m] between two times [s]; may be repeated",
    )


def retarget_options_of(options: argparse.Namespace) -> RetargetOptions:
    """Return the options of the retargeting."""
    return RetargetOptions(
        keep_path=options.path == "keep",
        scale_time=options.time == "scale",
        feet=Feet(options.feet),
        hands=options.hands,
        hold_hands=options.hold_hands,
        reaches=_reaches(options.reach),
    )


@dataclasses.dataclass(frozen=True)
class _Step:
    """One motion to retarget, and the file to write."""

    source: Path
    out: Path


@dataclasses.dataclass(frozen=True)
class _Setup:
    """What is the same for all motions."""

    retarget_options: RetargetOptions
    scene: Scene
    options: argparse.Namespace
    console: Console


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Retarget as the options say; return the figures."""
    steps = _steps(options.source, options.out, "npz" if options.simulate else options.kind)
    for step in steps:
        _check_out(step, options)
    console = Console()
    keep_mujoco_from_logging_to_file()
    setup = _Setup(retarget_options_of(options), scene_of(options), options, console)
    tables = [
        None if file is None else read_table(file) for file in (options.source_bones, options.target_bones)
    ]
    target = read_target(options.target, options.target_unit, tables[1])
    if not options.source.is_dir():
        return _retarget(steps[0], tables[0], target, setup)
    done, failed = {}, []
    for step in steps:
        try:
            done[step.source.stem] = _retarget(step, tables[0], target, setup)
        except HeftError as problem:
            failed.append(step.source.name)
            console.message(f"{step.source.name}: {problem}")
    if failed:
        raise InputError(f"{len(failed)} of {len(steps)} files could not be used: {', '.join(failed)}.")
    return {"files": len(done), "others": done}


def motion_files(source: Path) -> list[Path]:
    """Return the file itself, or the BVH files of a folder."""
    if not source.is_dir():
        return [source]
    files = sorted(source.glob("*.bvh"))
    if not files:
        raise InputError(f"The folder '{source}' holds no BVH files; choose another one.")
    return files


def _steps(source: Path, out: Path, kind: str) -> list[_Step]:
    files = motion_files(source)
    if not source.is_dir():
        return [_Step(source, out)]
    if not out.is_dir():
        raise InputError(f"--out must be a folder that exists, because '{source}' is one; create '{out}'.")
    return [_Step(file, out / f"{file.stem}.{kind}") for file in files]


def _check_out(step: _Step, options: argparse.Namespace) -> None:
    for read in (step.source, options.target):
        refuse_overwriting(read, step.out)
    kind = step.out.suffix.lower()
    if kind not in (".npz", ".bvh") or (options.simulate and kind != ".npz"):
        raise InputError(
            f"--out is '{step.out.name}'; it must end in .npz{'' if options.simulate else ' or .bvh'}."
        )
    refuse_unwritable(step.out)


def _reaches(rows: Sequence[Sequence[str]]) -> tuple[Reach, ...]:
    found = []
    for limb, *words in rows:
        try:
            x, y, z, first, last = (float(word) for word in words)
        except ValueError as problem:
            raise InputError(f"--reach {limb} needs five numbers: a position and two times.") from problem
        found.append(Reach(limb, np.array([x, y, z]), first, last))
    return tuple(found)


def _retarget(step: _Step, table: BoneMapping | None, target: RetargetRig, setup: _Setup) -> dict[str, Any]:
    options, console = setup.options, setup.console
    read = read_source([step.source], reading_choices(options), 0.0)
    mapping = read.mapping if table is None else table
    check_mapping(mapping, read.motion.skeleton)
    source = make_retarget_rig(read.motion.skeleton, mapping, read.motion)
    began = time.process_time()
    outcome = retarget(source, read.motion, target, setup.retarget_options, setup.scene)
    seconds = time.process_time() - began
    metrics = {**retarget_figures(outcome), "frames_per_s": len(read.motion.time) / max(seconds, 1e-9)}
    for note in (*read.notes, *target.mapping.notes, *outcome.notes):
        console.message(note)
    files = RetargetInput(
        file=step.source.name,
        target=options.target.name,
        unit_m=read.first.unit_m,
        scene=None if options.scene is None else options.scene.name,
    )
    if options.simulate:
        # A simulation puts the motion of a flat floor on the scene's ground by itself.
        flat = (
            retarget(source, read.motion, target, setup.retarget_options) if setup.scene.objects else outcome
        )
        result = simulate(flat, BakeSettings(mass=options.mass), setup.scene, report=console.progress)
        for note in result.meta.notes:
            console.message(note)
        record = RetargetRecord(VERSION, files, metrics, simulated_figures(outcome, result))
        save_result(
            dataclasses.replace(result, meta=dataclasses.replace(result.meta, retarget=record)), step.out
        )
        simulated = {} if result.meta.metrics is None else dataclasses.asdict(result.meta.metrics)
        metrics = {**metrics, **simulated, "fell_at": result.meta.fell_at}
    elif step.out.suffix.lower() == ".bvh":
        write_bvh(outcome.motion, step.out)
    else:
        meta = {"version": VERSION, "input": dataclasses.asdict(files), "metrics": metrics}
        save_retargeted(outcome, step.out, meta)
    console.message(f"Saved '{step.out}'.")
    return {**metrics, "result": str(step.out)}
