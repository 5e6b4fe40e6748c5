"""Unpacks npz files from anywhere: every size is read from the headers before any memory is asked for.

Nothing is unpickled. An array that comes out has numbers, flags or texts that Python can hold.
"""

from __future__ import annotations

import os
import zipfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from math import prod
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from .errors import InputError

HARMLESS_BYTES = 256 * 2**20
"""A file may unpack to this much, however small it is."""
MOST_TIMES_LARGER = 4
"""Beyond that a file may unpack to this many times its own size: Heft's own files are not compressed."""
KINDS = "biufU"
"""Kinds of values: flags, whole numbers, numbers, texts."""
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_LAST_CHARACTER, _SURROGATES = 0x10FFFF, (0xD800, 0xDFFF)


def unpack_npz(file: IO[bytes], name: str, wanted: Collection[str] | None = None) -> dict[str, NDArray[Any]]:
    """Return the arrays of an open npz file; `name` is the file's name in messages.

    wanted: names of the arrays that are unpacked, as far as the file has them; None takes all
    """
    size = file.seek(0, os.SEEK_END)
    with _readable(name), zipfile.ZipFile(file) as packed:
        members = _wanted(packed.infolist(), wanted)
        _refuse_large(members, size, name)
        arrays = {}
        for member, array in _named(members):
            with packed.open(member) as content:
                arrays[array] = _array(content, array)
        return arrays


def unpack_npy(file: IO[bytes], name: str) -> NDArray[Any]:
    """Return the array of an open npy file; `name` is the file's name in messages."""
    with _readable(name):
        return _array(file, Path(name).stem)


@contextmanager
def _readable(name: str) -> Iterator[None]:
    """Turn what a damaged file raises in this context into one sentence."""
    try:
        yield
    except InputError:
        raise
    except Exception as problem:  # damaged zips and headers raise errors of many kinds
        raise InputError(
            f"'{name}' is not a readable file of arrays; it is damaged, cut off or of another kind "
            f"({_cause(problem)}). Make it again."
        ) from problem


def _wanted(members: list[zipfile.ZipInfo], wanted: Collection[str] | None) -> list[zipfile.ZipInfo]:
    if wanted is None:
        return members
    return [member for member in members if member.filename.removesuffix(".npy") in wanted]


def _cause(problem: Exception) -> str:
    """Return what a library says, as a part of one line."""
    text = " ".join(str(problem).split()).rstrip(".")
    return text[:120] if text else type(problem).__name__


def _refuse_large(members: list[zipfile.ZipInfo], size: int, name: str) -> None:
    names = [member.filename for member in members]
    if len(set(names)) != len(names):
        raise ValueError("two of its arrays have the same name")
    if any(member.compress_type not in _METHODS for member in members):
        raise ValueError("its compression is of an unusual kind")
    unpacked = sum(member.file_size for member in members)
    if unpacked > max(HARMLESS_BYTES, MOST_TIMES_LARGER * size):
        raise InputError(
            f"'{name}' has {size / 1e6:.1f} MB but would unpack to {unpacked / 1e6:.0f} MB, which no file of "
            "a motion does; it is not read. Make it again."
        )


def _named(members: list[zipfile.ZipInfo]) -> Iterator[tuple[zipfile.ZipInfo, str]]:
    for member in members:
        if not member.filename.endswith(".npy"):
            raise ValueError(f"its part '{member.filename[:60]}' is no array")
        yield member, member.filename.removesuffix(".npy")


def _array(content: IO[bytes], name: str) -> NDArray[Any]:
    """Return one array, whose header must ask for exactly the bytes that are there."""
    version = npy.read_magic(content)  # type: ignore[no-untyped-call]
    readers: dict[tuple[int, int], Any]
    readers = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
    if version not in readers:
        raise ValueError(f"array '{name[:60]}' has the unknown version {version}")
    shape, by_columns, dtype = readers[version](content)
    if dtype.kind not in KINDS or dtype.itemsize == 0 and dtype.kind != "U":
        raise ValueError(f"array '{name[:60]}' holds values of the kind {dtype}")
    values = content.read()
    needed = prod(shape) * dtype.itemsize
    if any(length < 0 for length in shape) or needed != len(values):
        raise ValueError(f"array '{name[:60]}' has {len(values)} bytes, but its header asks for {needed}")
    if dtype.itemsize == 0:  # texts that are all empty
        return np.zeros(_few(shape), dtype="U1")
    array = np.frombuffer(values, dtype).reshape(shape, order="F" if by_columns else "C")
    return _sound(array.astype(dtype.newbyteorder("="), order="C"), name)


def _few(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape of empty texts, which have no bytes that could be counted."""
    if prod(shape) * np.dtype("U1").itemsize > HARMLESS_BYTES:
        raise ValueError(f"an array of empty texts has the shape {shape}")
    return shape


def _sound(array: NDArray[Any], name: str) -> NDArray[Any]:
    """Return the array with flags that are 0 or 1; texts that Python cannot hold raise a ValueError."""
    if array.dtype.kind == "b":
        return array.view(np.uint8) != 0  # other bytes make numpy count and index wrongly
    if array.dtype.kind == "U":
        letters = array.reshape(-1).view(np.uint32)
        low, high = _SURROGATES
        if np.any((letters > _LAST_CHARACTER) | ((letters >= low) & (letters <= high))):
            raise ValueError(f"array '{name[:60]}' holds characters that do not exist")
        rows = letters.reshape(array.size, array.dtype.itemsize // letters.itemsize)
        if rows.shape[1] > 1 and np.any((rows[:, :-1] == 0) & (rows[:, 1:] != 0)):
            raise ValueError(f"array '{name[:60]}' holds a text with a NUL character")
    return array
