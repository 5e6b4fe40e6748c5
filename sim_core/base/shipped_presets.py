"""Finds and reads the JSON presets that ship with the project."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .errors import InputError

PRESETS_FOLDER = Path(__file__).resolve().parents[2] / "presets"


def preset_names(group: str) -> tuple[str, ...]:
    """Names of the presets of a group, such as "rigs", sorted."""
    return tuple(sorted(path.stem for path in (PRESETS_FOLDER / group).glob("*.json")))


def read_preset(group: str, name: str) -> Mapping[str, Any]:
    """The JSON object of one preset."""
    path = PRESETS_FOLDER / group / f"{name}.json"
    if not path.is_file():
        known = ", ".join(preset_names(group)) or "none"
        raise InputError(f"There is no preset '{name}' in '{group}'; available are: {known}.")
    return read_json_object(path)


def read_json_object(path: Path) -> Mapping[str, Any]:
    """The JSON object in a file, or one sentence about what is wrong with it."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"'{path.name}' cannot be read: {error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        raise InputError(f"'{path.name}' is not a text file; a JSON file was expected.") from error
    except json.JSONDecodeError as error:
        raise InputError(f"'{path.name}' line {error.lineno} is not valid JSON: {error.msg}.") from error
    if not isinstance(content, dict):
        raise InputError(f"'{path.name}' must hold a JSON object, in braces.")
    return content
