"""Check of a C3D file's layout before a library reads it.

Libraries crash or take minutes where it is broken. The parameter section is a chain of records, each with a
name, the distance to the next record, and for a parameter its type, its dimensions and its values.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from pathlib import Path

from ..base.errors import InputError
from ..base.files import read_bytes

PARAMETER_KEY = 0x50
"""Second byte of every C3D file."""
BLOCK = 512
INTEL, DEC, MIPS = 84, 85, 86
"""Processor types in the fourth byte of the parameter section."""
SIGN_BYTE = {INTEL: 15, DEC: 13, MIPS: 12}
"""Byte of the header that holds the sign of the points' scale, by processor."""
NUMBERS = {
    "POINT": ("USED", "FRAMES", "DATA_START", "SCALE", "RATE"),
    "ANALOG": ("USED", "RATE", "GEN_SCALE", "SCALE", "OFFSET"),
    "FORCE_PLATFORM": ("USED", "TYPE", "ZERO", "CORNERS", "ORIGIN", "CHANNEL"),
}
"""Parameters of groups that are numbers in every file; ezc3d crashes where they are text."""
TEXT, LABELS = -1, "LABELS"
ELEMENT_BYTES = {TEXT: 1, 1: 1, 2: 2, 4: 4}
"""Size of one value by type."""
MOST_DIMENSIONS = 7


def c3d_bytes(path: Path) -> bytes:
    """Return the contents of a file that looks like C3D, or raise InputError."""
    data = read_bytes(path)
    if not data:
        raise InputError(f"'{path.name}' is empty; export the markers again.")
    if len(data) < 2 * BLOCK or data[1] != PARAMETER_KEY:
        raise InputError(f"'{path.name}' is not a C3D file, or it is cut off in its header; export it again.")
    return data


def processor(data: bytes) -> int:
    """Return the type of processor that wrote the file; 0 if the file ends before it."""
    start = _parameter_start(data)
    return data[start + 3] if len(data) > start + 3 else 0


def declared_frames(data: bytes) -> int:
    """Return the number of frames that the header declares."""
    first, last = struct.unpack(f"{_order(data)}2H", data[6:10])
    return int(last) - int(first) + 1


def refuse_broken_layout(data: bytes, path: Path) -> None:
    """Raise InputError if frames or parameters would lie beyond the end of the file."""
    order = _order(data)
    count = struct.unpack(f"{order}H", data[2:4])[0]
    start = BLOCK * (struct.unpack(f"{order}H", data[16:18])[0] - 1)
    # Points are single-precision numbers if the scale at byte 12 is negative, else integers.
    negative = data[SIGN_BYTE.get(processor(data), SIGN_BYTE[INTEL])] & 0x80
    value_bytes = 4 if negative else 2
    needed = max(start, 0) + declared_frames(data) * count * 4 * value_bytes
    if start < BLOCK or needed > len(data):
        raise InputError(
            f"The header of '{path.name}' says it has {declared_frames(data)} frames of {count} points, "
            f"which do not fit into its {len(data)} bytes; it is cut off or its header is damaged, "
            "export it again."
        )
    _refuse_broken_parameters(data, path)


@dataclass(frozen=True)
class _Record:
    """One record of the parameter section: a group if `group` is negative, else a parameter of that group.

    at: its first byte; body: the first byte after its link to the next one, which begins at `following`
    """

    name: str
    group: int
    at: int
    body: int
    following: int


def _refuse_broken_parameters(data: bytes, path: Path) -> None:
    """Raise InputError at the first parameter that reaches too far or has no values of its kind."""
    records = list(_records(data))
    names = {-record.group: record.name for record in records if record.group < 0}
    for record in records:
        number = record.name in NUMBERS.get(names.get(record.group, ""), ())
        if not _is_sound(data, record, number):
            raise InputError(
                f"The parameters of '{path.name}' are damaged at byte {record.at}: {record.name[:20]!a} "
                "reaches beyond the next parameter or the end of the file, or holds values of another kind; "
                "export it again."
            )


def _records(data: bytes) -> Iterator[_Record]:
    """Yield the chain of records. It only goes forward, so that it ends in bounded time."""
    order, at = _order(data), _parameter_start(data) + 4
    while at + 2 <= len(data):
        letters, group = struct.unpack("bb", data[at : at + 2])
        body = at + 4 + abs(letters)
        if letters == 0 or group == 0 or body > len(data):
            return
        distance = struct.unpack(f"{order}h", data[body - 2 : body])[0]
        following = len(data) if distance == 0 else body - 2 + distance
        name = data[at + 2 : body - 2].decode("ascii", errors="replace").upper()
        yield _Record(name, group, at, body, following)
        if distance <= 0:
            return
        at = following


def _is_sound(data: bytes, record: _Record, number: bool) -> bool:
    """Return whether a record's values and its description end before the next record."""
    at = record.body
    if record.group < 0:
        return at < record.following <= len(data) and at + data[at] < record.following
    if not at + 2 <= record.following <= len(data):
        return False
    kind, dimensions = struct.unpack("bB", data[at : at + 2])
    if kind not in ELEMENT_BYTES or dimensions > MOST_DIMENSIONS or (number and kind == TEXT):
        return False
    if record.name == LABELS and (kind != TEXT or dimensions == 0):
        return False
    sizes = data[at + 2 : at + 2 + dimensions]
    end = at + 2 + dimensions + ELEMENT_BYTES[kind] * prod(sizes)
    return end <= record.following and (end >= len(data) or end + data[end] <= record.following)


def _parameter_start(data: bytes) -> int:
    return BLOCK * (max(data[0], 1) - 1)


def _order(data: bytes) -> str:
    return ">" if processor(data) == MIPS else "<"
