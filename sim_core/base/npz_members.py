"""Chosen arrays of an npz file of another program, without the rest of the file.

Such files also hold pickled objects and texts that nobody here needs, so only what is asked for is unpacked.
"""

from __future__ import annotations

import zipfile
from collections.abc import Collection
from pathlib import Path

import numpy as np

from .errors import InputError
from .files import AnyArray, read_npz

SUFFIX = ".npy"


def member_names(path: Path) -> frozenset[str]:
    """Return the names of the arrays of an npz file; none if it is not one."""
    try:
        with zipfile.ZipFile(path) as packed:
            return frozenset(name.removesuffix(SUFFIX) for name in packed.namelist())
    except (OSError, zipfile.BadZipFile, NotImplementedError, ValueError):
        return frozenset()


def read_members(path: Path, names: Collection[str]) -> dict[str, AnyArray]:
    """Return the arrays of these names that the file has, as numbers."""
    arrays = read_npz(path, names)
    for name, array in arrays.items():
        if array.dtype.kind not in "iuf":
            raise InputError(
                f"The array '{name}' of '{path.name}' holds the type {array.dtype}, but numbers are needed; "
                "save it as plain numbers."
            )
    return {name: array.astype(np.float64) for name, array in arrays.items()}
