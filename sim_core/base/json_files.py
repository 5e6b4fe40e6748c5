"""JSON text and files, and the JSON presets that ship with the project.

What is written is strict JSON that other programs can read: it holds no NaN and no numpy types.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .bounded_json import MOST_CHARACTERS, parse_json
from .errors import InputError
from .files import AnyPath, read_bytes
from .json_codec import refuse_wrong_types

PRESETS_FOLDER = Path(__file__).resolve().parents[2] / "presets"


def to_json(value: object) -> str:
    """Return a value as one line of strict JSON; numbers that are not finite become null."""
    return json.dumps(_plain(value), allow_nan=False)


def _plain(value: object) -> object:
    """Return the value without numpy types and without numbers that are not finite."""
    if isinstance(value, (np.generic, np.ndarray)):
        value = value.tolist()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value


def parse_json_object(text: str, what: str) -> dict[str, Any]:
    """Return the JSON object in a text; `what` names the text in the error message."""
    value = parse_json(text, what)
    if not isinstance(value, dict):
        raise InputError(
            f"{what} must be a JSON object, but is a {type(value).__name__}; make the file again."
        )
    return value


def read_json_file(path: AnyPath, kind: str) -> dict[str, Any]:
    """Return the JSON object in a file; `kind` names the kind of file in the error message."""
    what = f"The {kind} file '{path}'"
    try:
        text = read_bytes(path, MOST_CHARACTERS).decode("utf-8")
    except UnicodeDecodeError as problem:
        raise InputError(
            f"{what} is not a text in UTF-8 (byte {problem.start}); save it as UTF-8."
        ) from problem
    return parse_json_object(text, what)


def check_json_objects(name: str, values: object, where: str) -> list[dict[str, Any]]:
    """Return the values if they are a list of JSON objects; `name` and `where` say where they were found."""
    if not isinstance(values, list) or not all(isinstance(v, dict) for v in values):
        raise InputError(f"The '{name}' of {where} must be a list of JSON objects.")
    return values


def dataclass_from_json(kind: type, values: object, what: str) -> Any:
    """Return an instance of a dataclass from a JSON object whose keys are the names of its fields."""
    known = {f.name: f for f in dataclasses.fields(kind)}
    if not isinstance(values, dict):
        raise InputError(f"{what} must be a JSON object.")
    extra = next((name for name in values if name not in known), None)
    if extra is not None:
        raise InputError(f"{what} has the entry '{extra}', which is unknown; there are {', '.join(known)}.")
    missing = next((n for n, f in known.items() if _required(f) and n not in values), None)
    if missing is not None:
        raise InputError(f"{what} lacks the entry '{missing}'; add it.")
    refuse_wrong_types(kind, values, what)
    try:
        return kind(**values)
    except (TypeError, ValueError) as problem:
        raise InputError(f"{what} has an entry that is not a number ({problem}); give a number.") from problem


def _required(field: dataclasses.Field[Any]) -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def preset_names(group: str) -> tuple[str, ...]:
    """Return the names of the shipped presets of a group, such as "rigs", sorted."""
    return tuple(sorted(path.stem for path in (PRESETS_FOLDER / group).glob("*.json")))


def read_preset(group: str, name: str) -> Mapping[str, Any]:
    """Return the JSON object of a shipped preset."""
    path = PRESETS_FOLDER / group / f"{name}.json"
    known_names = preset_names(group)
    if name not in known_names:  # by name, because `../x` would be a file as well
        known = ", ".join(known_names) or "none"
        raise InputError(f"There is no preset '{name}' in '{group}'; available are: {known}.")
    return read_json_file(path, "preset")
