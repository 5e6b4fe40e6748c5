"""Adds groups of properties to Blender's types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_type_hints

from bpy.props import (
    CollectionProperty,
    PointerProperty,
    StringProperty,
)
from bpy.types import Object, PropertyGroup

NAME = "heft"
"""Name of Heft's properties on Blender's types."""

OVERRIDE = {"LIBRARY_OVERRIDABLE"}
"""For properties of linked objects: without it they are grey on a library override, and not saved."""

# The stubs say that it returns nothing.
_pointer: Callable[..., Any] = PointerProperty

Groups = tuple[tuple[Any, str, Any], ...]
"""Blender's type, the name of the property on it, and the group or single property."""


def make_overridable(group: type) -> None:
    """Let every property of a group be set on library overrides; called before the class is registered."""
    # The annotations are texts until they are resolved; Blender takes both.
    declared = {name: hint for name, hint in get_type_hints(group).items() if name in group.__annotations__}
    for deferred in declared.values():
        rows = {"USE_INSERTION"} if deferred.function is CollectionProperty else set()
        deferred.keywords["override"] = OVERRIDE | rows
    group.__annotations__ = declared


def attach(groups: Groups) -> None:
    """Add the properties to Blender's types; the classes must be registered."""
    for owner, name, added in groups:
        setattr(owner, name, _pointer(type=added, override=OVERRIDE) if isinstance(added, type) else added)


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
