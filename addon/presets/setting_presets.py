"""The dials, the values behind them, and presets that set them: Heft's own and the user's files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bpy.props import FloatProperty, StringProperty
from bpy.types import PropertyGroup

from ...sim_core.base.errors import InputError
from ...sim_core.base.files import write_text_atomically
from ...sim_core.base.json_files import preset_names, to_json
from ...sim_core.scenario.preset_kinds import SETTINGS, Preset, preset_text
from ...sim_core.scenario.settings import DIAL_WORDS, RAW, BakeSettings
from ..blender.blender_types import ArmatureObject
from ..blender.library_overrides import character_of
from .user_files import USER_PREFIX, UserFiles

_DEFAULT = BakeSettings()
_LIMIT = {name: high for name, _, high in RAW}


def _dial(setting: str) -> Any:
    return FloatProperty(
        name=setting.split("_")[0].capitalize(),
        description=DIAL_WORDS[setting],
        default=getattr(_DEFAULT, setting),
        min=0.0,
        max=1.0,
        subtype="FACTOR",
    )


class HeftDials(PropertyGroup):
    """Dials of a character's movement and reactions; a raw value of 0 uses the dial."""

    effort: _dial("effort")
    stiffness: _dial("stiffness")
    balance_weight: _dial("balance_weight")
    softness: _dial("softness")
    alertness: _dial("alertness")
    weight: _dial("weight")
    tracking_gain: FloatProperty(
        name="Gain [1/s²]",
        description="How strongly joints follow the motion; 0 uses the value from Stiffness",
        min=0.0,
        soft_max=2000.0,
        max=_LIMIT["tracking_gain"],
        precision=0,
    )
    springs: FloatProperty(
        name="Springs",
        description="Factor of the joints' passive stiffness; 0 uses the value from Stiffness",
        min=0.0,
        soft_max=1.0,
        max=_LIMIT["springs"],
        precision=3,
    )
    recovery_s: FloatProperty(
        name="Recovery [s]",
        description="Time after a hit until the body part is as stiff as before",
        default=_DEFAULT.recovery_s,
        min=0.05,
        soft_max=2.0,
        max=60.0,
        precision=2,
    )
    characters: StringProperty(name="Character Preset")
    motions: StringProperty(name="Motion Preset")
    reactions: StringProperty(name="Reaction Preset")


DIGITS = 6
"""Blender keeps single precision: 0.3 comes back as 0.30000001."""


@dataclass(frozen=True)
class PresetRow:
    """An entry of a menu; problem: why it cannot be loaded, or empty."""

    key: str
    name: str
    about: str
    problem: str = ""


def preset_files(group: str) -> UserFiles:
    """Return the user's preset files of a group."""
    return UserFiles(f"presets/{group}", "preset")


def preset_rows(group: str) -> list[PresetRow]:
    """Return all presets of a group, the user's last; broken ones say what is wrong with them."""
    return [_row(group, key) for key in (*preset_names(group), *preset_files(group).all_keys())]


def _row(group: str, key: str) -> PresetRow:
    try:
        preset = _read(group, key)
    except InputError as problem:
        return PresetRow(key, key.removeprefix(USER_PREFIX), "", str(problem))
    body = preset.settings.get("character")
    return PresetRow(
        key, preset.name, preset.about, "" if body is None else f"{preset.name}: command line only"
    )


def load_preset(obj: ArmatureObject, group: str, key: str) -> Preset:
    """Apply a preset of a group; a broken file changes nothing."""
    preset = _read(group, key)
    apply_preset(obj, preset, key)
    return preset


def apply_preset(obj: ArmatureObject, preset: Preset, key: str) -> None:
    """Apply a preset; key: its key in the menu, or empty."""
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
    """Save the group's settings as a new file of the user; return its key."""
    files = preset_files(group)
    key, settings = files.new_key(name), _settings(obj, group)
    write_text_atomically(files.file(key), to_json(preset_text(group, name.strip(), settings)) + "\n")
    setattr(obj.heft.dials, group, key)
    return key


def remove_preset(obj: ArmatureObject, group: str) -> str:
    """Delete the loaded preset of the user and return its name; the settings stay."""
    name = preset_files(group).remove(loaded_preset(obj, group))
    setattr(obj.heft.dials, group, "")
    return name


def loaded_preset(obj: ArmatureObject, group: str) -> str:
    """Return the key of the preset that was loaded last, or an empty string."""
    return str(getattr(obj.heft.dials, group))


def dial_settings(obj: ArmatureObject) -> dict[str, Any]:
    """Return all settings of the panel that presets can set."""
    names = [name for own in SETTINGS.values() for name in own if name != "character"]
    return {name: _value(obj, name) for name in names}


def _settings(obj: ArmatureObject, group: str) -> BakeSettings:
    return BakeSettings(**{n: v for n, v in dial_settings(obj).items() if n in SETTINGS[group]})


def _value(obj: ArmatureObject, name: str) -> float | None:
    """Return a setting; 0 means None where a value is measured or comes from a dial."""
    found = getattr(_owner(obj, name), name)
    if found == 0.0 and name in ("height", "mass"):
        found = getattr(obj.data.heft, name)  # of the linked armature, if it has one
    value = round(float(found), DIGITS)
    return None if value == 0.0 and getattr(BakeSettings, name) is None else value


def _owner(obj: ArmatureObject, name: str) -> Any:
    if name in ("height", "mass"):
        return character_of(obj)
    return obj.heft if name == "correction" else obj.heft.dials


def _read(group: str, key: str) -> Preset:
    from ...sim_core.scenario.read_presets import find_preset, read_checked

    if key.startswith(USER_PREFIX):
        return read_checked(group, preset_files(group).file(key))
    return read_checked(group, find_preset(group, key))


CLASSES = (HeftDials,)
