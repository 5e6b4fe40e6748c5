"""Marker sets that can be loaded into a table: those that come with Heft, and the user's own files."""

from __future__ import annotations

from pathlib import Path

import bpy

from ...sim_core.errors import InputError
from ...sim_core.markers.sets import MarkerSet, known_sets, preset_set, read_set, save_set
from ..user_folder import user_folder_for

FOLDER = "marker_sets"
OWN = "own:"
"""Starts the key of a set that the user saved."""


def user_folder() -> Path:
    """Where the user's sets are; made when it is not there."""
    return user_folder_for(FOLDER)


def set_keys() -> list[tuple[str, str]]:
    """Keys and names of all sets, the user's own last."""
    own = sorted(path.stem for path in user_folder().glob("*.json"))
    return [(name, preset_set(name).name) for name in known_sets()] + [(OWN + name, name) for name in own]


def load_set(key: str) -> MarkerSet:
    """The set of a key; a file that is broken or gone is told as an InputError."""
    return read_set(_own_path(key)) if key.startswith(OWN) else preset_set(key)


def save_own_set(table: MarkerSet, name: str) -> str:
    """Save a table as a new file of the user's; its key."""
    stem = bpy.path.clean_name(name.strip())
    if not name.strip():
        raise InputError("The marker set has no name; give it one.")
    path = _own_path(OWN + stem)
    if path.exists():
        raise InputError(f"There is a marker set '{stem}' already; choose another name or remove it first.")
    save_set(MarkerSet(name.strip(), table.rows), path)
    return OWN + stem


def remove_own_set(key: str) -> str:
    """Delete a file of the user's; its name."""
    path = _own_path(key)
    if not key.startswith(OWN) or not path.is_file():
        raise InputError(f"'{key}' is no marker set that you saved, so it cannot be removed.")
    path.unlink()
    return path.stem


def _own_path(key: str) -> Path:
    return user_folder() / f"{key.removeprefix(OWN)}.json"
