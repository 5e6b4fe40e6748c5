"""Find the forces behind a motion, captured, keyed or simulated."""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .. import VERSION
from ..analysis.analysis import Analysis, analyse_result
from ..analysis.analysis_file import figures, save_analysis, save_table
from ..analysis.body_mass import FROM_RESULT, BodyMass
from ..analysis.clip_dynamics import DynamicsSettings, analyse_motion, mass_of_subject
from ..analysis.force_table import FileFrame, read_loads
from ..analysis.plate_loads import Load
from ..base.files import refuse_overwriting, refuse_unwritable
from ..base.worker_process import keep_mujoco_from_logging_to_file
from ..markers.fit_pipeline import FitOptions, fit_file
from ..markers.marker_take import ForcePlate
from ..markers.session_folder import is_marker_file
from ..motion.motion import Motion
from ..recognition.mapping import BoneMapping
from ..result.result import load_result
from .console import Console
from .motion_source import MOTION_KINDS, is_result, read_source
from .shared_options import add_body_options, reading_choices


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
    if is_result(file):
        return analyse_result(load_result(file)), BodyMass(None, FROM_RESULT)
    settings = DynamicsSettings(
        mass=options.mass,
        height=options.height,
        cutoff_hz=options.cutoff,
        measured=options.plates,
        level=options.level,
    )
    given = _read(file, options, console)
    loads: tuple[Load, ...] = ()
    if options.forces is not None:
        loads, notes = read_loads(options.forces, given.frame, given.motion, given.mapping)
        for note in notes:
            console.message(note)
    mass = mass_of_subject(given.motion, given.mapping, given.parameters, settings, given.plates, loads)
    settings = replace(settings, mass=mass.mass)
    return analyse_motion(given.motion, given.mapping, settings, given.plates, loads), mass


@dataclass(frozen=True, eq=False)
class _Given:
    """A motion to analyse, with what its file states; parameters: numbers about the subject."""

    motion: Motion
    mapping: BoneMapping
    frame: FileFrame
    parameters: Mapping[str, float]
    plates: tuple[ForcePlate, ...] = ()


def _read(file: Path, options: argparse.Namespace, console: Console) -> _Given:
    """Read a motion, or fit one to markers."""
    if is_marker_file(file):
        fitted = fit_file(file, _fit_options(options), console.progress)
        for note in fitted.notes:
            console.message(note)
        mapping, take = fitted.fit.subject.calibration.rig.mapping, fitted.take
        frame = FileFrame(fitted.file.world_from_file)
        return _Given(fitted.fit.motion, mapping, frame, take.parameters, take.plates)
    source = read_source([file], reading_choices(options), 0.0)
    for note in source.notes:
        console.message(note)
    first = source.first
    # A mass in the file is that of the subject, so it holds for a body of the subject's size.
    stated = {"mass": first.mass_kg} if first.mass_kg is not None and options.height is None else {}
    return _Given(source.motion, source.mapping, FileFrame(first.world_from_file, first.start_s), stated)


def _fit_options(options: argparse.Namespace) -> FitOptions:
    return FitOptions(unit=options.unit, static=options.static, marker_set=options.set, fps=options.fps)
