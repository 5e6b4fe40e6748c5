"""Make a character hop: a simple model hops, its motion is put on the body, which is then simulated."""

from __future__ import annotations

import argparse
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from ..bake.pipeline import bake
from ..base.worker_process import keep_mujoco_from_logging_to_file
from ..hopper.dials import HopDials
from ..jobs.hop_job import HopJob, make_hops
from ..motion.bvh_writer import write_bvh
from ..motion.motion import CONTROL_DT
from ..recognition import recognise
from ..result.result import save_result
from ..scenario.job import Job
from ..scenario.settings import QUALITIES, BakeSettings
from ..sources.motion_source import MOTION_KINDS, read_clip
from .console import Console
from .output_files import check_outputs
from .shared_options import add_body_options, reading_choices

_DEFAULT, _USUAL = BakeSettings(), HopDials()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument(
        "character",
        metavar="CLIP",
        type=Path,
        help=f"a motion of the character, of which the pose that stands best is taken: {MOTION_KINDS}",
    )
    parser.add_argument("--out", metavar="RESULT.npz", type=Path, required=True, help="the file to write")
    parser.add_argument(
        "--bvh", metavar="FILE.bvh", type=Path, help="also write the motion before simulation"
    )
    for name, metavar, default, summary in (
        ("--hop", "M", _USUAL.height, "height of the hops, from leaving the ground to the top [m]"),
        ("--speed", "V", _USUAL.speed, "forward speed [m/s]"),
        ("--seconds", "S", _USUAL.seconds, "how long it hops, with starting and landing [s]"),
        ("--assist", "N", 0.0, "largest outside force [N] and torque [Nm] at the hips; 0 is physical"),
    ):
        parser.add_argument(
            name, metavar=metavar, type=float, default=default, help=f"{summary} (default: {default:g})"
        )
    parser.add_argument(
        "--quality", metavar="Q", default=_DEFAULT.quality, help=f"one of {', '.join(QUALITIES)}"
    )
    add_body_options(parser)


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Make the hops, simulate them and write the result; return the metrics."""
    check_outputs(options, "out", "bvh")
    console = Console()
    clip = read_clip(options.character, reading_choices(options))
    mapping = recognise(clip.motion.skeleton)
    settings = BakeSettings(
        quality=options.quality,
        assist_cap=options.assist,
        height=options.height,
        mass=options.mass,
        loop="off",
    )
    job = Job(clip.motion, mapping, settings, name=options.character.stem)
    made = make_hops(HopJob(job, HopDials(options.hop, options.speed, options.seconds)))
    if options.bvh is not None:
        write_bvh(made.motion, options.bvh)
    keep_mujoco_from_logging_to_file()
    result = bake(replace(job, motion=made.motion), console.progress)
    result = replace(result, meta=result.meta.with_notes(*clip.notes, made.note))
    for note in result.meta.notes:
        console.message(note)
    save_result(result, options.out)
    console.message(f"Saved '{options.out}'.")
    metrics = {} if result.meta.metrics is None else asdict(result.meta.metrics)
    rise = result.joint_position[:, 0, 2]
    return {
        **metrics,
        "hops": len(made.hops.apexes),
        "hip_rise_cm": 100.0 * float(rise.max() - rise[: round(0.3 / CONTROL_DT)].mean()),
        "fell_at": result.meta.fell_at,
        "result": str(options.out),
    }
