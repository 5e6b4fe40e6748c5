"""Actions that Heft wrote: an unchanged and unused one may be replaced, every other one is kept."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Generator
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
    """Do the same as checksum, yielding after each curve."""
    digest = hashlib.blake2b(digest_size=16)
    for source in compat.all_slots(action):
        digest.update(f"[{compat.slot_name(source)}]".encode())
        for curve in compat.curves_of(source):
            kinds = [(modifier.type, modifier.mute) for modifier in curve.modifiers]
            head = (curve.data_path, curve.array_index, curve.mute, curve.extrapolation, kinds)
            digest.update(repr(head).encode())
            for name, size, kind in (
                ("co", 2, np.float32),
                ("handle_left", 2, np.float32),
                ("handle_right", 2, np.float32),
                ("interpolation", 1, np.int32),
            ):
                values = np.empty(size * len(curve.keyframe_points), dtype=kind)
                curve.keyframe_points.foreach_get(name, values)
                digest.update(values.tobytes())
            yield 1.0
    return digest.hexdigest()


def remove_unused_result(action: Any) -> str:
    """Remove a result without users; a changed one is kept, and a note is returned."""
    if action is None or action.users > 0:
        return ""
    if not is_untouched(action):
        action.use_fake_user = True
        return f"'{action.name}' was changed after it was baked, so it was kept, with a fake user."
    bpy.data.actions.remove(action)
    return ""


def protect_source(action: Any) -> None:
    """Give a source without other users a fake user."""
    if action is not None and action.users == 0:
        action.use_fake_user = True


CLASSES = (HeftResultMark,)
GROUPS = ((bpy.types.Action, "heft_result", HeftResultMark),)
