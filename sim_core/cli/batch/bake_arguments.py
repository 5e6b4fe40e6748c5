"""The options of a batch item as command-line arguments of `heft bake`."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from ...base.errors import InputError
from ..option_parser import OptionParser
from .batch_list import MOTION


class _Parser(OptionParser):
    """A parser that raises InputError instead of ending the process."""

    def error(self, message: str) -> NoReturn:
        """Raise what is wrong."""
        raise InputError(f"The item's options were not understood: {message}.")


_NAME = re.compile(r"[a-z][a-z0-9-]*")
NAMED_BY_THE_BATCH = ("out", "with-out")
"""Options that name files to write, which a list of a stranger may not choose."""


def bake_options(options: Mapping[str, Any], out: Path) -> argparse.Namespace:
    """Return the parsed options of `heft bake` for an item; all that it writes is in the batch's folder.

    out: the item's result, in the folder `results` of the batch
    """
    from .. import bake_command  # here, because the commands import this package

    parser = _Parser(prog="heft bake", add_help=False, allow_abbrev=False)
    bake_command.add_arguments(parser)
    parsed = parser.parse_args(bake_words(options, out))
    if parsed.gain_folder is not None:
        parsed.gain_folder = str(_inside(out.parent.parent, parsed.gain_folder))
    return parsed


def _inside(folder: Path, name: str) -> Path:
    """Return a place in a folder by its relative name; one that leads out of it raises an InputError."""
    place = (folder / name).resolve()
    if not place.is_relative_to(folder.resolve()):
        raise InputError(
            f"The item's gain-folder '{name}' is not in the batch's own folder; give a name relative to it."
        )
    return place


def bake_words(options: Mapping[str, Any], out: Path) -> list[str]:
    """Return command-line arguments: true is a flag, a list of numbers one option, other lists several."""
    motion = options.get(MOTION)
    if not isinstance(motion, str) or not motion:
        raise InputError('The item has no "motion"; name a file.')
    words = [f"--out={out}"]
    for name, value in options.items():
        if name != MOTION:
            words += _words(_option(name), value)
    return [*words, "--", motion]


def _option(name: str) -> str:
    """Return the option of a name; it must be a plain name, because `out=x` would become an option too."""
    plain = name.replace("_", "-")
    if not _NAME.fullmatch(plain):
        raise InputError(f"The item has the entry {name[:60]!r}, which is no option of `heft bake`.")
    if plain in NAMED_BY_THE_BATCH:
        raise InputError(f'The item has the entry "{name}"; a batch names its results itself, leave it out.')
    return f"--{plain}"


def _words(option: str, value: object) -> list[str]:
    if value is None or value is False:
        return []
    if value is True:
        return [option]
    if isinstance(value, (str, int, float)):
        return [f"{option}={value}"]
    if not isinstance(value, list):
        raise InputError(f"The item's {option[2:]} is a JSON object; give a text, a number or a list.")
    if all(isinstance(part, (int, float)) for part in value):
        return [option, *(str(part) for part in value)]
    return [word for part in value for word in _words(option, part)]
