"""Carry the motion of one body over to another, with feet and hands where they belong."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..base.errors import HeftError, InputError
from ..base.worker_process import keep_mujoco_from_logging_to_file
from ..retarget.retarget_options import Feet, Reach, RetargetOptions
from ..retarget.retarget_rig import read_table, read_target
from ..sources.motion_source import MOTION_KINDS
from .console import Console
from .output_files import check_written, read_files
from .retarget_files import Setup, Step, add_company_options, partner_steps, retarget_files
from .shared_options import add_file_options, scene_of

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
    add_company_options(parser)
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


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Retarget as the options say; return the figures."""
    kind = "npz" if options.simulate else options.kind
    steps = _steps(options.source, options.target, options.out, kind)
    partners = partner_steps(options)
    for step in (*steps, *partners):
        _check_kind(step, options)
    _check_outputs(steps, partners, options)
    console = Console()
    keep_mujoco_from_logging_to_file()
    setup = Setup(retarget_options_of(options), scene_of(options), options, console)
    tables = [
        None if file is None else read_table(file) for file in (options.source_bones, options.target_bones)
    ]
    target = read_target(options.target, options.target_unit, tables[1])
    if not options.source.is_dir():
        others = [read_target(file, options.target_unit) for _, file in options.partner]
        return retarget_files([*steps, *partners], tables[0], [target, *others], setup)
    if options.partner or options.prop:
        raise InputError("--with and --prop need one motion file, and not a folder of them.")
    done, failed = {}, []
    for step in steps:
        try:
            done[step.source.stem] = retarget_files([step], tables[0], [target], setup)
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


def _steps(source: Path, target: Path, out: Path, kind: str) -> list[Step]:
    files = motion_files(source)
    if not source.is_dir():
        return [Step(source, target, out)]
    if not out.is_dir():
        raise InputError(f"--out must be a folder that exists, because '{source}' is one; create '{out}'.")
    return [Step(file, target, out / f"{file.stem}.{kind}") for file in files]


def _check_outputs(steps: Sequence[Step], partners: Sequence[Step], options: argparse.Namespace) -> None:
    read = read_files(options, ["out", "partner_out", "scene_out"])
    written = [("--out", step.out) for step in steps] + [("--with-out", step.out) for step in partners]
    check_written([*read, *(step.source for step in steps)], [*written, ("--scene-out", options.scene_out)])


def _check_kind(step: Step, options: argparse.Namespace) -> None:
    kind = step.out.suffix.lower()
    if kind not in (".npz", ".bvh") or (options.simulate and kind != ".npz"):
        raise InputError(
            f"--out is '{step.out.name}'; it must end in .npz{'' if options.simulate else ' or .bvh'}."
        )


def _reaches(rows: Sequence[Sequence[str]]) -> tuple[Reach, ...]:
    found = []
    for limb, *words in rows:
        try:
            x, y, z, first, last = (float(word) for word in words)
        except ValueError as problem:
            raise InputError(f"--reach {limb} needs five numbers: a position and two times.") from problem
        found.append(Reach(limb, np.array([x, y, z]), first, last))
    return tuple(found)
