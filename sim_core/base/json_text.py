"""JSON as other programs read it: no NaN, no numpy types."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .errors import InputError
from .files import AnyPath


def to_json(value: object) -> str:
    """One line of strict JSON; numbers that are not finite become null."""
    return json.dumps(_plain(value), allow_nan=False)


def object_from_json(text: str, what: str) -> dict[str, Any]:
    """The JSON object in a text; `what` names the text in the error message."""
    try:
        value = json.loads(text)
    except ValueError as problem:
        raise InputError(f"{what} is not valid JSON ({problem}); make the file again.") from problem
    if not isinstance(value, dict):
        raise InputError(
            f"{what} must be a JSON object, but is a {type(value).__name__}; make the file again."
        )
    return value


def object_in_file(path: AnyPath, kind: str) -> dict[str, Any]:
    """The JSON object in a text file; `kind` says what sort of file it should be."""
    if not Path(path).is_file():
        raise InputError(f"The {kind} file '{path}' does not exist; check its name.")
    try:
        text = Path(path).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise InputError(f"The {kind} file '{path}' cannot be read ({problem}).") from problem
    return object_from_json(text, f"The {kind} file '{path}'")


def objects_in(name: str, values: object, where: str) -> list[dict[str, Any]]:
    """A list of JSON objects, which is the entry `name` of what `where` names."""
    if not isinstance(values, list) or not all(isinstance(v, dict) for v in values):
        raise InputError(f"The '{name}' of {where} must be a list of JSON objects.")
    return values


def made(kind: type, values: object, what: str) -> Any:
    """An instance of a dataclass from a JSON object with its fields' names."""
    known = {f.name: f for f in dataclasses.fields(kind)}
    if not isinstance(values, dict):
        raise InputError(f"{what} must be a JSON object.")
    extra = next((name for name in values if name not in known), None)
    if extra is not None:
        raise InputError(f"{what} has the entry '{extra}', which is unknown; there are {', '.join(known)}.")
    missing = next((n for n, f in known.items() if _required(f) and n not in values), None)
    if missing is not None:
        raise InputError(f"{what} lacks the entry '{missing}'.")
    try:
        return kind(**values)
    except (TypeError, ValueError) as problem:
        raise InputError(f"{what} has an entry that is not a number where one is needed.") from problem


def _required(field: dataclasses.Field[Any]) -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def _plain(value: object) -> object:
    if isinstance(value, (np.generic, np.ndarray)):
        value = value.tolist()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value
