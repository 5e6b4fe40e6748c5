"""An examination on its way between Blender and its child process, as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from ..files import AnyPath, write_text_atomically
from ..json_text import made, object_in_file, to_json
from .check import Check
from .examine import Examination, Surroundings


def save_surroundings(around: Surroundings, path: AnyPath) -> None:
    write_text_atomically(path, to_json(asdict(around)))


def load_surroundings(path: AnyPath) -> Surroundings:
    around: Surroundings = made(Surroundings, object_in_file(path, "check"), f"'{path}'")
    return around


def save_examination(examination: Examination, path: AnyPath) -> None:
    write_text_atomically(path, to_json(examination.as_dict()))


def load_examination(path: AnyPath) -> Examination:
    data: dict[str, Any] = object_in_file(path, "check")
    checks = tuple(made(Check, entry, f"A check in '{path}'") for entry in data["checks"])
    return Examination(data["versions"], data["origins"], checks)
