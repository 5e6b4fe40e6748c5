"""Tables of bones that can be loaded: families of rigs that come with Heft, and the user's own files."""

from __future__ import annotations

from pathlib import Path

import bpy
from bpy.types import Scene

from ..sim_core.errors import InputError
from ..sim_core.files import write_text_atomically
from ..sim_core.recognition import BoneMapping, check_mapping, mapping_to_json
from ..sim_core.recognition.families import family_mapping, rig_families
from ..sim_core.retarget.read import read_table
from .blender_types import ArmatureObject
from .mapping_table import fill_table, table_mapping
from .rig_reader import read_skeleton, require_armature
from .user_folder import user_folder_for

FOLDER = "bone_tables"
OWN = "own:"
"""Starts the key of a table that the user saved."""


def table_keys() -> list[tuple[str, str]]:
    """Keys and names of all tables, the user's own last."""
    own = sorted(path.stem for path in user_folder_for(FOLDER).glob("*.json"))
    shipped = [family.kind for family in rig_families()]
    return [(kind, kind) for kind in shipped] + [(OWN + name, name) for name in own]


def load_table(obj: ArmatureObject, key: str, scene: Scene) -> BoneMapping:
    """Fill an armature's table by a preset; one whose bones the armature lacks is refused."""
    skeleton = read_skeleton(require_armature(obj), scene)
    if key.startswith(OWN):
        mapping = read_table(_own_path(key))
        check_mapping(mapping, skeleton)
    else:
        mapping = family_mapping(key, skeleton)
    fill_table(obj.data.heft, mapping)
    return mapping


def save_table(obj: ArmatureObject, name: str) -> str:
    """Save an armature's table as a new file of the user's; its key."""
    stem = bpy.path.clean_name(name.strip())
    if not name.strip():
        raise InputError("The table of bones has no name; give it one.")
    mapping = table_mapping(obj.data.heft)
    if mapping is None:
        raise InputError(f"The table of '{obj.name}' is empty; recognise the rig first.")
    path = _own_path(OWN + stem)
    if path.exists():
        raise InputError(
            f"There is a table of bones '{stem}' already; choose another name or remove it first."
        )
    write_text_atomically(path, mapping_to_json(mapping) + "\n")
    return OWN + stem


def remove_table(key: str) -> str:
    """Delete a file of the user's; its name."""
    path = _own_path(key)
    if not key.startswith(OWN) or not path.is_file():
        raise InputError(f"'{key}' is no table of bones that you saved, so it cannot be removed.")
    path.unlink()
    return path.stem


def _own_path(key: str) -> Path:
    return user_folder_for(FOLDER) / f"{key.removeprefix(OWN)}.json"
