"""Heft's npz files: arrays, and a `meta` entry that holds a JSON text with the file's format and version."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .errors import SHOWN, InputError
from .files import AnyArray, AnyPath, read_npz, write_npz_atomically
from .json_files import parse_json_object, to_json

FORMAT_KEY = "format"
SCHEMA_KEY = "schema"
META = "meta"


def write_file(
    path: AnyPath, kind: str, schema: int, arrays: Mapping[str, AnyArray], meta: Mapping[str, Any]
) -> None:
    """Save arrays and meta as one npz file; `kind` names its format, such as "job" or "result"."""
    header = {FORMAT_KEY: f"heft-{kind}", SCHEMA_KEY: schema}
    write_npz_atomically(path, {**arrays, META: np.array(to_json({**header, **meta}))})


def refuse_other_format(data: Mapping[str, Any], wanted: str, schema: int, where: str) -> None:
    """Raise an InputError unless a JSON object says that it is of this format and of this version."""
    found, version = data.get(FORMAT_KEY), data.get(SCHEMA_KEY)
    if found != wanted or version != schema or isinstance(version, bool):
        raise InputError(
            f'{where} needs "{FORMAT_KEY}": "{wanted}" and "{SCHEMA_KEY}": {schema}, but has '
            f"{repr(found)[:SHOWN]} and {repr(version)[:SHOWN]}; choose another file, or make it again."
        )


def read_file(path: AnyPath, kind: str, schema: int) -> tuple[dict[str, AnyArray], dict[str, Any]]:
    """Return the arrays and the meta of a file of this kind and version, without its header entries."""
    arrays = read_npz(path)
    text = arrays.pop(META, None)
    if text is None or text.shape != () or text.dtype.kind != "U":
        raise InputError(f"'{path}' was not written by Heft: it has no 'meta' text. Choose a {kind} file.")
    meta = parse_json_object(str(text), f"The 'meta' text of '{path}'")
    found, version = meta.pop(FORMAT_KEY, None), meta.pop(SCHEMA_KEY, None)
    if found != f"heft-{kind}":
        raise InputError(
            f"'{path}' is not a Heft {kind} file (its format is '{found}'); choose a {kind} file."
        )
    if version != schema:
        raise InputError(
            f"'{path}' has schema version {version}, but this Heft reads version {schema}; "
            "make the file again with the same Heft."
        )
    return arrays, meta


def take_array(arrays: Mapping[str, AnyArray], name: str, kinds: str, ndim: int, path: AnyPath) -> AnyArray:
    """Return one array of a file; it must exist and have `ndim` dimensions and a dtype kind in `kinds`."""
    if name not in arrays:
        raise InputError(f"'{path}' lacks the array '{name}'; make the file again.")
    array = arrays[name]
    if array.dtype.kind not in kinds or array.ndim != ndim:
        raise InputError(
            f"The array '{name}' of '{path}' is wrong: it has type {array.dtype} and shape "
            f"{array.shape}; make the file again."
        )
    return array
