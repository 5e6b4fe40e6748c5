"""Fit a skeleton to the markers of a C3D or TRC file, or to keypoints from video."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

from .. import VERSION
from ..base.worker_process import keep_mujoco_from_logging_to_file
from ..markers.fit_file import fit_figures, save_fit, used_words
from ..markers.fit_pipeline import FitOptions, FittedFile, fit_file
from ..markers.marker_fit import QUALITIES
from ..markers.subject import Armature
from ..motion.bvh_writer import write_bvh
from ..reading.bvh_clip import read_bvh
from ..recognition import recognise
from .console import Console
from .output_files import check_outputs
from .shared_options import add_set_option

SHOWN_FAULTS = 20
"""Number of faults that are printed; all are in the file."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument(
        "markers", metavar="MARKERS", type=Path, help="C3D or TRC; keypoints: TRC, CSV, npy or a folder"
    )
    parser.add_argument("--out", metavar="RESULT.npz", type=Path, required=True, help="the file to write")
    parser.add_argument("--bvh", metavar="OUT.bvh", type=Path, help="also write the motion as BVH")
    parser.add_argument(
        "--static", metavar="FILE", type=Path, help="a trial in which the subject stands still"
    )
    parser.add_argument(
        "--skeleton", metavar="FILE.bvh", type=Path, help="fit this file's skeleton, its bones as they are"
    )
    add_set_option(parser)
    parser.add_argument("--take", metavar="T", help="name or number of a take (default: the first)")
    parser.add_argument("--unit", metavar="U", type=float, help="metres per file unit (default: the file's)")
    parser.add_argument("--fps", metavar="F", type=float, help="frames per second (default: the file's own)")
    parser.add_argument(
        "--anyway", action="store_true", help="write the fit even if it cannot be that of a person"
    )
    parser.add_argument(
        "--quality",
        metavar="Q",
        default=QUALITIES[-1],
        help=f"one of {', '.join(QUALITIES)} (default: final)",
    )


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Fit as the options say; return the figures."""
    check_outputs(options, "out", "bvh")
    console = Console()
    keep_mujoco_from_logging_to_file()
    began = time.perf_counter()
    armature = None if options.skeleton is None else _armature(options.skeleton)
    wanted = FitOptions(
        quality=options.quality,
        unit=options.unit,
        take=options.take,
        static=options.static,
        marker_set=options.set,
        armature=armature,
        anyway=options.anyway,
        fps=options.fps,
    )
    fitted = fit_file(options.markers, wanted, console.progress)
    metrics = {**fit_figures(fitted.fit), "wall_s": time.perf_counter() - began}
    _print_fit(console, fitted)
    if metrics["marker_rms_cm"] is not None:
        console.message(f"Marker error {metrics['marker_rms_cm']:.2f} cm (RMS) over {used_words(metrics)}.")
    meta = {
        "version": VERSION,
        "input": {"file": options.markers.name, "unit_m": fitted.file.unit_m, "take": fitted.take.name},
        "quality": options.quality,
        "metrics": metrics,
        "notes": fitted.notes,
    }
    save_fit(fitted.fit, fitted.take, options.out, meta)
    if options.bvh is not None:
        write_bvh(fitted.fit.motion, options.bvh)
    console.message(f"Saved '{options.out}'.")
    return {**metrics, "result": str(options.out)}


def _armature(file: Path) -> Armature:
    skeleton = read_bvh(file).motion.skeleton
    return Armature(skeleton, recognise(skeleton))


def _print_fit(console: Console, fitted: FittedFile) -> None:
    """Print notes, lengths compared with an average body, and faults."""
    for note in fitted.notes:
        console.message(note)
    ratios = fitted.fit.subject.calibration.length_ratio
    if ratios:
        shown = ", ".join(f"{name} {100.0 * (ratio - 1.0):+.0f} %" for name, ratio in ratios.items())
        console.message(f"Lengths against an average body of {fitted.fit.subject.height:.2f} m: {shown}.")
    for fault in fitted.fit.faults[:SHOWN_FAULTS]:
        console.message(fault.sentence)
    if len(fitted.fit.faults) > SHOWN_FAULTS:
        console.message(f"{len(fitted.fit.faults) - SHOWN_FAULTS} more are listed in the file.")
