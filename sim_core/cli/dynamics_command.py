"""Find the forces behind a motion, captured, keyed or simulated."""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from .. import VERSION
from ..analysis.analysis import Analysis, analyse_result
from ..analysis.analysis_file import figures, save_analysis, save_table
from ..analysis.body_mass import FROM_HEIGHT, FROM_RESULT, GIVEN, BodyMass
from ..analysis.clip_dynamics import DynamicsSettings, analyse_motion, mass_of_subject
from ..base.files import refuse_overwriting, refuse_unwritable
from ..base.worker_process import keep_mujoco_from_logging_to_file
from ..markers.fit_pipeline import FitOptions, fit_file
from ..markers.read_markers import is_marker_file
from ..result.result import load_result
from .console import Console
from .motion_source import read_source
from .shared_options import add_body_options, reading_choices


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""

    def option(name: str, metavar: str, kind: type, summary: str) -> None:
        parser.add_argument(name, metavar=metavar, type=kind, help=summary)

    parser.add_argument(
        "motion", metavar="FILE", type=Path, help="BVH, markers (C3D, TRC), or a result file (.npz)"
    )
    parser.add_argument("--out", metavar="OUT.npz", type=Path, required=True, help="the file to write")
    option("--csv", "OUT.csv", Path, "also write all series as a table")
    add_body_options(parser, "by force plates, else the file's, else from the height")
    option("--static", "FILE", Path, "a trial in which the subject of a marker file stands still")
    option(
        "--cutoff", "HZ", float, "cutoff of the low-pass (default: 6, or 10 if the motion leaves the ground)"
    )
    parser.add_argument(
        "--no-plates", dest="plates", action="store_false", help="do not use the force plates of a C3D file"
    )
    parser.add_argument(
        "--level", action="store_true", help="shift the root a little to reduce unexplained forces"
    )


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Analyse as the options say; return the figures."""
    for out in (options.out, options.csv):
        if out is not None:
            refuse_overwriting(options.motion, out)
            refuse_unwritable(out)
    console = Console()
    keep_mujoco_from_logging_to_file()
    began = time.perf_counter()
    analysis, mass = _analyse(options, console)
    analysis = replace(analysis, notes=(mass.note(analysis.mass), *analysis.notes))
    metrics = {**figures(analysis), **mass.figures(), "wall_s": time.perf_counter() - began}
    for note in analysis.notes:
        console.message(note)
    meta = {"version": VERSION, "input": {"file": options.motion.name}, "metrics": metrics}
    save_analysis(analysis, options.out, meta)
    if options.csv is not None:
        save_table(analysis, options.csv)
    console.message(f"Saved '{options.out}'.")
    return {**metrics, "result": str(options.out)}


def _analyse(options: argparse.Namespace, console: Console) -> tuple[Analysis, BodyMass]:
    file = options.motion
    if file.suffix.lower() == ".npz":
        return analyse_result(load_result(file)), BodyMass(None, FROM_RESULT)
    settings = DynamicsSettings(
        mass=options.mass,
        height=options.height,
        cutoff_hz=options.cutoff,
        measured=options.plates,
        level=options.level,
    )
    if not is_marker_file(file):
        source = read_source([file], reading_choices(options), 0.0)
        for note in source.notes:
            console.message(note)
        mass = BodyMass(options.mass, FROM_HEIGHT if options.mass is None else GIVEN)
        return analyse_motion(source.motion, source.mapping, settings), mass
    fitted = fit_file(file, _fit_options(options), console.progress)
    for note in fitted.notes:
        console.message(note)
    mass = mass_of_subject(fitted, settings)
    mapping = fitted.fit.subject.calibration.rig.mapping
    settings = replace(settings, mass=mass.mass)
    return analyse_motion(fitted.fit.motion, mapping, settings, fitted.take.plates), mass


def _fit_options(options: argparse.Namespace) -> FitOptions:
    return FitOptions(unit=options.unit, static=options.static, marker_set=options.set)
