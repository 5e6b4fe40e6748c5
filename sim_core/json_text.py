"""JSON as other programs read it: no NaN, no numpy types."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from .errors import InputError


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
