"""An item's options as the words of `heft bake`."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from ...base.errors import InputError
from .items import MOTION


class _Parser(argparse.ArgumentParser):
    """Raises what is wrong instead of ending the process."""

    def error(self, message: str) -> NoReturn:
        raise InputError(f"The item's options were not understood: {message}.")


def bake_options(options: Mapping[str, Any], out: Path) -> argparse.Namespace:
    """What `heft bake` would be given."""
    from .. import bake  # here, because the commands import this package

    parser = _Parser(prog="heft bake", add_help=False, allow_abbrev=False)
    bake.add_arguments(parser)
    return parser.parse_args(bake_words(options, out))


def bake_words(options: Mapping[str, Any], out: Path) -> list[str]:
    """true is a flag and false none; numbers in a list follow one option; texts and lists repeat it."""
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
