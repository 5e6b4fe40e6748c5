"""Marker sets that can be loaded into a table: those that come with Heft, and the user's own files."""

from __future__ import annotations

from ...sim_core.markers.marker_sets import MarkerSet, known_sets, preset_set, read_set, save_set
from ..own_files import OWN, OwnFiles

FILES = OwnFiles("marker_sets", "marker set")


def set_keys() -> list[tuple[str, str]]:
    """Keys and names of all sets, the user's own last."""
    own = [(key, key.removeprefix(OWN)) for key in FILES.all_keys()]
    return [*((name, preset_set(name).name) for name in known_sets()), *own]


def load_set(key: str) -> MarkerSet:
    """The set of a key; a file that is broken or gone is told as an InputError."""
    return read_set(FILES.file(key)) if key.startswith(OWN) else preset_set(key)


def save_own_set(table: MarkerSet, name: str) -> str:
    """Save a table as a new file of the user's; its key."""
    key = FILES.new_key(name)
    save_set(MarkerSet(name.strip(), table.rows), FILES.file(key))
    return key
