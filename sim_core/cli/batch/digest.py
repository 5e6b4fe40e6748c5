"""Digests of everything a result depends on: with the same digest it need not be made again."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import mujoco

from ... import VERSION
from ...base.errors import InputError
from ...base.files import read_bytes
from ...base.json_files import read_json_file, to_json
from .batch_list import BatchItem

FILE_OPTIONS = ("motion", "then", "with", "scene", "aim", "preset")
NAME_OR_FILE = ("aim", "preset")
"""Options that name a bone or a preset, or else a JSON file."""
MISSING = "missing"


class Digests:
    """Computes digests; the contents of files are read once, however many items use them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[Path, str] = {}

    def of(self, item: BatchItem) -> str:
        """Return the digest of the options, of the contents of all files they name, and of the versions."""
        parts = {
            "versions": [VERSION, mujoco.__version__],
            "options": dict(sorted(item.options.items())),
            "files": {name: self._content(self._folder / name) for name in _files(item.options)},
        }
        return hashlib.sha256(to_json(parts).encode()).hexdigest()

    def _content(self, path: Path) -> str:
        if path not in self._known:
            self._known[path] = MISSING  # a file may name itself, or one that names it in turn
            self._known[path] = self._read(path)
        return self._known[path]

    def _read(self, path: Path) -> str:
        try:
            digest = hashlib.sha256(read_bytes(path))
        except InputError:
            return MISSING  # the bake says so, and why
        if path.suffix.lower() == ".json":
            for name in sorted(_named_inside(path)):
                digest.update(self._content(path.parent / name).encode())
        return digest.hexdigest()


def _files(options: Mapping[str, Any]) -> Iterator[str]:
    for option in FILE_OPTIONS:
        value = options.get(option)
        for name in value if isinstance(value, list) else [value]:
            if isinstance(name, str) and (option not in NAME_OR_FILE or name.lower().endswith(".json")):
                yield name


def _named_inside(path: Path) -> set[str]:
    """Return the files that a play, a scene or a list of aims names in turn."""
    try:
        return set(_entries(read_json_file(path, "JSON")))
    except InputError:
        return set()


def _entries(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for name, inside in value.items():
            if name == "file" and isinstance(inside, str):
                yield inside
            yield from _entries(inside)
    elif isinstance(value, list):
        for inside in value:
            yield from _entries(inside)
