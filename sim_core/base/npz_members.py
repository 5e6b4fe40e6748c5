"""Chosen arrays of an npz file of another program, without the rest of the file.

Such files also hold pickled objects and texts that nobody here needs, so only what is asked for is unpacked.
The size of an array is read from its header before any memory is asked for, and nothing is unpickled.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Collection
from math import prod
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy

from .errors import InputError
from .files import AnyArray

MOST_BYTES = 512 * 2**20
"""Size of the largest array that is unpacked: 20 minutes of 55 joints at 120 frames a second have 190 MB."""
SUFFIX = ".npy"
# numpy has no types for these.
_NPY: Any = npy
VERSION = (1, 0)
"""Of the arrays; later ones may have headers of any length, which no array of numbers needs."""
_DAMAGE = (zipfile.BadZipFile, zlib.error, ValueError, EOFError, NotImplementedError, RuntimeError)


def member_names(path: Path) -> frozenset[str]:
    """Return the names of the arrays of an npz file; none if it is not one."""
    try:
        with zipfile.ZipFile(path) as packed:
            return frozenset(name.removesuffix(SUFFIX) for name in packed.namelist())
    except (OSError, *_DAMAGE):
        return frozenset()


def read_members(path: Path, names: Collection[str]) -> dict[str, AnyArray]:
    """Return the arrays of these names that the file has, as numbers."""
    try:
        with zipfile.ZipFile(path) as packed:
            listed = {member.filename.removesuffix(SUFFIX): member for member in packed.infolist()}
            return {name: _array(packed, listed[name], name, path) for name in names if name in listed}
    except OSError as problem:
        raise InputError(f"'{path.name}' cannot be read: {problem.strerror or problem}.") from problem
    except _DAMAGE as problem:
        raise InputError(
            f"'{path.name}' is damaged or cut off ({str(problem)[:80] or type(problem).__name__}); "
            "download or export it again."
        ) from problem


def _array(packed: zipfile.ZipFile, member: zipfile.ZipInfo, name: str, path: Path) -> AnyArray:
    with packed.open(member) as content:
        shape, by_columns, dtype = _header(content, name, path)
        needed = prod(shape) * dtype.itemsize
        if needed > MOST_BYTES:
            raise InputError(
                f"The array '{name}' of '{path.name}' has the shape {shape} and would take "
                f"{needed / 1e6:.0f} MB; at most {MOST_BYTES / 1e6:.0f} MB are read. Cut the motion."
            )
        data = content.read(needed + 1)
    if len(data) != needed:
        raise InputError(
            f"The array '{name}' of '{path.name}' has other than the {needed} bytes that its header "
            "asks for; download or export it again."
        )
    return np.frombuffer(data, dtype).reshape(shape, order="F" if by_columns else "C").astype(np.float64)


def _header(content: IO[bytes], name: str, path: Path) -> tuple[tuple[int, ...], bool, np.dtype]:
    version = _NPY.read_magic(content)
    if version != VERSION:
        raise ValueError(f"array '{name}' has the unknown version {version}")
    shape, by_columns, dtype = _NPY.read_array_header_1_0(content)
    if dtype.kind not in "iuf":
        found = "pickled objects" if dtype.hasobject else f"the type {dtype}"
        raise InputError(
            f"The array '{name}' of '{path.name}' holds {found}, but numbers are needed; "
            "save it as plain numbers."
        )
    if any(length < 0 for length in shape):
        raise ValueError(f"array '{name}' has the shape {shape}")
    return shape, by_columns, dtype
