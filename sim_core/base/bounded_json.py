"""Parses JSON from anywhere into values that the rest of Heft can hold: bounded in size, depth and numbers.

Everything that is read as JSON comes through `parse_json`, whatever file or text it was in.
"""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

from .errors import SHOWN, InputError

MOST_CHARACTERS = 64 * 10**6
MOST_VALUES = 2 * 10**6
MOST_DEPTH = 40
LARGEST_WHOLE_NUMBER = 2**63 - 1


def parse_json(text: str, what: str) -> Any:
    """Return the value of a JSON text; `what` names the text at the beginning of the error message."""
    values = text.count(",") + text.count("[") + text.count("{")
    if len(text) > MOST_CHARACTERS or values > MOST_VALUES:
        raise InputError(
            f"{what} is too large ({len(text) / 1e6:.1f} MB with about {values} values); Heft reads up to "
            f"{MOST_CHARACTERS / 1e6:.0f} MB with {MOST_VALUES} values. Make it smaller."
        )
    try:
        value = json.loads(text, parse_constant=_refuse_constant)
    except RecursionError as problem:
        raise _too_deep(what) from problem
    except ValueError as problem:  # also for whole numbers of thousands of digits
        raise InputError(f"{what} is not valid JSON ({problem}); make the file again.") from problem
    _refuse_unusable(value, what)
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number in JSON")


def _too_deep(what: str) -> InputError:
    return InputError(f"{what} is nested more than {MOST_DEPTH} levels deep; make the file again.")


_Trail = tuple[Any, object] | None
"""The way to a value: the way to what it is in, and its key or number there."""


def _refuse_unusable(value: object, what: str) -> None:
    """Raise an InputError for what later code could not hold; without recursion, so that depth is safe."""
    waiting: list[tuple[object, _Trail, int]] = [(value, None, 0)]
    while waiting:
        item, trail, depth = waiting.pop()
        if isinstance(item, (dict, list)):
            if depth == MOST_DEPTH:
                raise _too_deep(what)
            if isinstance(item, dict):
                for key in item:
                    _refuse_text(key, trail, what)
            entries = item.items() if isinstance(item, dict) else enumerate(item, 1)
            waiting += [(inside, (trail, key), depth + 1) for key, inside in entries]
        elif isinstance(item, str):
            _refuse_text(item, trail, what)
        elif isinstance(item, (int, float)):
            _refuse_number(item, trail, what)


def _refuse_number(number: float, trail: _Trail, what: str) -> None:
    finite = math.isfinite(number) if isinstance(number, float) else abs(number) <= LARGEST_WHOLE_NUMBER
    if not finite:
        raise InputError(
            f"{what} has a number at {_place(trail)} that is too large; give one below "
            f"{LARGEST_WHOLE_NUMBER:.0e}."
        )


def _refuse_text(text: str, trail: _Trail, what: str) -> None:
    if "\0" in text or not _can_be_written(text):
        raise InputError(
            f"{what} has a text at {_place(trail)} with a character that no name may have "
            f"({text[:SHOWN]!a}); write it without."
        )


def _place(trail: _Trail) -> str:
    """Return the place of a value, such as '/aims/2/bone'."""
    keys: list[str] = []
    while trail is not None:
        trail, key = trail
        keys.append(str(key)[:SHOWN])
    return f"'/{'/'.join(reversed(keys))}'"


def _can_be_written(text: str) -> bool:
    """Return whether a text has no lone surrogate, which no file and no terminal can show."""
    return text.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in text)
