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
"""Name of Heft's properties on Blender's types."""

# The stubs say that it returns nothing.
_pointer: Callable[..., Any] = PointerProperty

Groups = tuple[tuple[Any, str, Any], ...]
"""Blender's type, the name of the property on it, and the group or single property."""


def attach(groups: Groups) -> None:
    """Add the properties to Blender's types; the classes must be registered."""
    for owner, name, added in groups:
        setattr(owner, name, _pointer(type=added) if isinstance(added, type) else added)


def detach(groups: Groups) -> None:
    """Remove the properties from Blender's types."""
    for owner, name, _ in groups:
        if hasattr(owner, name):
            delattr(owner, name)


def is_armature(_owner: PropertyGroup, obj: Object) -> bool:
    """Return whether an object is an armature, as a poll of pointer properties."""
    return obj.type == "ARMATURE"


class HeftNote(PropertyGroup):
    """A sentence for the user that is stored in the file."""

    text: StringProperty()


CLASSES = (HeftNote,)
