"""Lists of presets to choose from, for the properties of operators."""

from __future__ import annotations

from collections.abc import Callable

from bpy.types import Context

from ..addon.own_files import OWN

Items = list[tuple[str, str, str]]


def preset_items(
    keys: Callable[[], list[tuple[str, str]]], only_own: bool = False
) -> Callable[[object, Context], Items]:
    """For `EnumProperty`: all presets, or the user's own; keys: gives keys and names"""
    # Blender does not keep the texts of a list that is made while it is asked for.
    kept: Items = []

    def items(_self: object, _context: Context) -> Items:
        kept[:] = [(key, name, "") for key, name in keys() if key.startswith(OWN) or not only_own]
        return kept

    return items
