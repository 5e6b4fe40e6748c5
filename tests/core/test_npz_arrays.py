"""npz files from anywhere: sizes are read before memory is asked for, and nothing odd comes out."""

from __future__ import annotations

import io
import os
import struct
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest
from numpy.lib import format as npy

from sim_core.base.errors import InputError
from sim_core.base.files import read_bytes, read_npz


def packed(path: Path, *members: tuple[str, bytes], method: int = zipfile.ZIP_STORED) -> Path:
    with zipfile.ZipFile(path, "w", method) as file:
        for name, data in members:
            file.writestr(name, data)
    return path


def header(dtype: str, shape: tuple[int, ...], version: tuple[int, int] = (1, 0)) -> bytes:
    text = io.BytesIO()
    described = {"descr": dtype, "fortran_order": False, "shape": shape}
    npy.write_array_header_1_0(text, described)  # type: ignore[no-untyped-call]
    return text.getvalue()[:6] + bytes(version) + text.getvalue()[8:]


def bomb(path: Path, size: int) -> Path:
    """Write a file of zeros that is a thousand times larger when it is unpacked."""
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file,
        file.open("a.npy", "w", force_zip64=True) as member,
    ):
        member.write(header("<f8", (size // 8,)))
        for _ in range(size // 2**20):
            member.write(bytes(2**20))
    return path


def test_a_bomb_is_refused_without_its_memory(tmp_path: Path) -> None:
    path = bomb(tmp_path / "a.npz", 300 * 2**20)
    assert path.stat().st_size < 2**20
    tracemalloc.start()
    with pytest.raises(InputError, match="would unpack to 315 MB"):
        read_npz(path)
    assert tracemalloc.get_traced_memory()[1] < 10 * 2**20
    tracemalloc.stop()


def test_packed_and_foreign_byte_order_come_back(tmp_path: Path) -> None:
    arrays = {
        "big": np.arange(4, dtype=">f8"),
        "columns": np.asfortranarray(np.eye(3)),
        "no": np.array(["", ""]),
    }
    np.savez_compressed(tmp_path / "a.npz", **arrays)  # type: ignore[arg-type]  # its stub wants a flag there
    back = read_npz(tmp_path / "a.npz")
    assert all(np.array_equal(back[name], array) for name, array in arrays.items())
    assert back["big"].dtype.isnative and back["columns"].flags.c_contiguous


@pytest.mark.parametrize(
    ("dtype", "shape", "data"),
    [
        ("<f8", (10**12,), b""),
        ("<f8", (-1,), b""),
        ("<f8", (-1, -1), bytes(8)),
        ("<f8", (2,), bytes(8)),
        ("<f8", (1,), bytes(16)),
        ("<U0", (10**12,), b""),
        ("|V0", (10**12,), b""),
        ("|S4", (1,), bytes(4)),
        ("<U1", (1,), struct.pack("<I", 0x110000)),
        ("<U1", (1,), struct.pack("<I", 0xD800)),
        ("<U2", (1,), struct.pack("<2I", 0, 65)),
        ("[('a', '<f8')]", (1,), bytes(8)),
    ],
)
def test_headers_that_lie_are_refused(
    tmp_path: Path, dtype: str, shape: tuple[int, ...], data: bytes
) -> None:
    path = packed(tmp_path / "a.npz", ("a.npy", header(dtype, shape) + data))
    with pytest.raises(InputError, match="a.npz' is not a readable file of arrays"):
        read_npz(path)


def test_flags_are_zero_or_one(tmp_path: Path) -> None:
    path = packed(tmp_path / "a.npz", ("a.npy", header("|b1", (3,)) + bytes([0, 255, 7])))
    flags = read_npz(path)["a"]
    assert flags.tolist() == [False, True, True] and flags.sum() == 2


def test_odd_members_are_refused(tmp_path: Path) -> None:
    good = header("<f8", (1,)) + bytes(8)
    for members, method in (
        ((("a.npy", good), ("notes.txt", b"x")), zipfile.ZIP_STORED),
        ((("a.npy", good),), zipfile.ZIP_BZIP2),
        ((("a.npy", b"PK"),), zipfile.ZIP_STORED),
        ((("a.npy", header("<f8", (1,), version=(9, 0)) + bytes(8)),), zipfile.ZIP_STORED),
    ):
        with pytest.raises(InputError, match="not a readable"):
            read_npz(packed(tmp_path / "a.npz", *members, method=method))
    with pytest.warns(UserWarning, match="Duplicate name"):
        packed(tmp_path / "a.npz", ("a.npy", good), ("a.npy", good))
    with pytest.raises(InputError, match="the same name"):
        read_npz(tmp_path / "a.npz")


@pytest.mark.skipif(os.name == "nt", reason="no pipes in folders on Windows")
def test_what_never_ends_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(InputError, match="not an ordinary file"):
            read_npz(path)
        with pytest.raises(InputError, match="not an ordinary file"):
            read_bytes(path)


def test_a_file_larger_than_the_bound_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(bytes(101))
    assert len(read_bytes(tmp_path / "a", 101)) == 101
    with pytest.raises(InputError, match="larger than"):
        read_bytes(tmp_path / "a", 100)
    with pytest.raises(InputError, match="does not exist"):
        read_bytes("a\0b")
