"""Tables of bones that can be loaded: families of rigs that come with Heft, and the user's own files."""

from __future__ import annotations

from bpy.types import Scene

from ..sim_core.base.errors import InputError
from ..sim_core.base.files import write_text_atomically
from ..sim_core.recognition import BoneMapping, check_mapping, mapping_to_json
from ..sim_core.recognition.families import family_mapping, rig_families
from ..sim_core.retarget.read_target import read_table
from .blender_types import ArmatureObject
from .mapping_table import fill_table, table_mapping
from .own_files import OWN, OwnFiles
from .rig_reader import read_skeleton, require_armature

FILES = OwnFiles("bone_tables", "table of bones")


def table_keys() -> list[tuple[str, str]]:
    """Keys and names of all tables, the user's own last."""
    shipped = [family.kind for family in rig_families()]
    return [(key, key.removeprefix(OWN)) for key in (*shipped, *FILES.all_keys())]


def load_table(obj: ArmatureObject, key: str, scene: Scene) -> BoneMapping:
    """Fill an armature's table by a preset; one whose bones the armature lacks is refused."""
    skeleton = read_skeleton(require_armature(obj), scene)
    if key.startswith(OWN):
        mapping = read_table(FILES.file(key))
        check_mapping(mapping, skeleton)
    else:
        mapping = family_mapping(key, skeleton)
    fill_table(obj.data.heft, mapping)
    return mapping


def save_table(obj: ArmatureObject, name: str) -> str:
    """Save an armature's table as a new file of the user's; its key."""
    key = FILES.new_key(name)
    mapping = table_mapping(obj.data.heft)
    if mapping is None:
        raise InputError(f"The table of '{obj.name}' is empty; recognise the rig first.")
    write_text_atomically(FILES.file(key), mapping_to_json(mapping) + "\n")
    return key
