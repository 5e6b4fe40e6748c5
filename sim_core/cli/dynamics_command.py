"""Find the forces behind a motion, captured, keyed or simulated."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from .. import VERSION
from ..analysis.analysis import Analysis, analyse_result
from ..analysis.analysis_file import figures, save_analysis, save_table, unexplained_note
from ..analysis.body_mass import FROM_RESULT, BodyMass
from ..analysis.clip_dynamics import DynamicsSettings
from ..base.worker_process import keep_mujoco_from_logging_to_file
from ..markers.fit_pipeline import fit_file
from ..markers.session_folder import is_marker_file
from ..result.result import load_result
from ..sources.marker_source import fit_options
from ..sources.motion_source import MOTION_KINDS, is_result, read_source
from ..sources.recording import Recording, fitted_recording, forces_behind, read_recording
from .console import Console
from .output_files import check_outputs
from .shared_options import add_body_options, reading_choices, refuse_motion_options


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""

    def option(name: str, metavar: str, kind: type, summary: str) -> None:
        parser.add_argument(name, metavar=metavar, type=kind, help=summary)

    parser.add_argument("motion", metavar="FILE", type=Path, help=f"{MOTION_KINDS}; or a result file (.npz)")
    parser.add_argument("--out", metavar="OUT.npz", type=Path, required=True, help="the file to write")
    option("--csv", "OUT.csv", Path, "also write all series as a table")
    add_body_options(parser, "by force plates, else the file's, else from the height")
    option("--forces", "FILE", Path, "ground forces of the same recording (.mot, .sto of OpenSim)")
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
    check_outputs(options, "out", "csv")
    console = Console()
    keep_mujoco_from_logging_to_file()
    began = time.perf_counter()
    analysis, mass = _analyse(options, console)
    analysis = replace(analysis, notes=(*analysis.notes, *unexplained_note(analysis)))
    metrics = {**figures(analysis), **mass.figures(), "wall_s": time.perf_counter() - began}
    _print(console, analysis.notes)
    meta = {"version": VERSION, "input": {"file": options.motion.name}, "metrics": metrics}
    save_analysis(analysis, options.out, meta)
    if options.csv is not None:
        save_table(analysis, options.csv)
    console.message(f"Saved '{options.out}'.")
    return {**metrics, "result": str(options.out)}


def _analyse(options: argparse.Namespace, console: Console) -> tuple[Analysis, BodyMass]:
    file = options.motion
    if is_result(file):
        refuse_motion_options(options, file)
        mass = BodyMass(None, FROM_RESULT)
        analysis = analyse_result(load_result(file))
        return replace(analysis, notes=(mass.note(analysis.mass), *analysis.notes)), mass
    settings = DynamicsSettings(
        mass=options.mass,
        height=options.height,
        cutoff_hz=options.cutoff,
        measured=options.plates,
        level=options.level,
    )
    return forces_behind(_read(file, options, console), settings, options.forces)


def _read(file: Path, options: argparse.Namespace, console: Console) -> Recording:
    """Read a motion, or fit one to markers."""
    if not is_marker_file(file):
        source = read_source([file], reading_choices(options), 0.0)
        _print(console, source.notes)
        return read_recording(source, options.height)
    wanted = replace(fit_options(reading_choices(options)), static=options.static)
    fitted = fit_file(file, wanted, console.progress)
    _print(console, fitted.notes)
    return fitted_recording(fitted)


def _print(console: Console, notes: Iterable[str]) -> None:
    for note in notes:
        console.message(note)
