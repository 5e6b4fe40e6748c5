"""Aims as JSON: in a file of their own, and inside a job (docs/aiming.md)."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import InputError
from ..files import AnyPath
from ..json_text import made, object_in_file, objects_in
from ..schema import FORMAT_KEY, SCHEMA_KEY
from .aim import Aim

FORMAT = "heft-aims"
SCHEMA = 1


def load_aims(path: AnyPath) -> tuple[Aim, ...]:
    """The aims in a file; whatever is wrong with it is told as an InputError."""
    return aims_from_dict(object_in_file(path, "aims"), f"'{path}'")


def aims_to_dict(aims: Sequence[Aim]) -> dict[str, Any]:
    return {FORMAT_KEY: FORMAT, SCHEMA_KEY: SCHEMA, "aims": [dataclasses.asdict(aim) for aim in aims]}


def aims_from_dict(data: Mapping[str, Any], where: str) -> tuple[Aim, ...]:
    """`where` names the source of the data in error messages."""
    if data.get(FORMAT_KEY) != FORMAT or data.get(SCHEMA_KEY) != SCHEMA:
        raise InputError(
            f"{where} has format '{data.get(FORMAT_KEY)}', schema {data.get(SCHEMA_KEY)}, "
            f"but '{FORMAT}', {SCHEMA} is needed."
        )
    listed = objects_in("aims", data.get("aims"), where)
    return tuple(made(Aim, values, f"Aim {number} of {where}") for number, values in enumerate(listed, 1))
