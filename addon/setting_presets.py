"""Presets of settings in Blender: those that come with Heft, and the user's own files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..sim_core.base.errors import InputError
from ..sim_core.base.files import write_text_atomically
from ..sim_core.base.json_files import preset_names, to_json
from ..sim_core.scenario.preset_kinds import SETTINGS, Preset, find_preset, preset_text, read_checked
from ..sim_core.scenario.settings import BakeSettings
from .blender_types import ArmatureObject
from .own_files import OWN, OwnFiles

DIGITS = 6
"""Blender keeps single precision: 0.3 comes back as 0.30000001."""


@dataclass(frozen=True)
class Row:
    """An entry of a menu; problem: why it cannot be chosen, or empty."""

    key: str
    name: str
    about: str
    problem: str = ""


def own_files(group: str) -> OwnFiles:
    return OwnFiles(f"presets/{group}", "preset")


def preset_rows(group: str) -> list[Row]:
    """All presets of a group, the user's own last; broken ones say what is wrong with them."""
    return [_row(group, key) for key in (*preset_names(group), *own_files(group).all_keys())]


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
    take_preset(obj, preset, key)
    return preset


def take_preset(obj: ArmatureObject, preset: Preset, key: str) -> None:
    """Set all that it sets; key: what the menu calls it, empty where it is not in the menu."""
    if preset.settings.get("character") is not None:
        raise InputError(
            f"'{preset.name}' is a body of its own, which an armature cannot take; "
            "use heft bake --preset without Blender."
        )
    for name, value in preset.settings.items():
        if name != "character":
            setattr(_owner(obj, name), name, 0.0 if value is None else value)
    setattr(obj.heft.dials, preset.group, key)


def save_preset(obj: ArmatureObject, group: str, name: str) -> str:
    """Save what the group sets as a new file of the user's; its key."""
    files = own_files(group)
    key, settings = files.new_key(name), _settings(obj, group)
    write_text_atomically(files.file(key), to_json(preset_text(group, name.strip(), settings)) + "\n")
    setattr(obj.heft.dials, group, key)
    return key


def remove_preset(obj: ArmatureObject, group: str) -> str:
    """Delete the chosen preset, which must be one of the user's; its name. The settings stay."""
    name = own_files(group).remove(chosen(obj, group))
    setattr(obj.heft.dials, group, "")
    return name


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
        return read_checked(group, own_files(group).file(key))
    return read_checked(group, find_preset(group, key))
