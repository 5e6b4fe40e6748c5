"""Keeps gains that take long to compute, for one character and one motion.

Attempts of one bake share them in memory; with a folder, later bakes read them from files. The name of a file
is a digest of everything that the gains depend on, the code included, so that outdated ones are never read.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from ..base.conventions import FloatArray
from ..base.errors import InputError
from ..base.files import read_npz, write_npz_atomically

GainArrays = dict[str, FloatArray]

MOST_FILES = 50
"""Files that a folder keeps; the oldest are deleted first. The gains of ten seconds take up to 30 MB."""
SUFFIX = ".heft-gains.npz"


class GainCache:
    """Gains by what they depend on.

    folder: None keeps them in memory only; read, made: number of sets read from it, and computed
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder
        self.read, self.made = 0, 0
        self._known: dict[str, GainArrays] = {}

    def get(self, causes: tuple[object, ...], compute: Callable[[], GainArrays]) -> GainArrays:
        """Return what `compute` returns, computed or kept; causes: all that it depends on."""
        key = digest_of(_code(), *causes)
        if key not in self._known:
            found = self._load(key)
            self.read, self.made = self.read + (found is not None), self.made + (found is None)
            self._known[key] = compute() if found is None else found
            if found is None:
                self._save(key)
        return self._known[key]

    def _load(self, key: str) -> GainArrays | None:
        """Return the gains in a file, or None if it is absent or damaged."""
        if self.folder is None:
            return None
        try:
            return read_npz(self.folder / (key + SUFFIX))
        except InputError:
            return None

    def _save(self, key: str) -> None:
        """Write gains to a file; a bake does not fail where that is impossible."""
        if self.folder is None:
            return
        with contextlib.suppress(OSError, InputError):
            self.folder.mkdir(parents=True, exist_ok=True)
            write_npz_atomically(self.folder / (key + SUFFIX), self._known[key])
            files = sorted(self.folder.glob("*" + SUFFIX), key=lambda file: file.stat().st_mtime)
            for file in files[:-MOST_FILES]:
                file.unlink()


def digest_of(*values: object) -> str:
    """Return a digest of the content of numbers, strings, arrays, dataclasses, models and None."""
    digest = hashlib.sha256()
    for value in values:
        _feed(digest, value)
    return digest.hexdigest()[:32]


def _feed(digest: Any, value: object) -> None:
    digest.update(type(value).__name__.encode() + b"\0")
    if isinstance(value, np.ndarray):
        digest.update(f"{value.dtype.str} {value.shape}\0".encode() + np.ascontiguousarray(value).tobytes())
    elif isinstance(value, mujoco.MjModel):
        content = np.zeros(mujoco.mj_sizeModel(value), dtype=np.uint8)
        mujoco.mj_saveModel(value, None, content)
        digest.update(content.tobytes())
    elif is_dataclass(value):
        for field in fields(value):
            _feed(digest, getattr(value, field.name))
    elif isinstance(value, str | int | float):
        digest.update(repr(value).encode() + b"\0")
    elif value is not None:  # whose type says all
        raise TypeError(f"a {type(value).__name__} has no digest")


@cache
def _code() -> str:
    """Return a digest of the sources of this package and of the libraries they compute with."""
    package = Path(__file__).parent
    sources = sorted((*package.rglob("*.py"), *package.with_name("dynamics").rglob("*.py")))
    return digest_of(mujoco.__version__, np.__version__, *(source.read_text("utf-8") for source in sources))
