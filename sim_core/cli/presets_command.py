"""List the presets that come with Heft, or check files of your own."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ..base.errors import InputError
from ..scenario.read_presets import GROUPS, named_preset, read_checked, shipped
from .console import Console


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    summary = "preset files to check (default: list all that come with Heft)"
    parser.add_argument("files", metavar="FILE.json", type=Path, nargs="*", help=summary)
    parser.add_argument("--group", choices=GROUPS, help="of the files (default: by the settings they list)")


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Return names by group; broken files are reported after all have been checked."""
    wanted = [(options.group, path.stem, path) for path in options.files] or list(shipped())
    console, found, broken = Console(), dict[str, list[str]](), 0
    for group, key, path in wanted:
        try:
            preset = named_preset(str(path)) if group is None else read_checked(group, path)
            found.setdefault(preset.group, []).append(key)
            console.message(f"{preset.group}/{key}: {preset.name}")
        except InputError as problem:
            broken += 1
            console.message(str(problem))
    if broken:
        raise InputError(f"{broken} of {len(wanted)} presets are broken; the sentences above say where.")
    return dict(found)
