"""The options of a batch item as command-line arguments of `heft bake`."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from ...base.errors import InputError
from .batch_list import MOTION


class _Parser(argparse.ArgumentParser):
    """A parser that raises InputError instead of ending the process."""

    def error(self, message: str) -> NoReturn:
        """Raise what is wrong."""
        raise InputError(f"The item's options were not understood: {message}.")


def bake_options(options: Mapping[str, Any], out: Path) -> argparse.Namespace:
    """Return the parsed options of `heft bake` for an item."""
    from .. import bake_command  # here, because the commands import this package

    parser = _Parser(prog="heft bake", add_help=False, allow_abbrev=False)
    bake_command.add_arguments(parser)
    return parser.parse_args(bake_words(options, out))


def bake_words(options: Mapping[str, Any], out: Path) -> list[str]:
    """Return command-line arguments: true is a flag, a list of numbers one option, other lists several."""
    motion = options.get(MOTION)
    if not isinstance(motion, str) or not motion:
        raise InputError('The item has no "motion"; name a file.')
    words = [f"--out={out}"]
    for name, value in options.items():
        if name != MOTION:
            words += _words(name, value)
    return [*words, "--", motion]


def _words(name: str, value: object) -> list[str]:
    if name == "out":
        raise InputError('The item has an "out"; a batch names its results itself, leave it out.')
    option = f"--{name.replace('_', '-')}"
    if value is None or value is False:
        return []
    if value is True:
        return [option]
    if not isinstance(value, list):
        return [f"{option}={value}"]
    if all(isinstance(part, (int, float)) for part in value):
        return [option, *(str(part) for part in value)]
    return [word for part in value for word in _words(name, part)]
