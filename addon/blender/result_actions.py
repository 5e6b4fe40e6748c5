"""Actions that Heft wrote: an unchanged and unused one may be replaced, every other one is kept."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Generator, Iterator
from typing import Any

import bpy
import numpy as np
from bpy.props import StringProperty
from bpy.types import PropertyGroup

from . import compat
from .steps import run_all


class HeftResultMark(PropertyGroup):
    """The mark of a result, on the action."""

    checksum: StringProperty(description="Of its curves when it was made; empty for all other actions")


SUFFIX = "_heft"
"""Ends the names of results."""
NUMBER = r"\.\d+$"
"""What Blender adds to a name that is taken."""


def result_name(source: str) -> str:
    """Return the name of a result, also where its source is a result that was applied."""
    return re.sub(rf"{SUFFIX}(\.\d+)?$", "", source) + SUFFIX


def keep_name(baked: Any, name_before: str) -> None:
    """Let a result take the name of the one that it replaced, without a new number for each bake."""
    if name_before not in bpy.data.actions and baked.name.startswith(f"{name_before}."):
        baked.name = name_before


def mark_result(action: Any, found: str) -> None:
    """Mark an action as a result with this checksum."""
    action.heft_result.checksum = found


def is_untouched(action: Any) -> bool:
    """Return whether an action is a result that was not changed since it was written."""
    return bool(action.heft_result.checksum) and action.heft_result.checksum == checksum(action)


def checksum(action: Any) -> str:
    """Return the checksum of all curves of an action, without selections and colours."""
    return run_all(taking_checksum(action))


def taking_checksum(action: Any) -> Generator[float, None, str]:
    """Do the same as checksum, yielding on the way.

    Between two steps the user or a script may remove curves, undo, or open another file, so that no curve is
    held across a yield: the action is looked up by its number each time, and its curves by theirs.
    """
    digest, number, done, left = hashlib.blake2b(digest_size=16), action.session_uid, 0, True
    while left:
        parts = list(_slots_and_curves(_action_of_number(number)))
        for slot_name, curve in parts[done : done + PARTS_A_STEP]:
            if curve is None:
                digest.update(f"[{slot_name}]".encode())
                continue
            digest.update(repr(_description(curve)).encode())
            for name, size, kind in _KEY_VALUES:
                values = np.empty(size * len(curve.keyframe_points), dtype=kind)
                curve.keyframe_points.foreach_get(name, values)
                digest.update(values.tobytes())
            del curve
        done += PARTS_A_STEP
        left = done < len(parts)
        del parts
        yield 1.0
    return digest.hexdigest()


PARTS_A_STEP = 40
"""Curves that are read between two yields; few milliseconds."""
_KEY_VALUES = (
    ("co", 2, np.float32),
    ("handle_left", 2, np.float32),
    ("handle_right", 2, np.float32),
    ("interpolation", 1, np.int32),
)
"""What is read of all keys of a curve: property, numbers for each key, type."""


def _action_of_number(number: int) -> Any:
    found = next((action for action in bpy.data.actions if action.session_uid == number), None)
    if found is None:
        raise ReferenceError("the action was deleted")
    return found


def _slots_and_curves(action: Any) -> Iterator[tuple[str, Any]]:
    """Yield each slot by its name, without a curve, and then its curves."""
    for source in compat.all_slots(action):
        name = compat.slot_name(source)
        yield name, None
        for curve in compat.curves_of(source):
            yield name, curve


def _description(curve: Any) -> tuple[object, ...]:
    kinds = [(modifier.type, modifier.mute) for modifier in curve.modifiers]
    return curve.data_path, curve.array_index, curve.mute, curve.extrapolation, kinds


def remove_unused_result(action: Any) -> str:
    """Remove a result without users; a changed one is kept, and a note is returned."""
    if action is None or action.users > 0:
        return ""
    if not is_untouched(action):
        action.use_fake_user = True
        return f"'{action.name}' was changed after it was baked, so it was kept, with a fake user."
    bpy.data.actions.remove(action)
    return ""


def replace_earlier(earlier: Any, new: Any) -> str:
    """Let a result replace an earlier one that nobody uses; return a note where that one is kept.

    It is kept, by a fake user, where it was changed or renamed since, or was made of another source.
    """
    if earlier is None or earlier.users > 0:
        return ""
    name = re.sub(NUMBER, "", earlier.name)
    if is_untouched(earlier) and name == re.sub(NUMBER, "", new.name):
        bpy.data.actions.remove(earlier)
        keep_name(new, name)
        return ""
    earlier.use_fake_user = True
    return f"'{earlier.name}' now has a fake user, so that it is kept when you save."


def protect_source(action: Any) -> None:
    """Give a source without other users a fake user."""
    if action is not None and action.users == 0:
        action.use_fake_user = True


CLASSES = (HeftResultMark,)
GROUPS = ((bpy.types.Action, "heft_result", HeftResultMark),)
