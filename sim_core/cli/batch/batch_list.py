"""The list of a batch (docs/batch.md): axes that are multiplied out, and single items."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

from ...base.bounded_json import parse_json
from ...base.errors import InputError
from ...base.files import names_its_file
from ...base.json_files import check_json_objects, read_json_file
from ...base.npz_file import FORMAT_KEY, SCHEMA_KEY, refuse_other_format

FORMAT = "heft-batch"
SCHEMA = 1
MOTION = "motion"
NAME = "name"
MOTION_SUFFIXES = (".bvh", ".amc", ".c3d", ".trc")
_ENTRIES = (FORMAT_KEY, SCHEMA_KEY, "options", "axes", "items")
_WILD = "*?["
_UNFIT = re.compile(r"[^\w.\-]+")
_LONGEST_NAME = 120
MOST_ITEMS = 100_000


@dataclass(frozen=True)
class BatchItem:
    """One bake: its name, and the options of `heft bake` by their long names, as JSON values."""

    name: str
    options: Mapping[str, Any]


@dataclass(frozen=True)
class BatchList:
    """The items of a batch; folder: that file names in the options are relative to."""

    folder: Path
    items: tuple[BatchItem, ...]

    def named(self, name: str) -> BatchItem:
        """Return the item of a name."""
        found = next((item for item in self.items if item.name == name), None)
        if found is None:
            raise InputError(f"The batch has no item '{name}'; it has {_some(self.items)}.")
        return found


@names_its_file
def read_list(path: Path, changes: Mapping[str, Any]) -> BatchList:
    """Read a list file, or all motions of a folder; changes: options that override those of the list."""
    folder = (path if path.is_dir() else path.parent).resolve()
    data = _of_folder(folder) if path.is_dir() else _checked(read_json_file(path, "batch"), path)
    shared = _object(data.get("options", {}), f"The 'options' of '{path}'")
    axes = _object(data.get("axes", {}), f"The 'axes' of '{path}'")
    singles = check_json_objects("items", data.get("items", []), f"'{path}'")
    made = [*_product(axes, folder, path), *(_single(entry, path) for entry in singles)]
    if not made:
        raise InputError(f"'{path}' asks for no bakes; give it 'axes' with a 'motion', or 'items'.")
    unique = _unique(name for name, _ in made)
    items = [
        BatchItem(name, {**shared, **own, **changes}) for name, (_, own) in zip(unique, made, strict=True)
    ]
    return BatchList(folder, tuple(items))


def changes_from_words(words: Sequence[str]) -> dict[str, Any]:
    """Return options from words NAME=VALUE, where VALUE is JSON or else a text."""
    changes: dict[str, Any] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not (name and equals):
            raise InputError(f"--set '{word}' must be NAME=VALUE, such as quality=draft.")
        try:
            changes[name] = parse_json(value, f"--set {name}")
        except InputError:
            changes[name] = value
    return changes


def _checked(data: dict[str, Any], path: Path) -> dict[str, Any]:
    refuse_other_format(data, FORMAT, SCHEMA, f"'{path}'")
    extra = next((name for name in data if name not in _ENTRIES), None)
    if extra is not None:
        raise InputError(f"'{path}' has the entry '{extra}', which is unknown; use {', '.join(_ENTRIES)}.")
    return data


def _of_folder(folder: Path) -> dict[str, Any]:
    motions = sorted(file.name for file in folder.iterdir() if file.suffix.lower() in MOTION_SUFFIXES)
    if not motions:
        raise InputError(f"The folder '{folder}' holds no motions ({', '.join(MOTION_SUFFIXES)}).")
    return {"axes": {MOTION: motions}}


def _product(axes: Mapping[str, Any], folder: Path, path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield names and options of all combinations; the last axis changes fastest."""
    if not axes:
        return
    steps = [list(_steps(axis, values, folder, path)) for axis, values in axes.items()]
    count = prod(len(entries) for entries in steps)
    if count > MOST_ITEMS:
        raise InputError(
            f"The axes of '{path}' ask for {count} bakes; {MOST_ITEMS} at most are done at once."
        )
    for combination in itertools.product(*steps):
        options: dict[str, Any] = {}
        for _, own in combination:
            options |= own
        yield "_".join(label for label, _ in combination), options


def _steps(axis: str, values: object, folder: Path, path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield label and options of each entry of an axis."""
    if not isinstance(values, list) or not values:
        raise InputError(f"The axis '{axis}' of '{path}' must be a list with at least one entry.")
    for value in values:
        if isinstance(value, dict):
            own = dict(value)
            label = own.pop(NAME, None)
            if not isinstance(label, str) or not label:
                raise InputError(f"An entry of the axis '{axis}' of '{path}' has no \"name\"; give it one.")
            yield label, own
        elif axis == MOTION and isinstance(value, str):
            yield from ((Path(file).stem, {MOTION: file}) for file in _files(value, folder))
        else:
            yield f"{axis}{value}", {axis: value}


def _files(pattern: str, folder: Path) -> list[str]:
    if not any(sign in pattern for sign in _WILD):
        return [pattern]
    if Path(pattern).is_absolute():
        raise InputError(f"'{pattern}' has wild cards and starts at the root; write it relative to the list.")
    try:
        found = sorted(file.relative_to(folder).as_posix() for file in folder.glob(pattern))
    except (ValueError, OSError, NotImplementedError) as problem:
        raise InputError(
            f"The pattern '{pattern}' cannot be used ({problem}); write it simpler."
        ) from problem
    if not found:
        raise InputError(f"No file fits '{pattern}' in '{folder}'; check the pattern.")
    return found


def _single(entry: Mapping[str, Any], path: Path) -> tuple[str, dict[str, Any]]:
    own = dict(entry)
    name = own.pop(NAME, None) or Path(str(own.get(MOTION, ""))).stem
    if not isinstance(name, str) or not name:
        raise InputError(f'An item of \'{path}\' has neither a "name" nor a "motion"; give it both.')
    return name, own


def _unique(names: Iterable[str]) -> list[str]:
    """Return names that are also valid as names of files, with a number where one is repeated."""
    taken: set[str] = set()
    made = []
    for wanted in names:
        stem = _UNFIT.sub("_", wanted).strip("._")[:_LONGEST_NAME] or "item"
        numbered = (f"{stem}-{number}" for number in itertools.count(2))
        # Some file systems ignore the case of letters.
        name = stem if stem.lower() not in taken else next(n for n in numbered if n.lower() not in taken)
        taken.add(name.lower())
        made.append(name)
    return made


def _object(value: object, what: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise InputError(f"{what} must be a JSON object, in braces.")
    return value


def _some(items: Sequence[BatchItem]) -> str:
    names = ", ".join(item.name for item in items[:5])
    return names if len(items) <= 5 else f"{names} and {len(items) - 5} more"
