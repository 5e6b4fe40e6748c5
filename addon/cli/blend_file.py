"""Opening and saving .blend files for commands without a window."""

from __future__ import annotations

import os
from pathlib import Path

import bpy

from ...sim_core.base.errors import InputError
from ...sim_core.base.files import PART_SUFFIX


def open_blend(file: Path) -> None:
    """Open a file, or raise an InputError."""
    if not file.is_file():
        raise InputError(f"The file '{file}' does not exist; check its name.")
    try:
        bpy.ops.wm.open_mainfile(filepath=str(file.resolve()), load_ui=False)
    except RuntimeError as problem:
        raise InputError(
            f"'{file}' cannot be opened by this Blender; check that it is a .blend file."
        ) from problem


def save_blend(out: Path) -> None:
    """Save under a temporary name first, so that the file is complete or absent."""
    part = out.with_name(f".{out.stem}{PART_SUFFIX}.blend")
    try:
        bpy.ops.wm.save_as_mainfile(filepath=str(part), copy=True)
        os.replace(part, out)
    except (OSError, RuntimeError) as problem:
        raise InputError(f"'{out}' cannot be saved ({problem}); choose another place.") from problem
    finally:
        part.unlink(missing_ok=True)
