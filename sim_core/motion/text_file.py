"""Lines of a text file from anywhere, and sentences that name the line of a fault."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ..base.conventions import FloatArray
from ..base.errors import SHOWN, InputError
from ..base.files import read_text


def read_lines(path: Path, kind: str) -> list[str]:
    """Return the lines of a file; kind: what it should be, with its article, such as "a BVH"."""
    name = kind.split(maxsplit=1)[-1]
    text = read_text(path, f"'{path.name}' is not {kind} text file; export the motion as {name}.")
    if not text.strip():
        raise InputError(f"'{path.name}' is empty; export the motion again.")
    return text.splitlines()


def error_at(path: Path, line: int, what: str, advice: str = "export it again") -> InputError:
    """Return an error about a line, counted from 0; people count from 1; what and advice are no sentences."""
    return InputError(f"'{path.name}' line {line + 1}: {what}; {advice}.")


def numbers_at(words: list[str], path: Path, line: int, what: str, count: int | None = None) -> FloatArray:
    """Return finite numbers of a line; what: whose they are; count: how many there must be."""
    try:
        values = np.array([float(word) for word in words], dtype=np.float64)
    except ValueError:
        bad = next(word for word in words if not is_number(word))
        raise error_at(path, line, f"{what} has '{bad[:SHOWN]}' where a number was expected") from None
    if count is not None and len(values) != count:
        raise error_at(path, line, f"{what} has {len(values)} number(s), but {count} are needed")
    if not np.isfinite(values).all():
        raise error_at(path, line, f"{what} has a value that is not finite (NaN)", "export the motion again")
    return values


def is_number(word: str) -> bool:
    """Return whether a word of a file is a number, finite or not."""
    try:
        float(word)
    except ValueError:
        return False
    return True
