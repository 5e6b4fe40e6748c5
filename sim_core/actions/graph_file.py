"""The file of an action graph: a list of clips that can be edited by hand, each with a switch.

Links are not in it: they are found from the motions each time, so that an edited list is never out of date.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from ..base.errors import InputError
from ..base.files import AnyPath, names_its_file, write_text_atomically
from ..base.json_files import check_json_objects, dataclass_from_json, read_json_file, to_json
from ..base.npz_file import FORMAT_KEY, SCHEMA_KEY

FORMAT, SCHEMA = "heft-actions", 1


@dataclass(frozen=True)
class ActionEntry:
    """One clip of the list.

    file: of the motion, beside the list or with its folder; seconds: the part of it that counts [s]
    on: whether it belongs to the graph; mirror: whether a mirrored copy does, too
    doing: what it does, for the reader
    """

    file: str
    name: str
    seconds: tuple[float, float] | None = None
    on: bool = True
    mirror: bool = True
    doing: str = ""


@dataclass(frozen=True)
class ActionList:
    """The clips of a graph, the first of which has the body of all.

    off: pairs of names between which there shall be no link
    """

    actions: tuple[ActionEntry, ...]
    off: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        names = [entry.name for entry in self.actions if entry.on]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise InputError(f"Two actions are called '{twice}'; give each its own name.")
        if not names:
            raise InputError("The list has no action that is on; switch one on.")


def save_actions(actions: ActionList, path: AnyPath) -> None:
    """Write a list of actions, one in each line."""
    rows = ",\n  ".join(to_json(asdict(entry)) for entry in actions.actions)
    text = (
        f'{{"{FORMAT_KEY}": "{FORMAT}", "{SCHEMA_KEY}": {SCHEMA},\n'
        f' "actions": [\n  {rows}\n ],\n "off": {to_json(actions.off)}}}\n'
    )
    write_text_atomically(path, text)


@names_its_file
def load_actions(path: AnyPath) -> ActionList:
    """Read a list of actions."""
    data = read_json_file(path, "action")
    if data.get(FORMAT_KEY) != FORMAT or data.get(SCHEMA_KEY) != SCHEMA:
        raise InputError(
            f"'{path}' has format '{data.get(FORMAT_KEY)}', schema {data.get(SCHEMA_KEY)}, "
            f"but '{FORMAT}', {SCHEMA} is needed."
        )
    rows = check_json_objects("actions", data.get("actions"), f"'{path}'")
    entries = [
        dataclass_from_json(ActionEntry, _with_tuple(row), f"Action {n} of '{path}'")
        for n, row in enumerate(rows, 1)
    ]
    return ActionList(tuple(entries), _pairs(data.get("off", []), path))


def _with_tuple(row: dict[str, object]) -> dict[str, object]:
    seconds = row.get("seconds")
    return row | ({"seconds": tuple(seconds)} if isinstance(seconds, list) else {})


def _pairs(values: object, path: AnyPath) -> tuple[tuple[str, str], ...]:
    listed: Sequence[object] = values if isinstance(values, list) else [None]
    pairs = [tuple(own) for own in listed if isinstance(own, list) and len(own) == 2]
    if len(pairs) != len(listed) or not all(isinstance(name, str) for own in pairs for name in own):
        raise InputError(f"The 'off' of '{path}' must be a list of pairs of names of actions.")
    return tuple((str(a), str(b)) for a, b in pairs)
