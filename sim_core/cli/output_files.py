"""Checks of the files that a command will write, before it starts its long work."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from ..base.errors import InputError
from ..base.files import refuse_unwritable

Written = tuple[str, Path | None]
"""An option and the file that is written because of it; None where nothing is."""
OPTION_FILES = ".json"
"""What a word ends in that names a file where it might also name something else, such as a preset."""


def check_outputs(options: argparse.Namespace, *names: str) -> None:
    """Refuse output files as `check_written` does; names: the options that name them."""
    read = read_files(options, names)
    check_written(read, [(_spelt(name), getattr(options, name)) for name in names])


def check_written(read: Iterable[Path], written: Sequence[Written]) -> None:
    """Raise an InputError if an output file is one that is read, is named twice, or cannot be written."""
    named: dict[str, str] = {}
    sources = [file for file in read if file.is_file()]
    for option, out in written:
        if out is None:
            continue
        source = next((file for file in sources if out.exists() and os.path.samefile(file, out)), None)
        if source is not None:
            raise InputError(f"{option} names the file '{source}' that is read; choose another name for it.")
        other = named.setdefault(os.path.normcase(out.resolve()), option)
        if other != option:
            raise InputError(f"{other} and {option} both name '{out}'; give each a file of its own.")
    for _, out in written:
        if out is not None:
            refuse_unwritable(out)


def read_files(options: argparse.Namespace, written: Iterable[str]) -> list[Path]:
    """Return all files that the options name, without those that are written because of some options."""
    left_out = set(written)
    return [file for name, value in vars(options).items() if name not in left_out for file in _files(value)]


def _files(value: object) -> Iterator[Path]:
    if isinstance(value, Path):
        yield value
    elif isinstance(value, str) and value.lower().endswith(OPTION_FILES):
        yield Path(value)
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from _files(part)


def _spelt(name: str) -> str:
    return f"--{name.replace('_', '-')}"
