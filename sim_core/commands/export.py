"""Write a motion's character, scene and reference as MJCF, for MuJoCo's own viewer."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..files import refuse_overwriting, refuse_unwritable, write_text_atomically
from ..job import Job
from ..mjcf_export import export_mjcf
from ..process import keep_mujoco_from_logging_to_file
from ..scene.file import load_scene
from ..scene.scene import FLAT
from ..settings import BakeSettings
from .console import Console
from .source import read_source


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("motion", metavar="MOTION", type=Path, help="BVH, or markers (C3D, TRC)")
    parser.add_argument(
        "--out", metavar="OUT", type=Path, required=True, help="FILE.xml, or a folder that exists"
    )
    for name, metavar, summary in (
        ("--mass", "M", "total mass [kg] (default: from the height)"),
        ("--height", "H", "body height [m] (default: measured)"),
        ("--unit", "U", "metres per file unit (default: inferred from the body)"),
        ("--fps", "F", "frames per second, where the file's own rate is wrong"),
    ):
        parser.add_argument(name, metavar=metavar, type=float, help=summary)
    parser.add_argument(
        "--character", metavar="NAME", help="a preset character (default: from the file's skeleton)"
    )
    parser.add_argument(
        "--scene", metavar="SCENE.json", type=Path, help="what is about the character (docs/scene-file.md)"
    )
    parser.add_argument(
        "--as-is", action="store_true", help="the motion as it is, not changed so that forces can produce it"
    )


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Write the model, and the reference beside it."""
    out = options.out / f"{options.motion.stem}.xml" if options.out.is_dir() else options.out
    if options.motion.suffix.lower() == ".npz":
        raise InputError(
            f"'{options.motion.name}' does not hold the body's joints; "
            "give the motion file that it was made from."
        )
    if out.suffix.lower() != ".xml":
        raise InputError(f"--out is '{out.name}'; it must end in .xml, or be a folder that exists.")
    table = out.with_name(f"{out.stem}_reference.csv")
    for path in (out, table):
        refuse_overwriting(options.motion, path)
        refuse_unwritable(path)
    scene = FLAT if options.scene is None else load_scene(options.scene)
    settings = BakeSettings(mass=options.mass, height=options.height, character=options.character)
    console = Console()
    keep_mujoco_from_logging_to_file()
    source = read_source([options.motion], options.unit, options.fps, 0.0)
    for note in source.notes:
        console.message(note)
    made = export_mjcf(Job(source.motion, source.mapping, settings, scene), options.as_is)
    write_text_atomically(out, made.xml)
    write_text_atomically(table, made.table)
    console.message(f"Saved '{out}' and '{table.name}' beside it.")
    return {
        "mass_kg": made.mass,
        "samples": len(made.reference),
        "keyframes": made.keys,
        "reference": str(table),
        "result": str(out),
    }
