"""Mutations of files: of bytes, of text with numbers, of JSON values, and of the arrays of npz files."""

from __future__ import annotations

import io
import json
import re
import struct
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np

NUMBERS = (
    *("0", "-1", "1", "-0.0", "255", "256", "65535", "65536", "2147483647", "-2147483648", "4294967296"),
    *("9223372036854775807", "1e9", "-1e9", "1e38", "1e300", "1e-300", "1e999", "NaN", "inf", "-inf"),
    *("9" * 400, "0x10", "1_000", "1,5", "1e", "--1", ""),
)
"""Numbers at the ends of ranges, and what is nearly one."""
WORDS = (
    *("", " ", "\0", "../../x", "<script>", "%s", "{}", "'", '"', "é", "\ud800", "x" * 5000),
    *("{", "}", "\t\t"),
)
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2**31, 2**63, -(2**63), 10**400, 0.5, -0.0, 1e300, 1e-300, 84.0),
    *("", "x", "../../x", "\0", "\ud800", "x" * 5000, [], {}, [[]], [0], [None], {"": 0}),
    *([1, 2, 3], [1e300] * 3),
)
_NUMBER = re.compile(r"-?\d+\.?\d*(?:[eE][-+]?\d+)?")
MOST_CHANGES = 3

Mutation = Callable[[bytes, Random], bytes]


def mutated(data: bytes, suffix: str, rng: Random) -> bytes:
    """Return a file's content after one to three changes that fit its kind."""
    choices = (*_BY_SUFFIX[suffix], _bytes)
    for _ in range(rng.randint(1, MOST_CHANGES)):
        # The structure-aware changes are tried more often: most changed bytes are refused at the door.
        change = rng.choice(choices[:-1]) if len(choices) > 1 and rng.random() < 0.75 else choices[-1]
        try:
            data = change(data, rng)
        except Exception:  # libraries raise errors of many kinds for what an earlier change broke
            data = _bytes(data, rng)  # what was changed before is not of its kind any more
    return data


def _bytes(data: bytes, rng: Random) -> bytes:
    """Flip, overwrite, cut, double, insert or swap bytes."""
    if not data:
        return bytes(rng.randrange(256) for _ in range(rng.randrange(64)))
    at, length = rng.randrange(len(data)), rng.choice((1, 2, 4, 16, 256))
    block, rest = data[at : at + length], data[at + length :]
    kind = rng.randrange(6)
    if kind == 0:
        return data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1 :]
    if kind == 1:
        filler = bytes([rng.choice((0, 1, 127, 128, 255, rng.randrange(256)))])
        return data[:at] + filler * len(block) + rest
    if kind == 2:
        return data[:at]
    if kind == 3:
        return data[:at] + block * rng.choice((2, 3, 50)) + rest
    if kind == 4:
        return data[:at] + bytes(rng.randrange(256) for _ in range(length)) + data[at:]
    return data[:at] + rest


def _numbers(data: bytes, rng: Random) -> bytes:
    """Replace a number of a text, or swap two of them."""
    text = data.decode("utf-8", "replace")
    found = list(_NUMBER.finditer(text))
    one = rng.choice(found) if found else None
    if one is None:
        return _bytes(data, rng)
    other = rng.choice(found)
    new = rng.choice((rng.choice(NUMBERS), other.group(), f"{rng.uniform(-1e3, 1e3):.4f}", "84"))
    return _encoded(text[: one.start()] + new + text[one.end() :])


def _lines(data: bytes, rng: Random) -> bytes:
    """Drop, double, swap or cut a line of a text."""
    lines = data.decode("utf-8", "replace").split("\n")
    at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    kind = rng.randrange(5)
    if kind == 0:
        del lines[at]
    elif kind == 1:
        lines[at:at] = [lines[at]] * rng.choice((1, 2, 300))
    elif kind == 2:
        lines[at], lines[other] = lines[other], lines[at]
    elif kind == 3:
        lines[at] = lines[at][: rng.randrange(len(lines[at]) + 1)]
    else:
        lines = lines[:at]
    return _encoded("\n".join(lines))


def _words(data: bytes, rng: Random) -> bytes:
    """Replace a word of a text."""
    text = data.decode("utf-8", "replace")
    found = list(re.finditer(r"[^\s]+", text))
    if not found:
        return _bytes(data, rng)
    one = rng.choice(found)
    new = rng.choice((rng.choice(WORDS), rng.choice(found).group()))
    return _encoded(text[: one.start()] + new + text[one.end() :])


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _json(data: bytes, rng: Random) -> bytes:
    """Replace, drop, rename, double or nest a value of a JSON text."""
    return _encoded(json.dumps(_changed(json.loads(data), rng), ensure_ascii=rng.random() < 0.5))


def _changed(value: Any, rng: Random) -> Any:
    """Return a JSON value with one change at a random place."""
    if not isinstance(value, (dict, list)) or not value or rng.random() < 0.15:
        return _odd(value, rng)
    keys: list[Any] = list(value) if isinstance(value, dict) else list(range(len(value)))
    key = rng.choice(keys)
    changed = dict(value) if isinstance(value, dict) else list(value)
    kind = rng.random()
    if kind < 0.08:
        del changed[key]
    elif kind < 0.14 and isinstance(changed, dict):
        changed[rng.choice((*WORDS, "out", "out=/tmp/x", "file"))] = changed.pop(key)
    elif kind < 0.2 and isinstance(changed, list):
        changed = changed * rng.choice((2, 100))
    elif kind < 0.24:
        changed[key] = value[rng.choice(keys)]
    else:
        changed[key] = _changed(value[key], rng)
    return changed


def _odd(value: Any, rng: Random) -> Any:
    if isinstance(value, float) and rng.random() < 0.5:
        return value * rng.choice((0.0, -1.0, 1e-6, 50.0, 1e6, 1e300))
    if rng.random() < 0.03:
        for _ in range(rng.choice((50, 2000))):
            value = [value]
        return value
    return rng.choice(VALUES)


def _glb(data: bytes, rng: Random) -> bytes:
    """Change the JSON of a GLB file, and keep its lengths right."""
    length = struct.unpack_from("<I", data, 12)[0]
    text = _json(data[20 : 20 + length], rng)
    return data[:8] + struct.pack("<II4s", 20 + len(text), len(text), b"JSON") + text


def _npz(data: bytes, rng: Random) -> bytes:
    """Change an array of an npz file, or the JSON of its meta, and pack it again."""
    with np.load(io.BytesIO(data), allow_pickle=False) as packed:
        arrays = {name: packed[name] for name in packed.files}
    name = "meta" if "meta" in arrays and rng.random() < 0.5 else rng.choice(sorted(arrays))
    if name == "meta":
        text = json.dumps(_changed(json.loads(str(arrays["meta"])), rng))
        arrays["meta"] = np.array(text)
    else:
        arrays[name] = _array(arrays[name], rng)
        if rng.random() < 0.1:
            del arrays[name]
    buffer = io.BytesIO()
    named: dict[str, Any] = arrays
    (np.savez_compressed if rng.random() < 0.1 else np.savez)(buffer, **named)
    return buffer.getvalue()


def _npy(data: bytes, rng: Random) -> bytes:
    """Change the array of an npy file."""
    buffer = io.BytesIO()
    np.save(buffer, _array(np.load(io.BytesIO(data), allow_pickle=False), rng))
    return buffer.getvalue()


def _tags(data: bytes, rng: Random) -> bytes:
    """Rename, drop, empty, double or nest an element of an XML text, or declare an entity."""
    text = data.decode("utf-8", "replace")
    found = list(re.finditer(r"<(\w+)[^<>/]*>[^<]*</\1>", text))
    one = rng.choice(found)
    name, whole = one.group(1), one.group()
    other = rng.choice(found).group(1)
    new = rng.choice(
        (
            "",
            f"<{name}/>",
            whole * rng.choice((2, 50)),
            whole.replace(name, other),
            f"<{other}>" * 120 + whole + f"</{other}>" * 120,
            '<!DOCTYPE a [<!ENTITY b "cccc">]>' + whole,
        )
    )
    return _encoded(text[: one.start()] + new + text[one.end() :])


def _array(array: np.ndarray, rng: Random) -> np.ndarray:
    """Return an array with an extreme value, or of another shape or type."""
    kind = rng.randrange(6)
    if kind == 0 and array.ndim:
        return np.concatenate([array, array[:1]]) if rng.random() < 0.5 else array[: rng.randrange(2)]
    if kind == 1:
        return array.reshape(-1) if rng.random() < 0.5 else array[None]
    if kind == 2:
        return array.astype(rng.choice(["<f4", ">f8", "<i8", "<U3", "|b1"]))
    if array.size == 0:
        return np.zeros(3)
    changed = array.copy()
    place = rng.randrange(array.size)
    if array.dtype.kind == "U":
        changed.reshape(-1)[place] = rng.choice(("", "x", "../../x", "<script>"))
    else:
        odd: tuple[float, ...] = (
            (0, -1, 1, 7, 2**31) if array.dtype.kind in "iu" else (0.0, -1.0, np.nan, np.inf, 1e9, 1e300)
        )
        changed.reshape(-1)[place if rng.random() < 0.7 else slice(None)] = rng.choice(odd)
    return changed


_TEXT: tuple[Mutation, ...] = (_numbers, _numbers, _lines, _words)
_BY_SUFFIX: dict[str, tuple[Mutation, ...]] = {
    ".bvh": _TEXT,
    ".trc": _TEXT,
    ".csv": _TEXT,
    ".amc": _TEXT,
    ".asf": _TEXT,
    ".mot": _TEXT,
    ".sto": _TEXT,
    ".osim": (*_TEXT, _tags),
    ".npy": (_npy,),
    ".c3d": (),
    ".glb": (_glb,),
    ".npz": (_npz,),
    ".json": (_json, _json, _json, _numbers),
}
"""Changes that fit a kind of file."""
