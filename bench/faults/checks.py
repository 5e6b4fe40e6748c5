"""What must be true after a fault: keys, processes, files and sentences."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy
from heft.addon.blender.result_actions import checksum
from heft.sim_core.base.files import PART_SUFFIX


@dataclass(frozen=True)
class Keys:
    """The curves of an action by their checksum, and whether the action is kept when the file is saved."""

    name: str
    checksum: str
    kept: bool


def keys_of_actions(numbers: Collection[int] | None = None) -> dict[int, Keys]:
    """Return the keys of actions by their numbers; None takes all actions."""
    return {
        action.session_uid: Keys(action.name, checksum(action), action.users > 0)
        for action in bpy.data.actions
        if numbers is None or action.session_uid in numbers
    }


def lost_keys(before: Mapping[int, Keys], now: Mapping[int, Keys]) -> Iterator[str]:
    """Tell of every action that is gone, changed, or about to be lost by saving."""
    for number, keys in before.items():
        if number not in now:
            yield f"the action '{keys.name}' is gone"
        elif now[number].checksum != keys.checksum:
            yield f"the keys of '{keys.name}' are changed"
        elif keys.kept and not now[number].kept:
            yield f"'{keys.name}' has no user and would be lost by saving"


def lost_by_saving(folder: Path) -> Iterator[str]:
    """Save the file, open it again, and tell of keys that are not as before."""
    path = folder / "after.blend"
    before = {keys.name: keys.checksum for keys in keys_of_actions().values() if keys.kept}
    if bpy.context.mode == "EDIT_ARMATURE":
        bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=True)
    bpy.ops.wm.open_mainfile(filepath=str(path))
    now = {keys.name: keys.checksum for keys in keys_of_actions().values()}
    path.unlink()
    yield from (
        f"'{name}' is not in the saved file as it was" for name in before if before[name] != now.get(name)
    )


def left_files(folder: Path) -> set[Path]:
    """Return what Heft has now in temporary folders, and what it has half-written in another one."""
    places = (Path(bpy.app.tempdir), Path(tempfile.gettempdir()))
    found = {path for place in places for path in place.glob("heft_*")}
    return found | set(folder.glob(f".*{PART_SUFFIX}"))


def bad_sentences(said: list[tuple[str, str]]) -> Iterator[str]:
    """Tell where the end of a job was not told once: by one error, or by an outcome with its notes."""
    errors = [text for level, text in said if level == "ERROR"]
    if not said:
        yield "nothing was said"
    if len(errors) > 1 or errors and len(said) > 1:
        yield f"more than one sentence was said: {said}"
    for text in errors:
        if not text.endswith(".") or "\n" in text or "Traceback" in text or re.search(r"0x[0-9a-f]{6}", text):
            yield f"this is no sentence: {text!r}"


def stray_actions(known: Collection[int]) -> Iterator[str]:
    """Tell of actions that a job without a result has left."""
    strays: list[Any] = [action for action in bpy.data.actions if action.session_uid not in known]
    yield from (f"stray: '{action.name}' is half written" for action in strays)
