"""Make a motion plausible without simulating it: the smallest change that forces can produce."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ..bake.plausible import make_plausible
from ..base.errors import InputError
from ..base.worker_process import keep_mujoco_from_logging_to_file
from ..motion.bvh_writer import write_bvh
from ..result.result import save_result
from ..scenario.job import Job
from ..scenario.settings import BakeSettings
from ..sources.motion_source import MOTION_KINDS, read_source
from .console import Console
from .output_files import check_outputs
from .shared_options import add_body_options, add_scene_option, reading_choices, scene_of

KINDS = (".bvh", ".npz")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("motion", metavar="FILE", type=Path, help=MOTION_KINDS)
    parser.add_argument(
        "--out", metavar="RESULT", type=Path, required=True, help="a .bvh file, or a result file (.npz)"
    )
    add_body_options(parser)
    parser.add_argument(
        "--correction",
        metavar="C",
        type=float,
        default=BakeSettings.correction,
        help=f"how far the motion may be changed, 0 to 1 (default: {BakeSettings.correction:g})",
    )
    add_scene_option(parser)


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Change the motion as the options say; return by how much, and the figures before and after."""
    kind = options.out.suffix.lower()
    if kind not in KINDS:
        raise InputError(f"--out is '{options.out.name}'; it must end in {' or '.join(KINDS)}.")
    check_outputs(options, "out")
    scene = scene_of(options)
    settings = BakeSettings(height=options.height, mass=options.mass, correction=options.correction)
    console = Console()
    keep_mujoco_from_logging_to_file()
    source = read_source([options.motion], reading_choices(options), 0.0)
    for note in source.notes:
        console.message(note)
    made = make_plausible(Job(source.motion, source.mapping, settings, scene), console.progress)
    for note in made.result.meta.notes:
        console.message(note)
    if kind == ".bvh":
        write_bvh(made.motion, options.out)
    else:
        save_result(made.result, options.out)
    console.message(f"Saved '{options.out}'.")
    return {**made.figures, "result": str(options.out)}
