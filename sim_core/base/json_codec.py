"""Dataclasses as JSON objects and back, with every type checked.

A field may be a number, a text, a flag, a dataclass, a tuple, a mapping with texts as keys, or a union of
these. A field with a default may be missing from the object, and is left out of it while it is None or
empty. Numbers that are not finite have no JSON form: they are written as null, and read back as NaN.
"""

from __future__ import annotations

import math
import types
import typing
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache
from typing import Any, TypeVar

import numpy as np

from .errors import InputError

T = TypeVar("T")
_KEY = "json key"
_WORDS: dict[Any, str] = {float: "a number", int: "a whole number", bool: "true or false", str: "a text"}


def named_in_json(key: str) -> dict[str, str]:
    """Return the metadata of a dataclass field that has another name in JSON."""
    return {_KEY: key}


def to_object(record: Any) -> dict[str, Any]:
    """Return a dataclass as a JSON object."""
    values = ((each, getattr(record, each.name)) for each in fields(record))
    return {_key(each): _written(value) for each, value in values if not _left_out(each, value)}


def from_object(kind: type[T], value: object, what: str) -> T:
    """Return the dataclass that a JSON object holds; `what` names the object in the error message."""
    if not isinstance(value, dict):
        raise InputError(f"{what} must be a JSON object, but is {_shown(value)}; make the file again.")
    hints, found = _hints(typing.cast("Any", kind)), {}
    for each in fields(kind):  # type: ignore[arg-type]  # callers give dataclasses
        key = _key(each)
        if key in value:
            found[each.name] = _read(hints[each.name], value[key], f"The '{key}' of {_inside(what)}")
        elif each.default is MISSING and each.default_factory is MISSING:
            raise InputError(f"{what} lacks the entry '{key}'; make the file again.")
    return kind(**found)


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return typing.get_type_hints(kind)


def _key(of: Field[Any]) -> str:
    return str(of.metadata.get(_KEY, of.name))


def _inside(what: str) -> str:
    return what[0].lower() + what[1:]


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) < 60 else f"{text[:60]}..."


def _left_out(of: Field[Any], value: object) -> bool:
    return of.default is not MISSING and (value is None or value == ())


def _written(value: object) -> object:
    if is_dataclass(value):
        return to_object(value)
    if isinstance(value, Mapping):
        return {str(key): _written(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_written(item) for item in value]
    return value


def _read(hint: Any, value: object, what: str) -> Any:
    """Return the value of a type; `what` names it in the error message."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any:
        return value
    if origin in (typing.Union, types.UnionType):
        return _read_union(arguments, value, what)
    if is_dataclass(hint):
        return from_object(typing.cast("type[Any]", hint), value, what)
    if origin is tuple:
        return _read_tuple(arguments, value, what)
    if origin is Mapping:
        if not isinstance(value, dict):
            raise _wrong("a JSON object", value, what)
        entries = {key: f"The '{key}' of {_inside(what)}" for key in value}
        return {key: _read(arguments[1], value[key], entry) for key, entry in entries.items()}
    if not _is(hint, value):
        raise _wrong(_WORDS[hint], value, what)
    return value if hint is not float else math.nan if value is None else float(typing.cast("float", value))


def _read_union(choices: tuple[Any, ...], value: object, what: str) -> Any:
    """Return the value as the first choice that it fits; an empty object is a missing dataclass."""
    if types.NoneType in choices and (value is None or value == {}):
        return None
    others = [choice for choice in choices if choice is not types.NoneType]
    simple = [choice for choice in others if choice in _WORDS and value is not None and _is(choice, value)]
    return _read(simple[0] if simple else others[0], value, what)


def _read_tuple(arguments: tuple[Any, ...], value: object, what: str) -> tuple[Any, ...]:
    if not isinstance(value, (list, tuple)):
        raise _wrong("a list", value, what)
    if arguments[-1] is not Ellipsis and len(value) != len(arguments):
        raise _wrong(f"a list of {len(arguments)}", value, what)
    entries = [f"Entry {number} of {_inside(what)}" for number in range(1, len(value) + 1)]
    return tuple(_read(arguments[0], item, entry) for item, entry in zip(value, entries, strict=True))


def refuse_wrong_types(kind: type, values: Mapping[str, object], what: str) -> None:
    """Raise an InputError for the first value that does not fit the dataclass field of its name."""
    hints = _hints(kind)
    for name, value in values.items():
        if not fits(value, hints[name]):
            raise InputError(
                f"The '{name}' of {_inside(what)} must be {_words(hints[name])}, but is {_shown(value)}."
            )


def fits(value: object, hint: Any) -> bool:
    """Return whether a JSON value fits the type of a field; whole numbers fit floats, lists fit arrays."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if hint in _WORDS:
        return value is not None and _is(hint, value)
    if origin in (typing.Union, types.UnionType):
        return any(fits(value, choice) for choice in arguments)
    if origin is np.ndarray:
        return isinstance(value, np.ndarray) or _is_numbers(value)
    if origin is tuple:
        return isinstance(value, (list, tuple)) and _fits_tuple(value, arguments)
    if origin is Mapping:
        return isinstance(value, Mapping) and all(fits(item, arguments[1]) for item in value.values())
    return hint is Any or isinstance(value, hint)


def _fits_tuple(values: Sequence[object], arguments: tuple[Any, ...]) -> bool:
    counted = arguments[-1] is Ellipsis or len(values) == len(arguments)
    return counted and all(fits(item, arguments[0]) for item in values)


def _is_numbers(value: object) -> bool:
    """Return whether a value is a number or lists of numbers, one in another."""
    if isinstance(value, (list, tuple)):
        return all(_is_numbers(item) for item in value)
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _words(hint: Any) -> str:
    """Return what the value of a field must be, in words."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if hint in _WORDS:
        return _WORDS[hint]
    if origin in (typing.Union, types.UnionType):
        return " or ".join(_words(choice) for choice in arguments if choice is not types.NoneType)
    if origin is tuple and arguments[-1] is not Ellipsis:
        return f"a list of {len(arguments)} numbers"
    return "a JSON object" if origin is Mapping else "a list of numbers"


def _is(simple: Any, value: object) -> bool:
    if isinstance(value, bool):
        return simple is bool
    if simple is float:
        return value is None or isinstance(value, (int, float))
    return isinstance(value, simple)


def _wrong(wanted: str, value: object, what: str) -> InputError:
    return InputError(f"{what} must be {wanted}, but is {_shown(value)}; make the file again.")
