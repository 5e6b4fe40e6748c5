"""Options that several commands have: the body and units of a motion, and what is about the character."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..scene.scene import FLAT, Scene
from ..scene.scene_file import load_scene


def add_body_options(
    parser: argparse.ArgumentParser, mass_default: str = "from the height", before: str = ""
) -> None:
    """--height, --mass, --unit and --fps; before: what their help starts with"""
    for name, metavar, summary in (
        ("--height", "H", "body height [m] (default: measured)"),
        ("--mass", "M", f"total mass [kg] (default: {mass_default})"),
        ("--unit", "U", "metres per file unit (default: inferred from the body)"),
        ("--fps", "F", "frames per second, where the file's own rate is wrong"),
    ):
        parser.add_argument(name, metavar=metavar, type=float, help=before + summary)


def add_scene_option(parser: argparse.ArgumentParser) -> None:
    summary = "what is about the character (docs/scene-file.md)"
    parser.add_argument("--scene", metavar="SCENE.json", type=Path, help=summary)


def scene_of(options: argparse.Namespace) -> Scene:
    """The scene file, or flat ground."""
    return FLAT if options.scene is None else load_scene(options.scene)
