"""Presets of settings in Blender: those that come with Heft, and the user's own files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy

from ..sim_core.errors import InputError
from ..sim_core.files import write_text_atomically
from ..sim_core.json_text import to_json
from ..sim_core.preset_kinds import SETTINGS, Preset, find_preset, preset_text, read_checked
from ..sim_core.presets import preset_names
from ..sim_core.settings import BakeSettings
from .blender_types import ArmatureObject
from .user_folder import user_folder_for

OWN = "own:"
"""Starts the key of a preset that the user saved."""
DIGITS = 6
"""Blender keeps single precision: 0.3 comes back as 0.30000001."""


@dataclass(frozen=True)
class Row:
    """An entry of a menu; problem: why it cannot be chosen, or empty."""

    key: str
    name: str
    about: str
    problem: str = ""


def own_folder(group: str) -> Path:
    return user_folder_for(f"presets/{group}")


def preset_rows(group: str) -> list[Row]:
    """All presets of a group, the user's own last; broken ones say what is wrong with them."""
    own = sorted(path.stem for path in own_folder(group).glob("*.json"))
    return [_row(group, key) for key in (*preset_names(group), *(OWN + stem for stem in own))]


def _row(group: str, key: str) -> Row:
    try:
        preset = _read(group, key)
    except InputError as problem:
        return Row(key, key.removeprefix(OWN), "", str(problem))
    body = preset.settings.get("character")
    return Row(key, preset.name, preset.about, "" if body is None else f"{preset.name}: command line only")


def load_preset(obj: ArmatureObject, group: str, key: str) -> Preset:
    """Set all that the group sets; nothing is changed where the file is broken."""
    preset = _read(group, key)
    if preset.settings.get("character") is not None:
        raise InputError(
            f"'{preset.name}' is a body of its own, which an armature cannot take; use heft bake --preset."
        )
    for name, value in preset.settings.items():
        if name != "character":
            setattr(_owner(obj, name), name, 0.0 if value is None else value)
    setattr(obj.heft.dials, group, key)
    return preset


def save_preset(obj: ArmatureObject, group: str, name: str) -> str:
    """Save what the group sets as a new file of the user's; its key."""
    stem = bpy.path.clean_name(name.strip())
    if not name.strip():
        raise InputError("The preset has no name; give it one.")
    path = own_folder(group) / f"{stem}.json"
    if path.exists():
        raise InputError(f"There is a preset '{stem}' already; choose another name or remove it first.")
    write_text_atomically(path, to_json(preset_text(group, name.strip(), _settings(obj, group))) + "\n")
    setattr(obj.heft.dials, group, OWN + stem)
    return OWN + stem


def remove_preset(obj: ArmatureObject, group: str) -> str:
    """Delete the chosen preset, which must be one of the user's; its name. The settings stay."""
    key = chosen(obj, group)
    if not key.startswith(OWN):
        raise InputError("This preset comes with Heft, so it cannot be removed; choose one of your own.")
    (own_folder(group) / f"{key.removeprefix(OWN)}.json").unlink(missing_ok=True)
    setattr(obj.heft.dials, group, "")
    return key.removeprefix(OWN)


def chosen(obj: ArmatureObject, group: str) -> str:
    """The key of the preset that was loaded last, or empty."""
    return str(getattr(obj.heft.dials, group))


def dial_settings(obj: ArmatureObject) -> dict[str, Any]:
    """What the panel says of all that presets can set."""
    names = [name for own in SETTINGS.values() for name in own if name != "character"]
    return {name: _value(obj, name) for name in names}


def _settings(obj: ArmatureObject, group: str) -> BakeSettings:
    return BakeSettings(**{n: v for n, v in dial_settings(obj).items() if n in SETTINGS[group]})


def _value(obj: ArmatureObject, name: str) -> float | None:
    """0 stands for what is measured, or for what a dial gives."""
    value = round(float(getattr(_owner(obj, name), name)), DIGITS)
    return None if value == 0.0 and getattr(BakeSettings, name) is None else value


def _owner(obj: ArmatureObject, name: str) -> Any:
    if name in ("height", "mass"):
        return obj.data.heft
    return obj.heft if name == "correction" else obj.heft.dials


def _read(group: str, key: str) -> Preset:
    if key.startswith(OWN):
        return read_checked(group, own_folder(group) / f"{key.removeprefix(OWN)}.json")
    return read_checked(group, find_preset(group, key))
