"""Find the steps and seats that a motion was captured on, and write them as a scene."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ..base.files import write_text_atomically
from ..base.json_files import to_json
from ..base.worker_process import keep_mujoco_from_logging_to_file
from ..scenario.job import Job
from ..scenario.settings import BakeSettings
from ..scene.scene_file import scene_to_dict
from ..sources.motion_source import read_source
from ..supports.find import find_supports
from .console import Console
from .output_files import check_outputs
from .shared_options import add_body_options, reading_choices


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("motion", metavar="FILE", type=Path, help="BVH, or markers (C3D, TRC)")
    parser.add_argument(
        "--out", metavar="SCENE.json", type=Path, required=True, help="the scene file to write"
    )
    add_body_options(parser)


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Find the supports of a motion; return what was found."""
    check_outputs(options, "out")
    settings = BakeSettings(height=options.height, mass=options.mass)
    console = Console()
    keep_mujoco_from_logging_to_file()
    source = read_source([options.motion], reading_choices(options), 0.0)
    found = find_supports(Job(source.motion, source.mapping, settings))
    for note in (*source.notes, *found.notes):
        console.message(note)
    write_text_atomically(options.out, to_json(scene_to_dict(found.scene)))
    console.message(f"Saved '{options.out}'.")
    heights_cm = {own.scene_object.name: round(100.0 * own.height, 1) for own in found.supports}
    return {
        "supports": len(found.supports),
        "heights_cm": heights_cm,
        "floor_cm": round(100.0 * found.floor.height, 1),
        "scene": str(options.out),
    }
