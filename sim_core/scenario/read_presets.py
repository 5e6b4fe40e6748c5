"""What each group of presets may hold, and the one check of them all."""

from __future__ import annotations

import re
import typing
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ..base.errors import InputError
from ..base.files import names_its_file
from ..base.json_codec import fits
from ..base.json_files import PRESETS_FOLDER, preset_names, read_json_file
from ..character.preset_character import character_from_dict
from ..markers.marker_sets import set_from_dict
from ..recognition.families import family_from_dict
from .preset_kinds import SETTINGS, Preset
from .settings import BakeSettings

TABLES: dict[str, Callable[[Mapping[str, Any], str], object]] = {
    "markers": set_from_dict,
    "rigs": family_from_dict,
}
"""Group -> what reads its tables, and refuses broken ones."""
GROUPS = (*SETTINGS, *TABLES)
FILE_END = ".json"
"""Suffix by which the command line knows a file from the name of a preset."""
_KEYS = ("name", "about", "settings")
_DEFAULT = BakeSettings()


def find_preset(group: str, key: str) -> Path:
    """Return the file of a preset that comes with Heft."""
    return PRESETS_FOLDER / group / f"{key}.json"


def read_checked(group: str, path: Path) -> Preset:
    """Read the preset in a file; an invalid one raises an InputError with its line and what is right."""
    data = read_json_file(path, "preset")
    try:
        return check_preset(group, data, path)
    except InputError as problem:
        raise InputError(f"{path.name}{_line(path, str(problem))}: {problem}") from problem


def check_preset(group: str, data: Mapping[str, Any], path: Path) -> Preset:
    """Check the content of a preset file and return the preset."""
    name = str(data.get("name", data.get("kind", path.stem)))
    about = str(data.get("about", ""))
    if group in TABLES:
        TABLES[group](data, f"The preset '{path.stem}'")
        return Preset(group, name, about, {})
    if group == "characters" and "trunk" in data:
        character_from_dict(path.stem, data)
        return Preset(group, name, about, _whole(group, {"character": path.stem}))
    return Preset(group, name, about, _whole(group, _settings(group, data)))


def _whole(group: str, given: Mapping[str, Any]) -> dict[str, Any]:
    return {name: given.get(name, getattr(_DEFAULT, name)) for name in SETTINGS[group]}


def _settings(group: str, data: Mapping[str, Any]) -> Mapping[str, Any]:
    unknown = next((key for key in data if key not in _KEYS), None)
    if unknown is not None:
        raise InputError(f"'{unknown}' is unknown; a preset has {', '.join(_KEYS)}.")
    settings = data.get("settings")
    if not isinstance(settings, Mapping):
        raise InputError("'settings' is missing or no JSON object; list settings by name, in braces.")
    types = typing.get_type_hints(BakeSettings)
    for key, value in settings.items():
        if key not in SETTINGS[group]:
            raise InputError(f"'{key}' does not belong to {group}; they set {', '.join(SETTINGS[group])}.")
        if not fits(value, types[key]):
            raise InputError(f"'{key}' is {value!r}, which is of the wrong type; give a number.")
    BakeSettings(**settings)
    return settings


def _line(path: Path, problem: str) -> str:
    """Return ', line 4' for the line of a file that has the key named in a message; empty without one."""
    words = re.findall(r"'([^']+)'", problem) + re.findall(r"^(\w+) is ", problem)
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        if any(f'"{word}"' in line for word in words):
            return f", line {number}"
    return ""


def shipped() -> Iterator[tuple[str, str, Path]]:
    """Yield group, key and file of all presets that come with Heft."""
    for group in GROUPS:
        for key in preset_names(group):
            yield group, key, find_preset(group, key)


def named_preset(name: str) -> Preset:
    """Return a preset of settings by its name or its file, for the command line."""
    if name.endswith(FILE_END):
        return _from_file(Path(name))
    groups = [group for group in SETTINGS if name in preset_names(group)]
    found = [read_checked(group, find_preset(group, name)) for group in groups]
    if not found:
        known = ", ".join(f"{group}: {', '.join(preset_names(group))}" for group in SETTINGS)
        raise InputError(f"There is no preset '{name}'; there are {known}; or give a .json file.")
    return found[0]


@names_its_file
def _from_file(path: Path) -> Preset:
    """Read a preset file, whose group follows from the settings that it lists."""
    settings = read_json_file(path, "preset").get("settings")
    keys = set(settings) if isinstance(settings, Mapping) else set[str]()
    group = next((g for g, own in SETTINGS.items() if keys & set(own)), next(iter(SETTINGS)))
    return read_checked(group, path)
