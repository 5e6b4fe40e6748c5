"""Rows of lists: a collection `name` of an owner, whose chosen row is `name_index`."""

from __future__ import annotations

from typing import Any

from bpy.types import Operator


def has_row(cls: type[Operator], owner: Any, name: str) -> bool:
    """For polls: whether a row is chosen, with the reason when not."""
    cls.poll_message_set("Choose a row of the list first")
    return 0 <= getattr(owner, f"{name}_index") < len(getattr(owner, name))


def remove_row(owner: Any, name: str) -> None:
    """The chosen one; the next one is chosen then, or the last one."""
    rows, index = getattr(owner, name), getattr(owner, f"{name}_index")
    rows.remove(index)
    setattr(owner, f"{name}_index", max(0, min(index, len(rows) - 1)))
