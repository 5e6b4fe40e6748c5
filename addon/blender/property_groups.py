"""Adds groups of properties to Blender's types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bpy.props import (
    PointerProperty,
    StringProperty,
)
from bpy.types import Object, PropertyGroup

NAME = "heft"
"""Of Heft's properties on Blender's types."""

# The stubs say that it returns nothing.
_pointer: Callable[..., Any] = PointerProperty

Groups = tuple[tuple[Any, str, Any], ...]
"""Which type of Blender's gets which group, or which single property, under which name."""


def attach(groups: Groups) -> None:
    """Hang the properties on Blender's types; the classes must be registered."""
    for owner, name, added in groups:
        setattr(owner, name, _pointer(type=added) if isinstance(added, type) else added)


def detach(groups: Groups) -> None:
    for owner, name, _ in groups:
        if hasattr(owner, name):
            delattr(owner, name)


def is_armature(_owner: PropertyGroup, obj: Object) -> bool:
    return obj.type == "ARMATURE"


class HeftNote(PropertyGroup):
    """A sentence about the last bake."""

    text: StringProperty()


CLASSES = (HeftNote,)
