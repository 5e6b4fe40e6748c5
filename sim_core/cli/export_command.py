"""Write a clip or a result as MJCF for MuJoCo's own viewer, or what it takes to repeat a simulation."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ..bake.mjcf_export import Exported, export_mjcf, export_result
from ..bake.replay_export import export_replay
from ..base.errors import InputError
from ..base.files import (
    about_file,
    make_folder,
    npz_bytes,
    write_together,
)
from ..base.worker_process import keep_mujoco_from_logging_to_file
from ..result.result import Result, load_result
from ..scenario.job import Job
from ..scenario.settings import BakeSettings
from ..sources.motion_source import MOTION_KINDS, is_result, read_source
from .console import Console
from .output_files import check_written, read_files
from .shared_options import BODY_OPTIONS, add_body_options, add_scene_option, reading_choices, scene_of

OF_MOTIONS = (*BODY_OPTIONS, "character", "scene", "as_is")
"""Options that do not apply to a result, which has its own body, scene and motion."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("motion", metavar="MOTION", type=Path, help=f"{MOTION_KINDS}; or a result (.npz)")
    parser.add_argument(
        "--out",
        metavar="OUT",
        type=Path,
        help="FILE.xml, or a folder that exists; for a replay any folder (default: RESULT_replay)",
    )
    parser.add_argument(
        "--replay",
        action="store_true",
        help="of a result: the model, what was applied at every engine step, and a script that repeats the "
        "motion with MuJoCo alone",
    )
    add_body_options(parser)
    parser.add_argument(
        "--character", metavar="NAME", help="a preset character (default: from the file's skeleton)"
    )
    add_scene_option(parser)
    parser.add_argument(
        "--as-is", action="store_true", help="the motion as it is, without making it plausible"
    )


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Write the model, and the motion beside it; return their figures."""
    with about_file(options.motion):
        return _write_replay(options) if options.replay else _write_model(options)


def _write_model(options: argparse.Namespace) -> dict[str, Any]:
    """Write MJCF and the table of the motion; return their figures."""
    if options.out is None:
        raise InputError("--out is missing; give FILE.xml, or a folder that exists.")
    of_result = is_result(options.motion)
    out = options.out / f"{options.motion.stem}.xml" if options.out.is_dir() else options.out
    if out.suffix.lower() != ".xml":
        raise InputError(f"--out is '{out.name}'; it must end in .xml, or be a folder that exists.")
    table = out.with_name(f"{out.stem}_{'result' if of_result else 'reference'}.csv")
    check_written(read_files(options, ["out"]), [("--out", out), ("the table beside it", table)])
    console = Console()
    keep_mujoco_from_logging_to_file()
    made = _from_result(options) if of_result else _from_motion(options, console)
    write_together({out: made.xml.encode("utf-8"), table: made.table.encode("utf-8")})
    console.message(f"Saved '{out}' and '{table.name}' beside it.")
    return {
        "mass_kg": made.mass,
        "samples": len(made.qpos),
        "keyframes": made.keys,
        "table": str(table),
        "result": str(out),
    }


def _from_motion(options: argparse.Namespace, console: Console) -> Exported:
    """Return the model and the reference of a motion file."""
    scene = scene_of(options)
    settings = BakeSettings(mass=options.mass, height=options.height, character=options.character)
    source = read_source([options.motion], reading_choices(options), 0.0)
    for note in source.notes:
        console.message(note)
    return export_mjcf(Job(source.motion, source.mapping, settings, scene), options.as_is)


def _write_replay(options: argparse.Namespace) -> dict[str, Any]:
    """Write the folder of a replay; return its figures."""
    if not is_result(options.motion):
        raise InputError(f"'{options.motion.name}' is not a result (.npz), and only results can be replayed.")
    replay = export_replay(_load(options))
    folder = options.out or options.motion.with_name(f"{options.motion.stem}_replay")
    make_folder(folder)
    write_together(
        {
            folder / "model.xml": replay.xml.encode("utf-8"),
            folder / "model.mjb": replay.mjb,
            folder / "replay.npz": npz_bytes(replay.arrays),
            folder / "replay.py": replay.script.encode("utf-8"),
        }
    )
    Console().message(f"Saved '{folder}'; 'python {folder / 'replay.py'}' computes the motion again.")
    return {"engine_steps": replay.steps, "result": str(folder)}


def _from_result(options: argparse.Namespace) -> Exported:
    return export_result(_load(options))


def _load(options: argparse.Namespace) -> Result:
    """Return the result that is exported, or refuse options that do not apply to it."""
    given = next((name for name in OF_MOTIONS if getattr(options, name)), None)
    if given is not None:
        raise InputError(
            f"--{given.replace('_', '-')} is for motion files; '{options.motion.name}' is a result, "
            "which has its own body and scene."
        )
    return load_result(options.motion)
